"""What a user asks of a check of histories. It is apart from the check, which needs Spark, and from the command, which needs the check."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CheckOptions:
    """The histories, where the results go, and how they are judged and shown."""

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
