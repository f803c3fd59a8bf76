"""The door to the checker, which is light: nothing of Spark is imported before it is known to be there."""

from fencepost.contract.errors import UnknownName

from .options import Options, check_memory, spark_is_there

__all__ = ["Options", "run", "spark_is_there"]


def run(options: Options) -> int:
    """Check as asked; the answer is the exit code."""
    if options.form not in ("table", "json"):
        raise UnknownName("format", options.form, ("table", "json"))
    check_memory(options.memory)
    with spark_is_there("fencepost check"):
        from . import check
    return check.check(options)
