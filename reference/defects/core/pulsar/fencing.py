"""Defects of the Pulsar reference in transactions that somebody else has ended: by a time-out, or as an administrator."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Message, Position, TxnId

from .deciding import CommitsWhatIsAborted
from .visibility import StopsReaders

_SECOND_MS = 1_000


class _NeverExpires(LogCoordinator):
    def abort_timed_out(self) -> None:
        return


class _WaitsTooLong(LogCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms * _SECOND_MS)


class _OpensAgain(StopsReaders):
    def publish(self, message: Message) -> Position:
        if message.txn is not None and message.txn in self._ended:
            self.stop = self._ledger.last
            return self._sidecar.append(message)
        return super().publish(message)


class _TakesLateOnesForPlain(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(replace(message, txn=None) if message.txn in self._ended else message)


NEVER_EXPIRES = Defect(
    name="core-pulsar-never-expires",
    breaks={"CORE-15": Symptom(what="transaction of A", seen="^not over")},
    story="A transaction that its writer abandoned is open for ever.",
    origin="apache/pulsar#10306: what a client had acknowledged stayed pending after the client was killed",
    parts=Parts(coordinator=_NeverExpires),
)

SECONDS_FOR_MILLISECONDS = Defect(
    name="core-pulsar-seconds-for-milliseconds",
    breaks={"CORE-16": Symptom(expected="a refusal", seen="^success")},
    story="A time-out in milliseconds is taken for one in seconds, so that a late commit finds its transaction open.",
    origin="textbook: units",
    parts=Parts(coordinator=_WaitsTooLong),
)

LOST_TRANSACTION_IS_COMMITTED = Defect(
    name="core-pulsar-lost-transaction-is-committed",
    breaks={"CORE-18": Symptom(expected="a refusal", seen="^success")},
    story="A writer whose transaction an administrator has aborted is told that its commit is done.",
    origin="textbook: what has ended needs no end",
    parts=Parts(coordinator=CommitsWhatIsAborted),
)

LATE_WRITE_SHOWN = Defect(
    name="core-pulsar-late-write-shown",
    breaks={"CORE-17": Symptom(seen='^"late"')},
    story="A message whose transaction is over is stored like one outside of transactions, and everybody reads it.",
    origin="textbook: no open transaction taken for none",
    parts=Parts(sidecar_buffer=_TakesLateOnesForPlain),
)

LATE_WRITE_OPENS_AGAIN = Defect(
    name="core-pulsar-late-write-opens-again",
    breaks={"CORE-19": Symptom(expected='^"plain"$', seen="^nothing")},
    story="A message whose transaction is over opens that anew, and nobody will ever end it: readers wait behind it.",
    origin="Pulsar's marker buffer up to 4.0.7, where a late message of a committed transaction holds up its topic",
    parts=Parts(sidecar_buffer=_OpensAgain),
)
