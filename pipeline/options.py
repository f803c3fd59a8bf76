"""What the user of a check asked for, and whether Spark is installed. Nothing of Spark is imported here."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import WrongUsage


@dataclass(frozen=True)
class PipelineOptions:
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
    """Whether each anomaly gets a witness in words in each run."""
    quiet: bool = False
    """Whether the stages of the work are not printed."""


def check_memory(size: str | None) -> None:
    """Raises WrongUsage for a size that Java would refuse, before Java starts."""
    if size is not None and not re.fullmatch(r"[1-9]\d*[kmgt]", size.lower()):
        raise WrongUsage(f"--memory {size}: expected a size such as 512m or 2g")


@contextmanager
def spark_is_there(command: str) -> Iterator[None]:
    """For imports that need Spark: a missing package is reported with the remedy."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fencepost"):
            raise
        raise WrongUsage(f"{command} needs {error.name}, which is not installed: pip install 'fencepost[check]'") from error
