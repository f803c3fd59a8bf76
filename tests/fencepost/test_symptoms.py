"""From a violation to its symptom: it shows in the same failure of another run, and in no other failure."""

import pytest

from fencepost.contract.evidence import Mismatch
from fencepost.deviations.symptoms import symptom_of


def refused(seen: str, expected: str = "success with (producer id 1001, epoch 1)", error: str | None = None) -> Mismatch:
    return Mismatch(expected, seen, "answer to EndTxn", error, 90 if error else None)


@pytest.mark.parametrize(
    ("now", "later"),
    [
        ("success with (producer id 1001, epoch 2)", "success with (producer id 77, epoch 2)"),
        (
            "ListOffsets v9 answered 0 results for payments-364c9e-0, expected one",
            "ListOffsets v9 answered 0 results for payments-0baed1-0, expected one",
        ),
        ("127.0.0.1:39559 closed the connection", "broker.example.org:9092 closed the connection"),
        ("correlation id 5 was due; the bytes: 00 ff", "correlation id 612 was due; the bytes: ca fe 00"),
        ("started at 1763812345678", "started at 1763899999999"),
        ("topic_id=UUID('0f55c5ab-2304-256b-324c-a1a4c5f41e5c')", "topic_id=UUID('acbc3c4a-01c8-d19f-0dd1-7824097bfe6a')"),
        ("A is member id fencepost-A-7f3a2b", "A is member id fencepost-A-99c0de"),
        ("TransactionDescription(producer_id=4711, epoch=1)", "TransactionDescription(producer_id=4712, epoch=1)"),
        ("all topics: a-01c8d1-0, b-1dd178, c-a1a4c5-1, d-0f55c5", "all topics: x-01c8d1, a-01c8d1-0, b-1dd178, c-a1a4c5-1, d-0f55c5"),
        ("[::1]:9092 refused; b'\\x00a' was sent", "127.0.0.1:9093 refused; b'zz' was sent"),
        ("no answer within 20.0 s", "no answer within 5.25 s"),
        ("the broker ended. The end of its log:\nWARN one\nWARN two", "the broker ended. The end of its log:\nERROR three"),
        ('"a1", (x|y) [0] $5 a+b? {2} \\ ^', '"a1", (x|y) [0] $5 a+b? {2} \\ ^'),
    ],
)
def test_a_symptom_shows_in_the_same_failure_of_another_run(now: str, later: str) -> None:
    """What differs in each run is left open."""
    assert symptom_of(refused(now)).shows_in(refused(now))
    assert symptom_of(refused(now)).shows_in(refused(later))


@pytest.mark.parametrize(
    ("now", "other"),
    [
        ("success with (producer id 1001, epoch 2)", "success with (producer id 1001, epoch 3)"),
        ("success with (producer id 1001, epoch 2)", "success with (producer id -1, epoch 2)"),
        ("success with (producer id 1001, epoch 2)", "success with (producer id 1001, epoch 2) and more"),
        ("payments-0: ABORT, +2 from the producer's own", "payments-1: ABORT, +2 from the producer's own"),
        ('"a1", "a2"', '"a1"'),
        ("last stable offset 3, high watermark 5", "last stable offset 3, high watermark 4"),
        ("60000 ms", "30000 ms"),
        ("nothing", "a refusal with PRODUCER_FENCED (90)"),
    ],
)
def test_a_symptom_does_not_show_in_another_failure(now: str, other: str) -> None:
    """An epoch, an offset, a count, a value, a partition: each makes a separate failure."""
    assert not symptom_of(refused(now)).shows_in(refused(other))


@pytest.mark.parametrize(
    "other",
    [
        Mismatch("success", "a refusal", "answer to InitProducerId", "PRODUCER_FENCED", 90),
        Mismatch("another", "a refusal", "answer to EndTxn", "PRODUCER_FENCED", 90),
        Mismatch("success", "a refusal", "answer to EndTxn", "PRODUCER_FENCED_TOO", 90),
        Mismatch("success", "a refusal", "answer to EndTxn", "PRODUCER_FENCED", 47),
        Mismatch("success", "a refusal", "answer to EndTxn"),
    ],
)
def test_every_field_of_a_violation_counts(other: Mismatch) -> None:
    """One that differs in the question, in what was due, or in the error is another failure."""
    seen = Mismatch("success", "a refusal", "answer to EndTxn", "PRODUCER_FENCED", 90)

    assert symptom_of(seen).shows_in(seen)
    assert not symptom_of(seen).shows_in(other)
