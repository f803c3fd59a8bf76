"""Every anomaly is found where it is, and nowhere else: small histories, judged all at once.

`check_cases/` has a file for each family of anomalies. For each anomaly it has histories in the notation of check_histories.py that show
it for certain (`broken`), that may show it (`maybe`), and that are conforming and look alike (`sound`). Every one is a run of its own. The
same check has other histories as well, and all of them are judged in process too.
"""

from collections import Counter
from pathlib import Path

import pytest
from both_ways import EXPLAINED, Shown, cases_and_few, cases_and_few_in_process, on_spark, unexplained
from check_cases import Case, cases
from check_histories import write
from pyspark.sql import SparkSession
from sorted_tables import sorted_tables

from fencepost.pipeline.anomalies import ANOMALIES
from fencepost.pipeline.derived import HistoryTables
from fencepost.pipeline.ingest import files
from fencepost.pipeline.verdicts import found, together
from fencepost.pipeline.witnesses import ranked
from fencepost.pipeline.witnesses import shown as shown_of

CASES = cases()
AT_LEAST = 7

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


@pytest.fixture(scope="module")
def shown(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Shown]:
    """What was found in all histories, without inferred edges and with them: all of them are runs of one check."""
    return on_spark(spark, cases_and_few(), tmp_path_factory.mktemp("cases"))


@pytest.fixture(scope="module")
def counts(shown: dict[bool, Shown]) -> Counter[tuple[bool, str, str, bool]]:
    """How many witnesses there are, definite or not, of each anomaly in each run."""
    found: Counter[tuple[bool, str, str, bool]] = Counter()
    for infer, witnesses in shown.items():
        for (anomaly, one), count in witnesses.items():
            found[infer, one.run, anomaly, one.definite] += count
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.run)
def test_a_history_shows_its_anomaly_and_its_twin_does_not(counts: Counter[tuple[bool, str, str, bool]], case: Case) -> None:
    """`broken` histories have definite witnesses, `maybe` ones only possible ones, and `sound` ones none."""
    definite, possible = (counts[case.infer, case.run, case.anomaly, sure] for sure in (True, False))

    assert (definite > 0, case.kind != "maybe" or possible > 0) == (case.kind == "broken", True), (definite, possible)
    assert case.kind != "sound" or not possible, possible


def test_the_laws_find_what_the_plans_find(shown: dict[bool, Shown]) -> None:
    """Run, log, values, offsets, operations, whether it is definite, and the words; and nothing is explained that is not there."""
    reported = cases_and_few()
    seen: set[str] = set()

    differences = [line for infer in (False, True) for line in unexplained(cases_and_few_in_process(infer), shown[infer], reported, seen)]

    assert differences == []
    assert seen == set(EXPLAINED)


def test_witnesses_that_name_no_value_have_stories(spark: SparkSession, tmp_path: Path) -> None:
    """A commit moves no record, and is told with what fenced it."""
    reported = "p0 ok init_txn tid=a e=0\np9 ok init_txn tid=a e=1\np0 ok commit tx=A tid=a key_epoch=0\n"
    write(reported, "only a commit", tmp_path / "in")
    tables = sorted_tables(spark, files.find([tmp_path / "in"]), tmp_path / "out")
    rows = ranked(together(found(HistoryTables(tables), ANOMALIES)), 1).collect()

    stories = shown_of(rows, tables)

    assert [(one.anomaly.name, [act.f for act in one.acts]) for one in stories] == [("zombie-write", ["init_txn", "commit"])]


def test_every_anomaly_has_histories_of_both_kinds() -> None:
    """No plan is trusted that was not seen to find and to spare, seven times in all."""
    sound, others = ({case.anomaly for case in CASES if (case.kind == "sound") == wanted} for wanted in (True, False))

    assert sound == others == {anomaly.name for anomaly in ANOMALIES}
    assert {anomaly: count for anomaly, count in Counter(case.anomaly for case in CASES).items() if count < AT_LEAST} == {}
