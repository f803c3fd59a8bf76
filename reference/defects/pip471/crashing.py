"""Defects of metadata-driven transactions in what remains after a crash."""

import functools
from collections.abc import Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect(
    {"PIP471-33": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
)
class MetadataDecidedIsNotRecovered(PendingAckRecords):
    """A subscription recovers only what is pending in open transactions; an end that was decided before the crash is never applied."""

    def replay(self) -> Sequence[PendingAck]:
        return [waiting for waiting in super().replay() if self.participation.state_of(waiting.txn) is HeaderState.OPEN]


@defect({"PIP471-34": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")}, origin="the proposal's text, Q4")
class MetadataEntryBeforeRecord(MetadataBuffer):
    """A message is appended to the ledger before its operation record is written, and after a crash between the two it is shown."""

    def publish(self, message: Message) -> Position:
        if message.txn is None:
            return super().publish(message)
        self.refuse_what_comes_too_late(message.txn)
        position = self._append(message, message.txn)
        self._record(message.txn)
        self.check_again(message.txn)
        return position


@defect(
    {"PIP471-35": seen('^"c1"$', expected="^nothing$", what="^readers of orders$")},
    origin="feared by readers of the proposal: an entry of which its producer knows nothing",
)
class MetadataAbortOfThisLoad(MetadataBuffer):
    """An abort notes the messages that were receipted since the segment was loaded; what a crash left without a receipt is shown."""

    @functools.cached_property
    def writers(self) -> set[TxnId]:
        """The transactions of which something was receipted since the segment was loaded."""
        return set()

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if message.txn is not None:
            self.writers.add(message.txn)
        return position

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action if txn in self.writers else EndAction.COMMIT, low_watermark)


@defect(
    {"PIP471-33": seen('^"a1", "p1"$', expected='^"p1"$', what="^readers of orders$")},
    origin="textbook: two writes in the wrong order, and a crash between them",
)
class MetadataDeletedBeforeNoted(MetadataBuffer):
    """The operation records of an aborted transaction are deleted before it is noted as aborted: if the second write fails and a crash
    follows, nothing is known of the transaction any more.
    """

    def note_aborted(self, txn: TxnId) -> None:
        """When its records are deleted, which is when all that was to be done is done."""

    def note_end(self, txn: TxnId) -> None:
        super().note_end(txn)
        if self.is_aborted(txn):
            super().note_aborted(txn)


class KnowsWhatItBegan(MetadataCoordinator):
    """A coordinator that remembers which transactions it has begun since it started."""

    @functools.cached_property
    def begun(self) -> set[TxnId]:
        """What it has begun since it started."""
        return set()

    def new(self, timeout_ms: int) -> TxnId:
        txn = super().new(timeout_ms)
        self.begun.add(txn)
        return txn


@defect(
    {"PIP471-47": seen("TransactionNotFound", expected="^success$", what="^answer to END_TXN$")},
    origin="textbook: a map in memory that was filled by replaying a log, and there is no log any more",
)
class MetadataCoordinatorKnowsItsOwn(KnowsWhatItBegan):
    """A coordinator ends only transactions that it has begun itself since it started."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if txn not in self.begun:
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"transaction {txn} was not begun here")
        super().end(txn, action, reply)


@defect(
    {
        "PIP471-33": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$"),
        "PIP471-39": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$"),
    },
    origin="textbook: of two outcomes one has something to do",
)
class MetadataDecidedAbortStaysPending(PendingAckRecords):
    """A subscription that is loaded applies the commits that were decided meanwhile, and not the aborts: their messages stay pending."""

    def replay(self) -> Sequence[PendingAck]:
        found = super().replay()
        self._waiting = {txn for txn in self._waiting if self.participation.state_of(txn) is not HeaderState.ABORTED}
        return found
