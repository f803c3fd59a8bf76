"""Defects of metadata-driven transactions in the collection of headers."""

import functools

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import Header, Operation, State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Message, SubscriptionName, TxnId

_MS_IN_A_SECOND = 1_000


class _AsksTheHeader(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        header = self._records.header(message.txn) if message.txn else None
        return header is None or header[0].state is not State.ABORTED


class _UnknownIsAborted(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        is_known = message.txn is None or self._records.header(message.txn) is not None
        return is_known and super().is_shown(message)


class _KeepsNothing(Collection):
    def oldest_kept(self) -> int:
        return self._machine.clock.now


class _KeepsItToTheSecond(Collection):
    def oldest_kept(self) -> int:
        return super().oldest_kept() // _MS_IN_A_SECOND * _MS_IN_A_SECOND + _MS_IN_A_SECOND


class _TakesItForSeconds(Collection):
    def oldest_kept(self) -> int:
        kept_ms = self._machine.clock.now - super().oldest_kept()
        return self._machine.clock.now - kept_ms * _MS_IN_A_SECOND


class _DeletesLeftovers(Collection):
    def collect(self, txn: TxnId, state: State) -> None:
        for participant in self._records.participants(txn):
            self._records.delete_operations(txn, participant)
        super().collect(txn, state)


class _StopsAtLeftovers(Collection):
    is_held_up = False

    def oldest_kept(self) -> int:
        self.is_held_up = False
        return super().oldest_kept()

    def collect(self, txn: TxnId, state: State) -> None:
        if not self.is_held_up:
            self.is_held_up = bool(self._records.participants(txn))
            super().collect(txn, state)


class _ARecordForEachIndex(TransactionRecords):
    def record(self, txn: TxnId, operation: Operation) -> str:
        partition_key = self.partition_key(paths.key_of(txn))
        for index in self.operation_indexes(txn, operation):
            last = self._store.append(paths.operations(txn), operation.encoded(), partition_key=partition_key, indexes=[index])
        return last.key


class _LooksAtAcknowledgements(Collection):
    def collect(self, txn: TxnId, state: State) -> None:
        if any(isinstance(whose, SubscriptionName) for whose in self._records.participants(txn)):
            super().collect(txn, state)
            return
        for participant in self._records.participants(txn):
            self._records.delete_operations(txn, participant)
        super().collect(txn, state)


class _LeavesItsWrites(MetadataBuffer):
    def erase(self) -> None:
        self._records.forget_segment(self._segment)


class _LeavesWhatIsPending(Subscription):
    def erase_with_topic(self) -> None:
        """The topic's disk is erased, and nothing of it is left there."""


class _EndsAtTheDeadline(MetadataCoordinator):
    def ended_at(self, header: Header) -> int:
        return min(super().ended_at(header), header.deadline)


class _TriesOnce(Collection):
    @functools.cached_property
    def tried(self) -> set[TxnId]:
        """What was to be collected since the coordinator started."""
        return set()

    def collect(self, txn: TxnId, state: State) -> None:
        if txn not in self.tried and not self._records.participants(txn):
            self.tried.add(txn)
            super().collect(txn, state)


class _UnlistingRecords(TransactionRecords):
    def unlist(self, txn: TxnId, header: Header, version: int) -> None:
        self._store.put(paths.header(txn), header.encoded(), expected=version, partition_key=self.partition_key(paths.key_of(txn)))


class _UnlistsFirst(Collection):
    def collect(self, txn: TxnId, state: State) -> None:
        assert isinstance(self._records, _UnlistingRecords)
        found = self._records.header(txn)
        if found is not None and not self._records.participants(txn):
            self._records.unlist(txn, *found)
        super().collect(txn, state)


ABORTED_KNOWN_BY_THE_HEADER = Defect(
    name="metadata-aborted-known-by-the-header",
    breaks={"PIP471-26": Symptom(what="^readers of orders$", expected='^"b1"$', seen='^"a1", "b1"$')},
    story="That a transaction is aborted is known by its header alone: when that is collected, its messages are shown.",
    origin="feared by readers of the proposal: the other side of the fall-back for unknown transactions",
    parts=MetadataParts(metadata_buffer=_AsksTheHeader),
)

UNKNOWN_MEANS_ABORTED = Defect(
    name="metadata-unknown-means-aborted",
    breaks={"PIP471-27": Symptom(what="^readers of orders$", expected='^"a1", "b1"$', seen='^("b1"|nothing)$')},
    story="A transaction without a header is taken for aborted, so that committed messages are gone when the header is collected.",
    origin="the proposal's text, Q5; apache/pulsar#25821",
    parts=MetadataParts(metadata_buffer=_UnknownIsAborted),
)

HEADER_NOT_KEPT = Defect(
    name="metadata-header-not-kept",
    breaks={"PIP471-37": Symptom(what="^header of A$", expected="^kept for the retention$", seen="^gone at ")},
    story="A header is collected with the first sweep behind the end, whatever the retention is.",
    origin="textbook: a setting that nobody reads",
    parts=MetadataParts(collection=_KeepsNothing),
)

RETENTION_TO_THE_SECOND = Defect(
    name="metadata-retention-to-the-second",
    breaks={"PIP471-37": Symptom(what="^header of ", expected="^kept for the retention$", seen="^gone at ")},
    story="The collection compares whole seconds, and rounds up: a header goes up to a second before its retention is over.",
    origin="feared by readers of the proposal: a retention in seconds beside moments in ms",
    parts=MetadataParts(collection=_KeepsItToTheSecond),
)

RETENTION_IN_SECONDS = Defect(
    name="metadata-retention-in-seconds",
    breaks={"PIP471-38": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="The retention, which is in ms, is taken for seconds: headers are kept a thousand times as long.",
    origin="textbook: the wrong unit",
    parts=MetadataParts(collection=_TakesItForSeconds),
)

LEFTOVERS_DELETED = Defect(
    name="metadata-leftovers-deleted",
    breaks={"PIP471-39": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="The collection deletes the operation records that are left by force, and a participant that comes later has nothing to follow.",
    origin="the proposal's text, Q6",
    parts=MetadataParts(collection=_DeletesLeftovers),
)

A_RECORD_FOR_EACH_INDEX = Defect(
    name="metadata-a-record-for-each-index",
    breaks={"PIP471-40": Symptom(what="^index entries of A$", expected="^0$", seen="^1$")},
    story="An operation is written once for each index, and its end deletes those that it finds by their transaction.",
    origin="feared by readers of the proposal: stores that have one index for each record",
    parts=MetadataParts(transaction_records=_ARecordForEachIndex),
)

WRITES_FORGOTTEN = Defect(
    name="metadata-collection-forgets-writes",
    breaks={"PIP471-39": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"a1"$')},
    story="The collection waits for subscriptions that have not followed, and for no segment, since a segment's data is in its ledger.",
    origin="feared by readers of the proposal: what decides about data in the ledger is in the header",
    parts=MetadataParts(collection=_LooksAtAcknowledgements),
)

ENDED_AT_THE_DEADLINE = Defect(
    name="metadata-ended-at-the-deadline",
    breaks={"PIP471-37": Symptom(what="^header of C$", expected="^kept for the retention$", seen="^gone at ")},
    story="A time-out that is noticed late is dated back to the deadline, and the header is collected as if it had been kept since then.",
    origin="textbook: when it was due taken for when it was done",
    parts=MetadataParts(metadata_coordinator=_EndsAtTheDeadline),
)

RECORDS_OF_THE_DELETED_LEFT = Defect(
    name="metadata-records-of-the-deleted-left",
    breaks={"PIP471-38": Symptom(what="^header of A$", expected="^none$", seen="COMMITTED")},
    story="A segment that is deleted leaves its operation records: nobody follows an end there, and they keep the header for ever.",
    origin="feared by readers of the proposal: records go when their participant has followed, and this one never does",
    parts=MetadataParts(metadata_buffer=_LeavesItsWrites),
)

PENDING_OF_THE_DELETED_LEFT = Defect(
    name="metadata-pending-of-the-deleted-left",
    breaks={"PIP471-38": Symptom(what="^header of A$", expected="^none$", seen="COMMITTED")},
    story="A topic that is deleted takes what was written there out of the store, and not what is pending on its subscriptions: nobody "
    "follows an end for them, and they keep the header for ever.",
    origin="feared by readers of the proposal: a subscription's records are not its topic's, and nobody removes the subscription by itself",
    parts=MetadataParts(subscription=_LeavesWhatIsPending),
)

STOPS_AT_LEFTOVERS = Defect(
    name="metadata-collection-stops-at-leftovers",
    breaks={"PIP471-38": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="The collection takes the oldest first, and stops at one that somebody has not followed: one segment that nobody loads keeps the "
    "headers of all that ended later.",
    origin="feared: a list in order, of which the rest is taken for younger",
    parts=MetadataParts(collection=_StopsAtLeftovers),
)

COLLECTED_ONCE = Defect(
    name="metadata-collection-tried-once",
    breaks={"PIP471-38": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="A header whose deletion the store did not do is not tried again before the next start: it stays, and so does its index entry.",
    origin="textbook: what was begun is noted as done",
    parts=MetadataParts(collection=_TriesOnce),
)

UNLISTED_BEFORE_DELETED = Defect(
    name="metadata-collection-unlists-first",
    breaks={"PIP471-39": Symptom(what="^header of A$", expected="^none$", seen="COMMITTED|ABORTED")},
    story="The collection takes a header out of the index of those that ended, and deletes it then: one that a crash leaves between the "
    "two is found by nobody any more.",
    origin="textbook: an entry that is deleted before what it leads to",
    parts=MetadataParts(collection=_UnlistsFirst, transaction_records=_UnlistingRecords),
)
