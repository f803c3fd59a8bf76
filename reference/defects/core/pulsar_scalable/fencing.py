"""Defects of scalable topics in transactions that somebody else has ended: by a time-out, or on another connection."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

from .deciding import CommitsWhatIsAborted

_SECOND_MS = 1_000


class _NeverExpires(MetadataCoordinator):
    def abort_timed_out(self) -> None:
        return


class _WaitsTooLong(MetadataCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms * _SECOND_MS)


class _TakesLateOnesForPlain(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        is_late = message.txn is not None and self.participation.state_of(message.txn) is not State.OPEN
        return super().publish(replace(message, txn=None) if is_late else message)


class _OpensAgain(MetadataBuffer):
    ended: frozenset[TxnId] = frozenset()

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:  # noqa: ARG002 - it refuses none
        return

    def check_again(self, txn: TxnId) -> None:  # noqa: ARG002 - nor does it look again
        return

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if txn not in self.ended:
            self.ended |= {txn}
            super().end(txn, action, low_watermark)


NEVER_EXPIRES = Defect(
    name="core-scalable-never-expires",
    breaks={"CORE-15": Symptom(what="transaction of A", seen="^not over")},
    story="A transaction that its writer abandoned is open for ever.",
    origin="apache/pulsar#10306: what a client had acknowledged stayed pending after the client was killed",
    parts=MetadataParts(metadata_coordinator=_NeverExpires),
)

SECONDS_FOR_MILLISECONDS = Defect(
    name="core-scalable-seconds-for-milliseconds",
    breaks={"CORE-16": Symptom(expected="a refusal", seen="^success")},
    story="A time-out in milliseconds is taken for one in seconds, so that a late commit finds its transaction open.",
    origin="textbook: units",
    parts=MetadataParts(metadata_coordinator=_WaitsTooLong),
)

LATE_WRITE_SHOWN = Defect(
    name="core-scalable-late-write-shown",
    breaks={"CORE-17": Symptom(seen='^"late"')},
    story="A message whose transaction is over is stored like one outside of transactions, and everybody reads it.",
    origin="textbook: no open transaction taken for none",
    parts=MetadataParts(metadata_buffer=_TakesLateOnesForPlain),
)

LOST_TRANSACTION_IS_COMMITTED = Defect(
    name="core-scalable-lost-transaction-is-committed",
    breaks={"CORE-18": Symptom(expected="a refusal", seen="^success")},
    story="A writer whose transaction somebody else has aborted is told that its commit is done.",
    origin="textbook: what has ended needs no end",
    parts=MetadataParts(metadata_coordinator=CommitsWhatIsAborted),
)

LATE_WRITE_OPENS_AGAIN = Defect(
    name="core-scalable-late-write-opens-again",
    breaks={"CORE-19": Symptom(expected='^"plain"$', seen="^nothing")},
    story="A message whose transaction is over opens that anew in a segment that has applied the end and does so once: readers wait.",
    origin="feared by readers of the proposal, Q7: who deletes the operation record that comes behind the end",
    parts=MetadataParts(metadata_buffer=_OpensAgain),
)
