"""The checklist of arrays and refusals: what counts as asked, and that everything is asked or excluded."""

from pathlib import Path

import pytest
from commands import fencepost

from fencepost.catalogue import checklist

_PARTITIONS = "ListOffsets.answer.topics.partitions"
_REFUSED = "TxnOffsetCommit UNKNOWN_MEMBER_ID"


def _run(folder: Path, only: str, *more: str, expect: int | tuple[int, ...] = 0) -> checklist.Checklist:
    fencepost("run", "--only", only, "--edition", "next", "--no-html", "--results", folder, *more, expect=expect)
    return checklist.of_results([folder])


def test_the_last_of_several_is_asked_where_its_error_alone_differs(tmp_path: Path) -> None:
    """A broker that answers the first error for all entries leaves the array uncovered, with the same requests."""
    conforming = _run(tmp_path / "conforming", "KIP890-410")
    broken = _run(tmp_path / "broken", "KIP890-410", "--defect", "first-error-for-all", expect=1)

    assert conforming.arrays[_PARTITIONS]
    assert not broken.arrays[_PARTITIONS]
    assert broken.arrays["ListOffsets.request.topics.partitions"]


def test_a_refusal_is_asked_while_its_transaction_has_data(tmp_path: Path) -> None:
    """The same refusal without an open transaction does not count."""
    assert _run(tmp_path / "open", "KIP890-411").refusals[_REFUSED]
    assert _run(tmp_path / "idle", "KIP890-055").refusals[_REFUSED] == set()


def test_exchanges_of_other_protocols_are_left_out(tmp_path: Path) -> None:
    """A row of the core that is asked of Kafka and of Pulsar counts for Kafka."""
    arrays = _run(tmp_path, "CORE-01").arrays

    assert arrays
    assert all("-kafka" in play for plays in arrays.values() for play in plays)


def test_each_item_is_covered_or_excluded_and_no_exclusion_is_needless() -> None:
    """All three faults are named."""
    asked = checklist.Checklist({"A.answer.some": {"a play"}, "B.answer.some": set()}, {"C SOME_ERROR": set()})

    problems = asked.problems({"A.answer.some": "covered", "C SOME_ERROR": "uncovered", "D.answer.some": "unknown"})

    assert [line.partition(":")[0] for line in problems] == ["B.answer.some", "A.answer.some", "D.answer.some"]


@pytest.mark.thorough
def test_every_array_and_refusal_of_kafka_is_asked_or_excluded(tmp_path: Path) -> None:
    """In a run of everything on the reference; `fixtures/checklist.yaml` has the reasons."""
    fencepost("run", "--spec", "kip890", "--spec", "core", "--no-html", "--results", tmp_path / "all", expect=0)

    assert checklist.of_results([tmp_path / "all"]).problems(checklist.reasons()) == []
