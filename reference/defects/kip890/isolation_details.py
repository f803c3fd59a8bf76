"""Defects in what readers of committed data are answered and receive."""

from dataclasses import replace
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.partition_log import AbortedTxn, LogEntry, PartitionLog, ReadIsolation
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.response_order import ResponseOrder
from fencepost.wire.kafka.batches import Batch, MarkerType
from fencepost.wire.kafka.entities import api_of

_AT_A_TIME = 10
_FLEXIBLE = 12


@defect(
    {"KIP890-139": seen("^none$", what="aborted transactions of payments-0")},
    origin="redpanda-data/redpanda#7043: where data and its index came from different places, aborted transactions were not listed",
)
class AbortedBeforeTheRangeNotListed(PartitionLog):
    """The list has the aborted transactions that begin in the range, and lacks those that reach into it."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return tuple(entry for entry in super().aborted_in(first, upper) if entry.first_offset >= first)


@defect(
    {"KIP890-140": seen("^nothing", expected='^"a2"', what="^records that readers")},
    origin="textbook: control records are treated as internal records of the broker",
)
class MarkersKeptFromReaders(PartitionLog):
    """Readers of committed data do not receive the markers, so they also drop what comes after an aborted transaction."""

    def is_handed_out(self, entry: LogEntry, isolation: ReadIsolation) -> bool:
        return isolation is ReadIsolation.READ_UNCOMMITTED or not entry.batch.control


@defect({"KIP890-143": seen("^offset 0")}, origin="KAFKA-5522: the isolation level was used for the latest offset only")
class LookUpFindsUndecided(PartitionLog):
    """A look-up by time has no regard to the isolation level."""

    def offset_at(self, timestamp: int, isolation: ReadIsolation) -> tuple[int, int] | None:  # noqa: ARG002 - that is the defect
        return super().offset_at(timestamp, ReadIsolation.READ_UNCOMMITTED)


@defect({"KIP890-144": expected(r"go on from \['a1', 'b1'\]")}, origin="textbook: the last stable offset follows the last commit")
class ACommitDecidesAll(PartitionLog):
    """A commit shows everything before it, open transactions too, which disappears again when they are aborted."""

    def first_unstable_offset(self) -> int | None:
        last = self.entries(self.end_offset - 1)[-1:]
        if last and last[0].batch.marker is not None and last[0].batch.marker.type is MarkerType.COMMIT:
            return None
        return super().first_unstable_offset()


@defect(
    {
        "KIP890-139": seen("^nothing", expected='^"a1"$', what="readers of payments-0"),
        "KIP890-137": seen("^nothing", expected='^"a1"$', what="readers of payments-0"),
    },
    origin="textbook: one list for two questions",
)
class SecondBeginsAtTheFirst(ProducerStates):
    """A transaction begins at the oldest batch that is remembered of its epoch. The second transaction of an old client then includes the
    committed first one: an abort hides both.
    """

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        state = self._states[batch.producer_id]
        if batch.transactional and batch.marker is None and (before is None or not before.has_open_transaction):
            self._states[batch.producer_id] = replace(state, transaction_start=state.batches[0].base_offset)
        return before


_OF_TWO = Symptom(what="by a Fetch of two partitions", expected="^nothing", seen='^"')


@defect({"KIP890-140": _OF_TWO}, origin="textbook: tried with one partition at a time, as tests do and consumers do not")
class ListForTheFirstPartition(ResponseOrder):
    """The answer to a Fetch lists aborted transactions for its first partition only; from the others readers receive what was aborted."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        if api_of(answer) != "fetch":
            return answer
        topics: tuple[Any, ...] = getattr(answer, "responses", ())
        first = next((partition for topic in topics for partition in topic.partitions), None)
        listed = [
            replace(topic, partitions=tuple(one if one is first else replace(one, aborted_transactions=()) for one in topic.partitions))
            for topic in topics
        ]
        return replace(answer, responses=tuple(listed))


@defect({"KIP890-140": _OF_TWO}, origin="textbook: a loop's variable that outlives its turn")
class OneListForAllPartitions(ResponseOrder):
    """The list of aborted transactions is made once for a Fetch, though a transaction begins at another offset in each partition."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        if api_of(answer) != "fetch":
            return answer
        topics: tuple[Any, ...] = getattr(answer, "responses", ())
        lists = [one.aborted_transactions for topic in topics for one in topic.partitions if one.aborted_transactions]
        listed = [
            replace(topic, partitions=tuple(replace(one, aborted_transactions=lists[0] if lists else ()) for one in topic.partitions))
            for topic in topics
        ]
        return replace(answer, responses=tuple(listed))


@defect(
    {
        "KIP890-139": seen(r"^producer id \d+ from offset 0$", what="aborted transactions of payments-0"),
        "KIP890-140": seen('^"a2", "a3"', expected='^"a2"$', what="^records that readers"),
    },
    origin="textbook: a list that is kept by producer id",
)
class OneAbortListedForEachProducer(PartitionLog):
    """The list has one aborted transaction of each producer id, and what the producer aborted later in the same range is handed over."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        listed: dict[int, AbortedTxn] = {}
        for entry in super().aborted_in(first, upper):
            listed.setdefault(entry.producer_id, entry)
        return tuple(listed.values())


@defect(
    {"KIP890-420": seen("^nothing$", what="max wait of 0")},
    origin="seen in a broker in Rust: the reading loop ended before its first round",
)
class NothingWithoutAWait(Dialect):
    """A Fetch reads while there is time left, so one with a max wait of 0 reads nothing."""

    def may_have_records(self, max_wait_ms: int) -> bool:
        return max_wait_ms > 0


@defect(
    {"KIP890-139": seen('"again"', expected='^"p1"$', what="^records that readers of payments-0 see")},
    origin="textbook: a page of a list is treated as the list",
)
class AbortedListedUpToALimit(PartitionLog):
    """A Fetch lists the first ten aborted transactions of its range, and readers receive the records of the others."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return super().aborted_in(first, upper)[:_AT_A_TIME]


@defect(
    {"KIP890-139": expected("^nothing$", what="readers of payments-0"), "CORE-09": expected("^nothing$", what="readers of orders")},
    origin="textbook: an index of ranges that supposes that they do not overlap",
)
class OverlappingAbortNotListed(PartitionLog):
    """If two aborted transactions overlap, a partition lists only the one that ended first and hands out the records of the other."""

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        aborted = super().aborted_by(marker, before)
        overlap = aborted is not None and any(other.last_offset > aborted.first_offset for other in self._aborted)
        return None if overlap else aborted


@defect(
    {"KIP890-139": seen('^"a1"', expected="^nothing", what="readers of payments-0")},
    origin="red team: a field that is written from the first flexible version on, and was there before",
)
class AbortedNotListedInOldVersions(ResponseOrder):
    """The answers to Fetch before v12 have no list of aborted transactions, so their readers receive aborted records."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        if api_of(answer) != "fetch" or answer.__version__ >= _FLEXIBLE:
            return answer
        topics: tuple[Any, ...] = getattr(answer, "responses", ())
        listed = [replace(topic, partitions=tuple(replace(one, aborted_transactions=None) for one in topic.partitions)) for topic in topics]
        return replace(answer, responses=tuple(listed))
