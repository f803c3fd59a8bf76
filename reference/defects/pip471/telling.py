"""Defects of metadata-driven transactions in how participants learn of an end."""

import functools
from collections.abc import Sequence
from contextlib import suppress

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata.envelope import Envelope
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.record_keys import sequence_key
from fencepost.reference.metadata.store import NEW, IndexEntry, StoreRecord, Unavailable, Value, Version, VersionConflict
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.record_models import HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect(
    {"PIP471-13": seen("^success$", expected="^a refusal$", what="^answer to SEND$")},
    origin="feared by readers of the proposal: two writes, and only one of them is waited for",
)
class MetadataFailedRecordIsOnlyLogged(TransactionRecords):
    """A message is stored and receipted also where its operation record could not be written."""

    def record(self, txn: TxnId, operation: OperationRecord) -> str:
        try:
            return super().record(txn, operation)
        except CommandRefused:
            return ""


@defect(
    {"PIP471-22": seen("^no answer while", expected="^success$", what="^answer to END_TXN$")},
    origin="apache/pulsar#19747: the answer to a commit waited for every participant",
)
class MetadataAnswerWaitsForAll(MetadataCoordinator):
    """An end is answered when no participant has operation records of the transaction, and so never while a segment is not loaded."""

    @functools.cached_property
    def waiting(self) -> dict[TxnId, Reply]:
        """The clients that wait for participants."""
        return {}

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        self.decide(txn, action)
        self.waiting[txn] = reply

    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for txn in [txn for txn in self.waiting if not self._records.participants(txn)]:
            self.waiting.pop(txn)()


@defect(
    {"PIP471-62": seen("not even the sentinel", expected='^"a1"$', what="^readers of orders$")},
    origin="the proposal's text, Q14, found in its review on the list",
)
class MetadataLostEventBlocks(Participation):
    """A participant only waits for events, and never looks by itself: a transaction whose event is lost blocks readers for ever."""

    def look_by_itself(self) -> None:
        """No participant looks that was not notified."""


@defect(
    {"PIP471-62": seen("^nothing$", expected='^"b1"$', what="^readers of orders$")},
    origin="textbook: the order of ids treated as the order of ends",
)
class MetadataLooksAtTheOldest(Participation):
    """A participant that looks by itself asks for its oldest transaction, and for the others only when that is over."""

    def look_by_itself(self) -> None:
        oldest = min(self._waiting(), default=None)
        if oldest is not None and self.state_of(oldest) is not HeaderState.OPEN:
            super().look_by_itself()


@defect(
    {"PIP471-66": seen('^"a1", "b1"$', expected='^"b1"$', what="^readers of orders$")}, origin="textbook: a map where a map of lists is due"
)
class MetadataPlainIndexHasOneRecord(PlainStore):
    """In a store without indexes an entry leads to one record: the next one of the same index key takes its place."""

    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        return [record.key for record in self.scan_by_index(index, first, end)]

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        found = self._entries.records(index, first, end)
        last = {Envelope.opened(record.value).indexes[index]: record.key for record in found}
        return [record for record in super().scan_by_index(index, first, end) if record.key in last.values()]


@defect(
    {"PIP471-66": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="textbook: two writes in the wrong order, and a failure between them",
)
class MetadataPlainIndexAfterItsRecord(PlainStore):
    """In a store without indexes a record is written before its entry: a failure between the two, and the collection never finds it."""

    def write(self, key: str, envelope: Envelope, seen: Version) -> StoreRecord:
        record = self._inner.put(key, envelope.sealed(), expected=seen, partition_key=envelope.partition_key)
        self._entries.write(key, envelope)
        return record


@defect(
    {"PIP471-66": seen("^ServiceNotReady .*, 100 times$", expected="^success$", what="^answer to SEND$")},
    origin="textbook: a bound for writers that race, which a long sequence comes to as well",
)
class MetadataPlainSequenceWithoutACounter(PlainStore):
    """In a store without sequences the next free number is searched from the first one on, and the search stops when a
    hundred are taken.
    """

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        for number in range(1, 101):
            with suppress(VersionConflict):
                return self.put(sequence_key(prefix, number), value, expected=NEW, partition_key=partition_key, indexes=indexes)
        raise Unavailable(f"{prefix!r} was changed by others before it could be written, 100 times")


@defect(
    {"PIP471-62": seen("^InvalidTxnStatus", expected="^success$", what="^answer to END_TXN$")},
    origin="feared by readers of the proposal: an end of one write has become one of many, and any of them can fail",
)
class MetadataBeginsAgainBehindAnEvent(MetadataCoordinator):
    """If an event could not be written, the coordinator starts the end again, finds the transaction ended, and refuses: a client learns
    that its commit failed, although its messages are visible."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        try:
            super().notify(txn, decision)
        except CommandRefused as refused:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} is {decision.value}, and must be OPEN") from refused


@defect(
    {"PIP471-62": seen('^("a1", "b1"|nothing)$', expected='^"(a1|b1)"$', what="^readers of orders$")},
    origin="red team: news without a name, which a participant takes for that of all that it awaits",
    of=MetadataParts,
)
class MetadataLastOutcomeForAll(Participation):
    """A participant that looks applies the newest outcome to all transactions that have ended meanwhile."""

    def state_of(self, txn: TxnId) -> HeaderState:
        own = super().state_of(txn)
        ended = [
            state
            for other in sorted(self._waiting())
            if (state := super(MetadataLastOutcomeForAll, self).state_of(other)) is not HeaderState.OPEN
        ]
        return own if own is HeaderState.OPEN or not ended else ended[-1]


@defect(
    {"PIP471-13": seen('^"a1", "a2"$', expected='^"a2"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: an entry without its record that memory alone hides",
)
class MetadataRefusedHiddenInMemory(MetadataBuffer):
    """A message whose record could not be written is stored all the same, and hidden until the segment is reloaded."""

    @functools.cached_property
    def refused(self) -> list[Message]:
        """The messages that were refused since the segment was loaded."""
        return []

    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except CommandRefused as refused:
            if refused.error is ServerError.SERVICE_NOT_READY:
                self.refused.append(message)
                self._ledger.append(message)
            raise

    def is_shown(self, message: Message) -> bool:
        return all(one is not message for one in self.refused) and super().is_shown(message)
