"""The histories of a run of the suite, judged after it as `fencepost check` judges them.

A scenario's history is a run of the check, so each finding belongs to one scenario. The suite decides what a finding means for the
run; this module only has the findings.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.contract.anomalies import Finding, Findings

from . import java
from .options import PipelineOptions, spark_is_there

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .spark_session import Ahead


def ready() -> None:
    """Raises WrongUsage with the remedy if no history could be judged."""
    with spark_is_there("fencepost run --check"):
        from . import check  # noqa: F401 - it is what needs Spark
    java.find()


def ahead() -> "Ahead":
    """A session that starts while scenarios run; the caller closes it."""
    from .rehearsal import rehearse
    from .spark_session import Ahead, Size

    return Ahead(Size(0, by_run=True), rehearse)


def judge(
    histories: Sequence[Path], results: Path, session: "AbstractContextManager[SparkSession] | None" = None, *, quiet: bool = False
) -> Findings:
    """Judge these histories, in one session; the verdict, the witnesses and the page go to `results`. It ends as `session` says."""
    if not histories:
        return Findings(0, 0)
    from . import check

    judged = check.judge(PipelineOptions(tuple(histories), results, by_run=True, quiet=quiet), session)
    words = {(shown.run, shown.anomaly.name): shown for shown in judged.by_run}
    found = [
        Finding(
            run["run"], name, count["definite"], count["possible"], words[run["run"], name].anomaly.allowed, str(words[run["run"], name])
        )
        for run in judged.document["runs"]
        for name, count in run["anomalies"].items()
    ]
    return Findings(len(judged.document["runs"]), judged.document["quarantined"], found)
