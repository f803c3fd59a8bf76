"""Every anomaly is found where it is, and nowhere else: small histories, judged all at once.

`check_cases/` has a file for each family of anomalies. For each anomaly it has histories in the notation of check_histories.py that show
it for certain (`broken`), that may show it (`maybe`), and that are lawful and look alike (`sound`). Every one is a run of its own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_histories import write
from pyspark.sql import SparkSession

from fencepost.pipeline.anomalies import ANOMALIES, Anomaly, cycles
from fencepost.pipeline.derived import History
from fencepost.pipeline.ingest import files, lines
from fencepost.pipeline.tables import Tables
from fencepost.pipeline.verdicts import found, verdict

FAMILIES = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (Path(__file__).parent / "check_cases").glob("*.yaml")}
INFERRED = FAMILIES.pop("cycles_inferred")
CASES = {name: kinds for family in FAMILIES.values() for name, kinds in family.items()}
AT_LEAST = 7

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


def named(cases: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The histories of these anomalies: anomaly, kind, name."""
    return [(anomaly, kind, name) for anomaly, kinds in cases.items() for kind, histories in kinds.items() for name in histories]


@pytest.fixture(scope="module")
def counts(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, dict[str, int]]]]:
    """What was found in each history: all of them are runs of one check, and those with inferred edges of another."""
    all_of_them: dict[str, dict[str, dict[str, int]]] = {}
    for cases, anomalies, infer in ((CASES, ANOMALIES, False), (INFERRED, cycles.ANOMALIES, True)):
        folder = tmp_path_factory.mktemp("cases")
        for anomaly, kind, name in named(cases):
            write(cases[anomaly][kind][name], f"{anomaly}/{kind}/{name}", folder / "in")
        tables = Tables(spark, folder / "out", 1)
        tables.store(lines.read(spark, files.find([folder / "in"])))
        all_of_them |= judged(History(tables, infer_ww=infer, infer_rw=infer), anomalies)
    yield all_of_them
    spark.catalog.clearCache()


def judged(history: History, anomalies: Sequence[Anomaly]) -> dict[str, dict[str, dict[str, int]]]:
    """The anomalies of each run."""
    assert history.tables.bad is None
    told = verdict(history, found(history, anomalies), 0)
    return {run["run"]: run["anomalies"] for run in told["runs"]}


@pytest.mark.parametrize(("anomaly", "kind", "name"), named(CASES | INFERRED))
def test_a_history_shows_its_anomaly_and_its_twin_does_not(
    counts: dict[str, dict[str, dict[str, int]]], anomaly: str, kind: str, name: str
) -> None:
    """`broken` histories have definite witnesses, `maybe` ones only possible ones, and `sound` ones none."""
    shown = Counter(counts[f"{anomaly}/{kind}/{name}"].get(anomaly, {}))

    assert (shown["definite"] > 0, kind != "maybe" or shown["possible"] > 0) == (kind == "broken", True), dict(shown)
    assert kind != "sound" or not shown["possible"], dict(shown)


def test_every_anomaly_has_histories_of_both_kinds() -> None:
    """No plan is trusted that was not seen to find and to spare, seven times in all."""
    cases = CASES | INFERRED

    assert set(cases) == {anomaly.name for anomaly in ANOMALIES}
    assert {anomaly for anomaly, kinds in cases.items() if "sound" not in kinds or not kinds.keys() & {"broken", "maybe"}} == set()
    assert {anomaly: count for anomaly, count in Counter(anomaly for anomaly, _, _ in named(cases)).items() if count < AT_LEAST} == {}
