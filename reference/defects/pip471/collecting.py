"""Defects of metadata-driven transactions in the collection of headers."""

import functools

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import Header, HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.pulsar_types import Message, SubscriptionName, TxnId
from fencepost.reference.pulsar.subscription import Subscription

_MS_IN_A_SECOND = 1_000


@defect(
    {"PIP471-26": seen('^"a1", "b1"$', expected='^"b1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: the other side of the fall-back for unknown transactions",
)
class MetadataAbortedKnownByTheHeader(MetadataBuffer):
    """That a transaction is aborted is known by its header alone: when that is collected, its messages are shown."""

    def is_shown(self, message: Message) -> bool:
        header = self._records.header(message.txn) if message.txn else None
        return header is None or header[0].state is not HeaderState.ABORTED


@defect(
    {"PIP471-27": seen('^("b1"|nothing)$', expected='^"a1", "b1"$', what="^readers of orders$")},
    origin="the proposal's text, Q5; apache/pulsar#25821",
)
class MetadataUnknownMeansAborted(MetadataBuffer):
    """A transaction without a header is treated as aborted, so that committed messages are gone when the header is collected."""

    def is_shown(self, message: Message) -> bool:
        is_known = message.txn is None or self._records.header(message.txn) is not None
        return is_known and super().is_shown(message)


@defect(
    {"PIP471-37": seen("^gone at ", expected="^kept for the retention$", what="^header of A$")},
    origin="textbook: a setting that no code reads",
)
class MetadataHeaderNotKept(Collection):
    """The first sweep after the end collects a header, whatever the retention is."""

    def oldest_kept(self) -> int:
        return self._machine.clock.now


@defect(
    {"PIP471-37": seen("^gone at ", expected="^kept for the retention$", what="^header of ")},
    origin="feared by readers of the proposal: a retention in seconds compared with times in ms",
)
class MetadataRetentionToTheSecond(Collection):
    """The collection compares whole seconds, and rounds up: a header is deleted up to a second before its retention is over."""

    def oldest_kept(self) -> int:
        return super().oldest_kept() // _MS_IN_A_SECOND * _MS_IN_A_SECOND + _MS_IN_A_SECOND


@defect({"PIP471-38": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")}, origin="textbook: the wrong unit")
class MetadataRetentionInSeconds(Collection):
    """The retention, which is in ms, is taken for seconds: headers are kept a thousand times as long."""

    def oldest_kept(self) -> int:
        kept_ms = self._machine.clock.now - super().oldest_kept()
        return self._machine.clock.now - kept_ms * _MS_IN_A_SECOND


@defect({"PIP471-39": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")}, origin="the proposal's text, Q6")
class MetadataLeftoversDeleted(Collection):
    """The collection deletes the operation records that are left by force, and a participant that comes later has nothing to follow."""

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        for participant in self._records.participants(txn):
            self._records.delete_operations(txn, participant)
        super().collect(txn, state)


@defect(
    {"PIP471-38": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="feared: a list in order, of which the rest is treated as younger",
)
class MetadataCollectionStopsAtLeftovers(Collection):
    """The collection begins with the oldest header and stops at one that a participant has not applied: one segment that is never
    loaded keeps the headers of all transactions that ended later."""

    is_held_up = False

    def oldest_kept(self) -> int:
        self.is_held_up = False
        return super().oldest_kept()

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        if not self.is_held_up:
            self.is_held_up = bool(self._records.participants(txn))
            super().collect(txn, state)


@defect(
    {"PIP471-40": seen("^1$", expected="^0$", what="^index entries of A$")},
    origin="feared by readers of the proposal: stores that have one index for each record",
)
class MetadataARecordForEachIndex(TransactionRecords):
    """An operation is written once for each index, and its end deletes those that it finds by their transaction."""

    def record(self, txn: TxnId, operation: OperationRecord) -> str:
        partition_key = self.partition_key(paths.key_of(txn))
        for index in self.operation_indexes(txn, operation):
            last = self._store.append(paths.operations(txn), operation.encoded(), partition_key=partition_key, indexes=[index])
        return last.key


@defect(
    {"PIP471-39": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")},
    origin="feared by readers of the proposal: what decides about data in the ledger is in the header",
)
class MetadataCollectionForgetsWrites(Collection):
    """The collection waits for subscriptions that have not followed, and for no segment, since a segment's data is in its ledger."""

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        if any(isinstance(whose, SubscriptionName) for whose in self._records.participants(txn)):
            super().collect(txn, state)
            return
        for participant in self._records.participants(txn):
            self._records.delete_operations(txn, participant)
        super().collect(txn, state)


@defect(
    {"PIP471-38": seen("COMMITTED", expected="^none$", what="^header of A$")},
    origin="feared by readers of the proposal: records go when their participant has followed, and this one never does",
)
class MetadataRecordsOfTheDeletedLeft(MetadataBuffer):
    """A deleted segment leaves its operation records: no end is applied there, so the records keep the header for ever."""

    def erase(self) -> None:
        self._records.forget_segment(self._segment)


@defect(
    {"PIP471-38": seen("COMMITTED", expected="^none$", what="^header of A$")},
    origin="feared by readers of the proposal: a subscription's records are not its topic's, and no code removes the subscription alone",
    of=MetadataParts,
)
class MetadataPendingOfTheDeletedLeft(Subscription):
    """Deleting a topic removes the records of its messages from the store, and not those pending on its subscriptions: no end is
    applied for them, so they keep the header for ever."""

    def erase_with_topic(self) -> None:
        """The topic's disk is erased, and nothing of it is left there."""


@defect(
    {"PIP471-37": seen("^gone at ", expected="^kept for the retention$", what="^header of C$")},
    origin="textbook: the due time is treated as the time when it was done",
)
class MetadataEndedAtTheDeadline(MetadataCoordinator):
    """A timeout that is noticed late is dated back to the deadline, and the header is collected as if it had been kept since then."""

    def ended_at(self, header: Header) -> int:
        return min(super().ended_at(header), header.deadline)


@defect(
    {"PIP471-38": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")}, origin="textbook: what was begun is noted as done"
)
class MetadataCollectionTriedOnce(Collection):
    """A header whose deletion failed is not tried again before the next start: it stays, and so does its index entry."""

    @functools.cached_property
    def tried(self) -> set[TxnId]:
        """The headers whose deletion was tried since the coordinator started."""
        return set()

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        if txn not in self.tried and not self._records.participants(txn):
            self.tried.add(txn)
            super().collect(txn, state)


class _UnlistingRecords(TransactionRecords):
    def unlist(self, txn: TxnId, header: Header, version: int) -> None:
        self._store.put(paths.header(txn), header.encoded(), expected=version, partition_key=self.partition_key(paths.key_of(txn)))


@defect(
    {"PIP471-39": seen("COMMITTED|ABORTED", expected="^none$", what="^header of A$")},
    origin="textbook: an entry that is deleted before what it leads to",
    also=[_UnlistingRecords],
)
class MetadataCollectionUnlistsFirst(Collection):
    """The collection removes a header from the index of ended transactions before it deletes it: a header that a crash leaves in
    between is never found again."""

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        assert isinstance(self._records, _UnlistingRecords)
        found = self._records.header(txn)
        if found is not None and not self._records.participants(txn):
            self._records.unlist(txn, *found)
        super().collect(txn, state)


@defect(
    {"PIP471-39": seen("^nothing$", expected='^"a2"$', what="^readers of payments$")},
    origin="red team: the first participant that has applied an end speaks for all",
)
class MetadataOneParticipantIsEnough(Collection):
    """The collection deletes a header as soon as the participant of the first operation has applied the end: the others treat a missing
    header as an abort.
    """

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        found = self._records.header(txn)
        left = [int(record.key.rpartition("-")[2]) for record in self._records.records_of(txn)]
        if found is not None and left and min(left) > 1:
            self._records.delete_header(txn, found[1])
        else:
            super().collect(txn, state)


@defect(
    {"PIP471-38": seen("OPEN|COMMITTED", expected="^none$", what="^header of B$")},
    origin="red team: a loop over what is open that ends with the first",
)
class MetadataDeletedSegmentForgetsOne(MetadataBuffer):
    """The deletion of a segment deletes the operation records of the first transaction that is open there, and leaves those of others."""

    def erase(self) -> None:
        self._waiting = set(sorted(self._waiting)[:1])
        super().erase()


@defect(
    {"PIP471-38": seen("OPEN|COMMITTED", expected="^none$", what="^header of B$")},
    origin="red team: a loop over what is pending that ends with the first",
)
class MetadataRemovedSubscriptionForgetsOne(PendingAckRecords):
    """The removal of a subscription deletes the operation records of the first transaction that has acknowledged there, and leaves those
    of others."""

    reached = slice(1)

    def erase(self) -> None:
        self._waiting = set(sorted(self._waiting)[self.reached])
        super().erase()


@defect(
    {"PIP471-38": seen("OPEN|COMMITTED", expected="^none$", what="^header of A$")},
    origin="found by a mutant: a loop over what is pending that does not reach all",
)
class MetadataRemovedSubscriptionForgetsTheEarlier(MetadataRemovedSubscriptionForgetsOne):
    """The removal of a subscription deletes the operation records of the latest transaction that has acknowledged there, and leaves those
    of earlier ones."""

    reached = slice(-1, None)


class _MissingMeansCommitted(Participation):
    def state_of(self, txn: TxnId) -> HeaderState:
        return HeaderState.COMMITTED if self._records.header(txn) is None else super().state_of(txn)


@defect(
    {"PIP471-39": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="feared by readers of the proposal: what a missing header means, once it is not an abort (Q5)",
    also=[_MissingMeansCommitted],
    of=MetadataParts,
)
class MetadataAbortsCollectedUnapplied(Collection):
    """The header of an aborted transaction is collected although a subscription has not applied the abort: that subscription takes the
    missing header for a commit, and deletes the messages."""

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        found, left = self._records.header(txn), self._records.participants(txn)
        if found and state is HeaderState.ABORTED and left and all(isinstance(whose, SubscriptionName) for whose in left):
            self._records.delete_header(txn, found[1])
        else:
            super().collect(txn, state)
