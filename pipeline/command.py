"""The door to the checker, which is light: nothing of Spark is imported before it is known to be there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import WrongUsage


@dataclass(frozen=True)
class Wish:
    """What the user asked for."""

    paths: tuple[Path, ...]
    results: Path
    master: str = "local[*]"
    memory: str | None = None
    anomalies: tuple[str, ...] = ()
    most: int = 100
    form: str = "table"
    infer_ww: bool = False
    infer_rw: bool = False
    by_run: bool = False
    """Whether a witness in words is wanted of each anomaly in each run."""


def run(wish: Wish) -> int:
    """Check as wished; the answer is the exit code."""
    if wish.form not in ("table", "json"):
        raise WrongUsage(f"--format is {wish.form!r}, expected table or json")
    with spark_is_there("fencepost check"):
        from . import check
    return check.check(wish)


@contextmanager
def spark_is_there(command: str) -> Iterator[None]:
    """Around the imports that need Spark: what is not installed is told with the remedy."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fencepost"):
            raise
        raise WrongUsage(f"{command} needs {error.name}, which is not installed: pip install 'fencepost[check]'") from error
