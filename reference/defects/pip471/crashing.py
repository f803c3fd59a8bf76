"""Defects of metadata-driven transactions in what a crash leaves behind."""

import functools
from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId


class _RecoversWhatIsOpen(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        return [waiting for waiting in super().replay() if self.participation.state_of(waiting.txn) is State.OPEN]


class _AppendsFirst(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        if message.txn is None:
            return super().publish(message)
        self.refuse_what_comes_too_late(message.txn)
        position = self._append(message, message.txn)
        self._record(message.txn)
        self.check_again(message.txn)
        return position


class _AbortsWhatItStored(MetadataBuffer):
    @functools.cached_property
    def writers(self) -> set[TxnId]:
        """The transactions of which something was receipted since the segment was loaded."""
        return set()

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if message.txn is not None:
            self.writers.add(message.txn)
        return position

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action if txn in self.writers else Action.COMMIT, low_watermark)


class _DeletesBeforeItNotes(MetadataBuffer):
    def note_aborted(self, txn: TxnId) -> None:
        """When its records are deleted, which is when all that was to be done is done."""

    def note_end(self, txn: TxnId) -> None:
        super().note_end(txn)
        if self.is_aborted(txn):
            super().note_aborted(txn)


class _KnowsItsOwn(MetadataCoordinator):
    @functools.cached_property
    def begun(self) -> set[TxnId]:
        """What this coordinator has begun since it started."""
        return set()

    def new(self, timeout_ms: int) -> TxnId:
        txn = super().new(timeout_ms)
        self.begun.add(txn)
        return txn

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if txn not in self.begun:
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"transaction {txn} was not begun here")
        super().end(txn, action, reply)


DECIDED_IS_NOT_RECOVERED = Defect(
    name="metadata-decided-is-not-recovered",
    breaks={"PIP471-33": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="A subscription recovers what is pending in open transactions; what was decided before the crash is for nobody to apply.",
    origin="as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
    parts=MetadataParts(pending_ack_records=_RecoversWhatIsOpen),
)

ENTRY_BEFORE_RECORD = Defect(
    name="metadata-entry-before-record",
    breaks={"PIP471-34": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"a1"$')},
    story="A message is appended to the ledger before its operation record is written, and after a crash between the two it is shown.",
    origin="the proposal's text, Q4",
    parts=MetadataParts(metadata_buffer=_AppendsFirst),
)

ABORT_OF_THIS_LOAD = Defect(
    name="metadata-abort-of-this-load",
    breaks={"PIP471-35": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"c1"$')},
    story="An abort notes what was receipted since the segment was loaded; what a crash left without a receipt is shown.",
    origin="feared by readers of the proposal: an entry of which its producer knows nothing",
    parts=MetadataParts(metadata_buffer=_AbortsWhatItStored),
)

COORDINATOR_KNOWS_ITS_OWN = Defect(
    name="metadata-coordinator-knows-its-own",
    breaks={"PIP471-47": Symptom(what="^answer to END_TXN$", expected="^success$", seen="TransactionNotFound")},
    story="A coordinator ends only transactions that it has begun itself since it started.",
    origin="textbook: a map in memory that was filled by replaying a log, and there is no log any more",
    parts=MetadataParts(metadata_coordinator=_KnowsItsOwn),
)

DELETED_BEFORE_NOTED = Defect(
    name="metadata-deleted-before-noted",
    breaks={"PIP471-33": Symptom(what="^readers of orders$", expected='^"p1"$', seen='^"a1", "p1"$')},
    story="The operation records of an aborted transaction are deleted before it is noted as aborted: a failure of the second write, and a "
    "crash, and nothing is known of it any more.",
    origin="textbook: two writes in the wrong order, and a crash between them",
    parts=MetadataParts(metadata_buffer=_DeletesBeforeItNotes),
)
