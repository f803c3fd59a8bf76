"""Each law is seen to find and to spare, in process and without Spark: the small histories of the anomalies."""

from collections import Counter

import pytest
from check_cases import Case, cases
from check_histories import events

from fencepost.pipeline.laws.judge import judge
from fencepost.pipeline.laws.laws import LAWS

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.run)
def test_a_history_breaks_its_law_and_its_twin_does_not(case: Case) -> None:
    """`broken` histories have a definite witness, `maybe` ones witnesses that are possible, and `sound` ones none."""
    found = judge(events(case.text, case.run), case.infer, case.infer).get(case.anomaly, [])

    kind = "sound" if not found else "broken" if any(one.definite for one in found) else "maybe"
    assert kind == case.kind, found


def test_every_law_has_histories_of_both_kinds() -> None:
    """Each is seen to find and to spare."""
    kinds = Counter((case.anomaly, case.kind == "sound") for case in CASES)

    assert {anomaly for anomaly, _ in kinds} == {law.anomaly for law in LAWS}
    assert [law.anomaly for law in LAWS if not kinds[law.anomaly, True] or not kinds[law.anomaly, False]] == []


def test_a_witness_says_whose_it_is() -> None:
    """The run and its operations, which are operations of the history."""
    broken = [case for case in CASES if case.kind == "broken"]

    for case in broken:
        reported = events(case.text, case.run)
        for one in (one for found in judge(reported, case.infer, case.infer).values() for one in found):
            assert one.run == case.run
            assert set(one.ops) <= {event["op_id"] for event in reported}


def test_histories_judged_together_show_what_each_shows_alone() -> None:
    """Whatever laws join has a run, or a log, which is of one run."""
    alone = Counter((name, one) for case in CASES for name, found in judge(events(case.text, case.run)).items() for one in found)

    together = judge(event for case in CASES for event in events(case.text, case.run))

    assert Counter((name, one) for name, found in together.items() for one in found) == alone


def test_what_is_no_number_is_missing() -> None:
    """Whoever records a history says in `ctl` what he likes, and the rest of the history is judged."""
    odd = "ctl ok create children=g0:0-{0} epoch={0}\np0 ok init_txn tid=a producer_id={0} producer_epoch={0} key_epoch={0}\n"
    broken = "p1 ok poll x>never@0"

    for said in ("many", "1.5", "9" * 30, "-", "٣"):
        assert list(judge(events(odd.format(said) + broken, "odd"), True, True)) == ["phantom-read"], said
