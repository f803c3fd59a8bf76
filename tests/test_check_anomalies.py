"""Every anomaly is found where it is, and nowhere else: small histories, judged all at once."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from check_histories import write
from pyspark.sql import SparkSession

from fencepost.pipeline.anomalies import ANOMALIES
from fencepost.pipeline.derived import History
from fencepost.pipeline.ingest import files, lines
from fencepost.pipeline.tables import Tables
from fencepost.pipeline.verdicts import verdict, witnesses

CASES = yaml.safe_load((Path(__file__).parent / "check_cases.yaml").read_text(encoding="utf-8"))
ALL = [(anomaly, kind, name) for anomaly, kinds in CASES.items() for kind, histories in kinds.items() for name in histories]
INFERRED = ("G0", "G-single", "G2")

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


@pytest.fixture(scope="session")
def counts(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, dict[str, int]]]]:
    """What was found in each history: all of them are runs of one check."""
    folder = tmp_path_factory.mktemp("cases")
    for anomaly, kind, name in ALL:
        write(CASES[anomaly][kind][name], f"{anomaly}/{kind}/{name}", folder / "in")
    tables = Tables(spark, folder / "out", 1)
    tables.store(lines.read(spark, files.find([folder / "in"])))
    history = History(tables)
    told = verdict(history, witnesses(history, ANOMALIES), tables.bad.count())
    assert told["quarantined"] == 0
    yield {run["run"]: run["anomalies"] for run in told["runs"]}
    history.values.unpersist()


@pytest.mark.parametrize(("anomaly", "kind", "name"), ALL)
def test_a_history_shows_its_anomaly_and_its_twin_does_not(
    counts: dict[str, dict[str, dict[str, int]]], anomaly: str, kind: str, name: str
) -> None:
    """`broken` histories have definite witnesses, `maybe` ones only possible ones, and `sound` ones none."""
    found = Counter(counts[f"{anomaly}/{kind}/{name}"].get(anomaly, {}))

    assert (found["definite"] > 0, kind != "maybe" or found["possible"] > 0) == (kind == "broken", True), dict(found)
    assert kind != "sound" or not found["possible"], dict(found)


def test_every_anomaly_has_histories_of_both_kinds() -> None:
    """No plan is trusted that was never seen to find and never seen to spare."""
    named = {anomaly.name for anomaly in ANOMALIES if anomaly.name not in INFERRED}

    assert set(CASES) == named
    assert {anomaly for anomaly, kinds in CASES.items() if "sound" not in kinds or not kinds.keys() & {"broken", "maybe"}} == set()
