"""A history in parts shows what it shows as a whole, witness by witness: each law reads no more of other logs than moves to it."""

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from both_ways import CYCLES, SEED, cases_and_few, cases_and_few_in_process, in_process
from changed_histories import changed, other_order
from check_cases import cases
from check_histories import events
from in_parts import in_parts
from jepsen_histories import MORE, jepsen_histories

if TYPE_CHECKING:
    from both_ways import Histories, Shown

FEW, MANY = 3, 40
MANY_CHANGED = 700
SPANNING = {
    "torn-commit": "p1 ok assign x y\np0 ok send x<a@0 tx=T\np0 ok send y<b@0 tx=T\np0 ok commit tx=T\np0 ok send y<c@1\n"
    "p1 ok poll x>a@0 y>c@1\np1 ok final_read",
    "G1c": "p0 invoke txn x<a y>b@0\np1 invoke txn y<b x>a@0\np0 ok txn x<a@0 y>b@0\np1 ok txn y<b@0 x>a@0",
}
"""Histories that no log shows alone."""


def differences(reported: "Histories", buckets: int, infer: bool = False, whole: "Shown | None" = None) -> "tuple[Shown, Shown]":
    """What only whole histories show (`whole`, where it is known), and what only their parts."""
    whole, found = in_process(reported, infer) if whole is None else whole, in_parts(reported, buckets, infer)
    apart = Counter({one: count for one, count in found.items() if not infer or one[0] in CYCLES})
    return whole - apart, apart - whole


@pytest.mark.parametrize("seed", range(20))
def test_events_that_change_places_name_their_operations_by_the_new_ones(seed: int) -> None:
    """Otherwise a reader calls the history broken, and nothing in it is judged."""
    reported = events("p0 ok send x<a@0 tx=T\np0 ok commit tx=T\np1 ok poll x>a@0", "three")
    other_order(random.Random(seed), reported)

    for one in reported:
        assert one["type"] != "invoke" or one["op_id"] == one["idx"]
        assert sum(other["op_id"] == one["op_id"] for other in reported) == 2


@pytest.mark.parametrize("buckets", [1, FEW, MANY])
@pytest.mark.parametrize("infer", [False, True])
def test_parts_show_what_the_whole_shows(buckets: int, infer: bool) -> None:
    """All small histories, some of Jepsen's, and changed ones, with one task for all logs, or for few."""
    assert differences(cases_and_few(), buckets, infer, cases_and_few_in_process(infer)) == (Counter(), Counter())


@pytest.mark.parametrize("anomaly", SPANNING)
def test_what_no_log_shows_alone_is_found(anomaly: str) -> None:
    """The facts of both logs come together, where each has a separate task."""
    reported = {anomaly: events(SPANNING[anomaly], anomaly)}

    assert anomaly in {name for name, _ in in_process(reported)}
    assert differences(reported, 10**6) == (Counter(), Counter())


@pytest.mark.parametrize("anomaly", ["torn-offset-commit", "stranded-write", "fractured-read", "parent-after-child", "key-reorder"])
def test_small_histories_of_laws_that_span_logs_show_the_same_log_by_log(anomaly: str) -> None:
    """Also where a log has what asks, and nothing that belongs to it."""
    reported = {case.run: events(case.text, case.run) for case in cases() if case.anomaly == anomaly}

    assert differences(reported, 10**6) == (Counter(), Counter())


@pytest.mark.thorough
@pytest.mark.parametrize("infer", [False, True])
def test_parts_of_one_log_show_what_the_whole_shows(infer: bool) -> None:
    """The same, where each log of hundreds of changed histories is a part."""
    reported = changed(cases_and_few(), MANY_CHANGED, SEED) | jepsen_histories(MORE)

    assert differences(reported, 10**6, infer) == (Counter(), Counter())
