"""What the user of a check asked for, and whether Spark is there to do it. Nothing of Spark is imported here."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import WrongUsage


@dataclass(frozen=True)
class Options:
    """The options of `fencepost check`."""

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
    quiet: bool = False
    """Whether nothing is said of the stages of the work."""


def check_memory(size: str | None) -> None:
    """Raises WrongUsage for what Java would not take as a size, before it is started."""
    if size is not None and not re.fullmatch(r"[1-9]\d*[kmgt]", size.lower()):
        raise WrongUsage(f"--memory {size}: expected a size such as 512m or 2g")


@contextmanager
def spark_is_there(command: str) -> Iterator[None]:
    """Around the imports that need Spark: what is not installed is named with the remedy."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fencepost"):
            raise
        raise WrongUsage(f"{command} needs {error.name}, which is not installed: pip install 'fencepost[check]'") from error
