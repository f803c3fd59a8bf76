"""The door to the checker, which is light: nothing of Spark is imported before it is known to be there."""

from collections.abc import Iterator
from contextlib import contextmanager

from fencepost.contract.errors import WrongUsage

from .options import CheckOptions


def run(options: CheckOptions) -> int:
    """Check as asked; the answer is the exit code."""
    if options.form not in ("table", "json"):
        raise WrongUsage(f"--format is {options.form!r}, expected table or json")
    with spark_is_there("fencepost check"):
        from . import check
    return check.check(options)


@contextmanager
def spark_is_there(command: str) -> Iterator[None]:
    """Around the imports that need Spark: what is not installed is told with the remedy."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fencepost"):
            raise
        raise WrongUsage(f"{command} needs {error.name}, which is not installed: pip install 'fencepost[check]'") from error
