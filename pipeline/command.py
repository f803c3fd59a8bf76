"""The light entry to the checker: it imports nothing of Spark before Spark is known to be installed."""

from fencepost.contract.errors import UnknownName

from .options import PipelineOptions, check_memory, spark_is_there

__all__ = ["PipelineOptions", "run", "spark_is_there"]


def run(options: PipelineOptions) -> int:
    """Check as asked; returns the exit code."""
    if options.form not in ("table", "json"):
        raise UnknownName("format", options.form, ("table", "json"))
    check_memory(options.memory)
    with spark_is_there("fencepost check"):
        from . import check
    return check.check(options)
