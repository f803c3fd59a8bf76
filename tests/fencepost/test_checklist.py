"""The checklist of arrays and refusals: what counts as asked, and that everything is asked or excluded."""

from pathlib import Path

import pytest
from commands import fencepost

from fencepost.adapters.pulsar.kept_exchanges import PROTOCOLS
from fencepost.catalogue import checklist

_PARTITIONS = "ListOffsets.answer.topics.partitions"
_REFUSED = "TxnOffsetCommit UNKNOWN_MEMBER_ID"
_REDELIVERED = "REDELIVER_UNACKNOWLEDGED_MESSAGES.message_ids"


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


def test_the_last_of_a_list_of_pulsar_is_asked_where_it_alone_was_named_before(tmp_path: Path) -> None:
    """A redelivery of a pending message and another one covers the list; one of everything, or of one message, does not."""
    both = _run(tmp_path / "both", "PIP31-62")
    everything = _run(tmp_path / "everything", "PIP31-54")

    assert both.arrays[_REDELIVERED]
    assert everything.arrays[_REDELIVERED] == set()


def test_a_refusal_of_pulsar_is_asked_while_its_transaction_has_data(tmp_path: Path) -> None:
    """A second consumer is refused while an acknowledgement is pending, and a removal without a transaction does not count."""
    assert _run(tmp_path / "open", "PIP31-138").refusals["SUBSCRIBE ConsumerBusy"]
    assert _run(tmp_path / "idle", "PIP31-145").refusals["PUT /admin/v2/persistent/public/*/*/partitions 409"] == set()


def test_the_exchanges_of_each_protocol_are_counted_apart(tmp_path: Path) -> None:
    """A row of the core is asked of all protocols, and segments have other names than classic topics."""
    fencepost("run", "--only", "CORE-01", "--no-html", "--results", tmp_path, expect=0)
    kafka, classic, scalable = (checklist.of_results([tmp_path], [protocol]) for protocol in ("kafka", *PROTOCOLS))

    assert all("-kafka" in play for plays in kafka.arrays.values() for play in plays)
    assert "Produce.request.topic_data" in kafka.arrays
    assert "MESSAGE.messages" in classic.arrays
    assert "scalable MESSAGE.messages" in scalable.arrays
    assert not kafka.arrays.keys() & classic.arrays.keys()
    assert not classic.arrays.keys() & scalable.arrays.keys()


def test_each_item_is_covered_or_excluded_and_no_exclusion_is_needless() -> None:
    """All three faults are named."""
    asked = checklist.Checklist({"A.answer.some": {"a play"}, "B.answer.some": set()}, {"C SOME_ERROR": set()})

    problems = asked.problems({"A.answer.some": "covered", "C SOME_ERROR": "uncovered", "D.answer.some": "unknown"})

    assert [line.partition(":")[0] for line in problems] == ["B.answer.some", "A.answer.some", "D.answer.some"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("protocols", "proposals"), [(("kafka",), ("kip890",)), (PROTOCOLS, ("pip31", "pip460", "pip471", "transaction_key"))]
)
def test_every_array_and_refusal_is_asked_or_excluded(protocols: tuple[str, ...], proposals: tuple[str, ...], tmp_path: Path) -> None:
    """In a run of everything on the reference; `fixtures/checklist.yaml` has the reasons."""
    specs = [option for proposal in ("core", *proposals) for option in ("--spec", proposal)]
    fencepost("run", *specs, "--no-html", "--results", tmp_path / "all", expect=0)

    assert checklist.of_results([tmp_path / "all"], protocols).problems(checklist.reasons(protocols)) == []
