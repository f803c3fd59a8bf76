"""Defects in what readers of committed data are told and handed."""

from dataclasses import replace
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, Entry, Isolation, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.response_order import ResponseOrder
from fencepost.wire.kafka.batches import Batch, MarkerType
from fencepost.wire.kafka.entities import api_of


class _ListsWhatBeganInTheRange(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        return tuple(entry for entry in super().aborted_in(first, upper) if entry.first_offset >= first)


class _KeepsMarkersToItself(PartitionLog):
    def is_handed_out(self, entry: Entry, isolation: Isolation) -> bool:
        return isolation is Isolation.READ_UNCOMMITTED or not entry.batch.control


class _FindsUndecidedRecords(PartitionLog):
    def offset_at(self, timestamp: int, isolation: Isolation) -> tuple[int, int] | None:  # noqa: ARG002 - that is the defect
        return super().offset_at(timestamp, Isolation.READ_UNCOMMITTED)


class _ACommitDecidesAll(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        last = self.entries(self.end_offset - 1)[-1:]
        if last and last[0].batch.marker is not None and last[0].batch.marker.type is MarkerType.COMMIT:
            return None
        return super().first_unstable_offset()


ABORTED_BEFORE_THE_RANGE_NOT_LISTED = Defect(
    name="aborted-before-the-range-not-listed",
    breaks={"KIP890-139": Symptom(what="aborted transactions of payments-0", seen="^none$")},
    story="The list has the aborted transactions that begin in the range, and lacks those that reach into it.",
    origin="redpanda-data/redpanda#7043: where data and its index came from different places, aborted transactions were not listed",
    parts=Parts(partition_log=_ListsWhatBeganInTheRange),
)

MARKERS_KEPT_FROM_READERS = Defect(
    name="markers-kept-from-readers",
    breaks={"KIP890-140": Symptom(what="^records that readers", expected='^"a2"', seen="^nothing")},
    story="Readers of committed data are not given the markers, so they drop what comes behind an aborted transaction with it.",
    origin="textbook: control records taken for something of the broker's own",
    parts=Parts(partition_log=_KeepsMarkersToItself),
)

LOOK_UP_FINDS_UNDECIDED = Defect(
    name="look-up-finds-undecided",
    breaks={"KIP890-143": Symptom(seen="^offset 0")},
    story="A look-up by time has no regard to the isolation level.",
    origin="KAFKA-5522: the isolation level was used for the latest offset only",
    parts=Parts(partition_log=_FindsUndecidedRecords),
)

A_COMMIT_DECIDES_ALL = Defect(
    name="a-commit-decides-all",
    breaks={"KIP890-144": Symptom(expected=r"go on from \['a1', 'b1'\]")},
    story="A commit shows everything before it, open transactions too, which disappears again when they are aborted.",
    origin="textbook: the last stable offset follows the last commit",
    parts=Parts(partition_log=_ACommitDecidesAll),
)


class _BeginsAtTheOldestBatch(ProducerStates):
    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        state = self._states[batch.producer_id]
        if batch.transactional and batch.marker is None and (before is None or not before.has_open_transaction):
            self._states[batch.producer_id] = replace(state, transaction_start=state.batches[0].base_offset)
        return before


SECOND_BEGINS_AT_THE_FIRST = Defect(
    name="second-begins-at-the-first",
    breaks={
        "KIP890-139": Symptom(what="readers of payments-0", expected='^"a1"$', seen="^nothing"),
        "KIP890-137": Symptom(what="readers of payments-0", expected='^"a1"$', seen="^nothing"),
    },
    story="A transaction is said to begin at the oldest batch that is remembered of its epoch. The second one of an old client takes the"
    " committed first with it: an abort hides both.",
    origin="textbook: one list for two questions",
    parts=Parts(producer_states=_BeginsAtTheOldestBatch),
)


class _ListsForTheFirstPartition(ResponseOrder):
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


class _OneListForAll(ResponseOrder):
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


_OF_TWO = Symptom(what="by a Fetch of two partitions", expected="^nothing", seen='^"')

LIST_FOR_THE_FIRST_PARTITION = Defect(
    name="list-for-the-first-partition",
    breaks={"KIP890-140": _OF_TWO},
    story="The answer to a Fetch lists aborted transactions for its first partition; of the others, readers are handed what was aborted.",
    origin="textbook: tried with one partition at a time, as tests do and consumers do not",
    parts=Parts(response_order=_ListsForTheFirstPartition),
)

ONE_LIST_FOR_ALL_PARTITIONS = Defect(
    name="one-list-for-all-partitions",
    breaks={"KIP890-140": _OF_TWO},
    story="The list of aborted transactions is made once for a Fetch, though a transaction begins at another offset in each partition.",
    origin="textbook: a loop's variable that outlives its turn",
    parts=Parts(response_order=_OneListForAll),
)


class _ListsOneOfEachProducer(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        listed: dict[int, AbortedTransaction] = {}
        for entry in super().aborted_in(first, upper):
            listed.setdefault(entry.producer_id, entry)
        return tuple(listed.values())


ONE_ABORT_LISTED_FOR_EACH_PRODUCER = Defect(
    name="one-abort-listed-for-each-producer",
    breaks={
        "KIP890-139": Symptom(what="aborted transactions of payments-0", seen=r"^producer id \d+ from offset 0$"),
        "KIP890-140": Symptom(what="^records that readers", expected='^"a2"$', seen='^"a2", "a3"'),
    },
    story="The list has one aborted transaction of each producer id, and what the producer aborted later in the same range is handed over.",
    origin="textbook: a list that is kept by producer id",
    parts=Parts(partition_log=_ListsOneOfEachProducer),
)


class _ReadsWhileThereIsTime(Dialect):
    def may_have_records(self, max_wait_ms: int) -> bool:
        return max_wait_ms > 0


NOTHING_WITHOUT_A_WAIT = Defect(
    name="nothing-without-a-wait",
    breaks={"KIP890-420": Symptom(what="max wait of 0", seen="^nothing$")},
    story="A Fetch reads while there is time left, so one with a max wait of 0 reads nothing.",
    origin="seen in a broker in Rust: the reading loop ended before its first round",
    parts=Parts(dialect=_ReadsWhileThereIsTime),
)
