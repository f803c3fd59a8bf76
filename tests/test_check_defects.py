"""What the checker says of the suite's own runs: nothing of the honest reference, and its anomaly of each defect that a history shows."""

from typing import TYPE_CHECKING

import pytest
from defect_runs import run_all

from fencepost.reference.defects import DEFECTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHOWN: dict[str, set[str]] = {}
"""Defects of which a history tells, and as what; the others break an answer, or a promise that only a scenario asks for."""

HONEST = "reference"

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


@pytest.fixture(scope="module")
def found(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The anomalies of each: the whole suite on the honest reference, and its own requirement on each defect. One check judges them all."""
    from fencepost.pipeline.anomalies import ANOMALIES
    from fencepost.pipeline.derived import History
    from fencepost.pipeline.ingest import files, lines
    from fencepost.pipeline.tables import Tables
    from fencepost.pipeline.verdicts import verdict, witnesses

    folder = tmp_path_factory.mktemp("runs")
    codes = run_all(
        [
            (folder / "in" / HONEST, ()),
            *((folder / "in" / name, (f"--defect={name}", f"--only={DEFECTS[name].breaks}")) for name in SHOWN),
        ]
    )
    assert codes == {name: 0 if name == HONEST else 1 for name in (HONEST, *SHOWN)}
    tables = Tables(spark, folder / "out", 1)
    tables.store(lines.read(spark, files.find([folder / "in"])))
    history = History(tables)
    told = verdict(history, witnesses(history, ANOMALIES), tables.bad.count())
    history.values.unpersist()
    assert told["quarantined"] == 0
    anomalies: dict[str, set[str]] = {name: set() for name in (HONEST, *SHOWN)}
    for entry in told["runs"]:
        anomalies[entry["run"].split("/")[0]] |= set(entry["anomalies"])
    return anomalies


def test_the_honest_reference_shows_no_anomaly(found: dict[str, set[str]]) -> None:
    """Neither a definite one nor a possible one, in any scenario of the suite."""
    assert found[HONEST] == set()


@pytest.mark.parametrize("defect", SHOWN)
def test_a_defect_shows_as_its_anomaly(found: dict[str, set[str]], defect: str) -> None:
    """The history of the scenario that catches it tells the same, without having been asked."""
    assert found[defect] == SHOWN[defect]
