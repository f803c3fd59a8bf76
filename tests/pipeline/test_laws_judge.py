"""Laws in process find what the plans on Spark find, witness by witness: all histories of the anomalies' tests."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from check_histories import events, write

from fencepost.pipeline.laws.judge import judge
from fencepost.pipeline.laws.laws import LAWS
from fencepost.pipeline.laws.witness import Witness

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

FAMILIES = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (Path(__file__).parent / "check_cases").glob("*.yaml")}


def named(cases: Mapping[str, Mapping[str, Mapping[str, str]]]) -> dict[str, str]:
    """The histories of these anomalies by anomaly, kind and name."""
    return {
        f"{anomaly}/{kind}/{name}": text for anomaly, kinds in cases.items() for kind, told in kinds.items() for name, text in told.items()
    }


INFERRED = named(FAMILIES.pop("cycles_inferred"))
CASES = named({anomaly: kinds for family in FAMILIES.values() for anomaly, kinds in family.items()})

Found = dict[str, list[Witness]]


@pytest.fixture(scope="module")
def on_spark(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Found]]:
    """The witnesses of each history: all of them are runs of one check, and those with inferred edges of another."""
    from fencepost.pipeline.anomalies import ANOMALIES, cycles
    from fencepost.pipeline.derived import History
    from fencepost.pipeline.ingest import files, lines
    from fencepost.pipeline.tables import Tables
    from fencepost.pipeline.verdicts import found, together

    told: dict[str, Found] = {run: {} for run in CASES | INFERRED}
    for cases, anomalies, infer in ((CASES, ANOMALIES, False), (INFERRED, cycles.ANOMALIES, True)):
        folder = tmp_path_factory.mktemp("cases")
        for run, text in cases.items():
            write(text, run, folder / "in")
        tables = Tables(spark, folder / "out", 1)
        tables.store(lines.read(spark, files.find([folder / "in"])))
        rows = together(found(History(tables, infer_ww=infer, infer_rw=infer), anomalies)).collect()
        for row in rows:
            of_row = (row.run, row.log, tuple(row["values"]), tuple(row.offsets), tuple(row.ops), row.definite, row.detail)
            told[row.run].setdefault(row.anomaly, []).append(Witness(*of_row))
    yield told
    spark.catalog.clearCache()


@pytest.fixture(scope="module")
def in_process() -> dict[str, Found]:
    """The same by the laws, each history by itself."""
    told = {run: judge(events(text, run)) for run, text in CASES.items()}
    cycles = ("G0", "G1c", "G-single", "G2")
    for run, text in INFERRED.items():
        told[run] = {name: shown for name, shown in judge(events(text, run), True, True).items() if name in cycles}
    return told


@pytest.mark.parametrize("anomaly", [law.anomaly for law in LAWS])
def test_both_ways_have_the_same_witnesses(on_spark: dict[str, Found], in_process: dict[str, Found], anomaly: str) -> None:
    """Run, log, values, offsets, operations, whether it is definite, and the words."""
    ours = {run: sorted(map(str, found.get(anomaly, []))) for run, found in in_process.items()}
    theirs = {run: sorted(map(str, found.get(anomaly, []))) for run, found in on_spark.items()}

    differ = {run: (ours[run], theirs[run]) for run in ours if ours[run] != theirs[run]}

    assert differ == {}
