"""Defects of the Pulsar reference in transactions that their client did not end: they ended by a timeout, or by an administrator."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import Message, Position, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer

from .deciding import LogCommitsWhatIsAborted
from .visibility import StopsReadersAtPosition

_SECOND_MS = 1_000


@defect(
    {"CORE-15": seen("^not over", what="transaction of A")},
    origin="apache/pulsar#10306: what a client had acknowledged stayed pending after the client was killed",
)
class CorePulsarNeverExpires(LogCoordinator):
    """A transaction that its writer abandoned is open for ever."""

    def abort_timed_out(self) -> None:
        return


@defect({"CORE-16": seen("^success", expected="a refusal")}, origin="textbook: units")
class CorePulsarSecondsForMilliseconds(LogCoordinator):
    """A timeout in milliseconds is read as one in seconds, so that a late commit finds its transaction open."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms * _SECOND_MS)


@defect(
    {"CORE-19": seen("^nothing", expected='^"plain"$')},
    origin="Pulsar's marker buffer up to 4.0.7, where a late message of a committed transaction holds up its topic",
)
class CorePulsarLateWriteOpensAgain(StopsReadersAtPosition):
    """A message of an ended transaction opens that transaction again in its topic. No client will end it, so readers wait before the
    message."""

    def publish(self, message: Message) -> Position:
        if message.txn is not None and message.txn in self._ended:
            self.stop = self._ledger.last
            return self._sidecar.append(message)
        return super().publish(message)


@defect({"CORE-17": seen('^"late"')}, origin="textbook: a producer without an open transaction is treated as unknown")
class CorePulsarLateWriteShown(SidecarBuffer):
    """A topic stores a message of an ended transaction as a message outside of transactions, so every reader receives it."""

    def publish(self, message: Message) -> Position:
        return super().publish(replace(message, txn=None) if message.txn in self._ended else message)


@defect({"CORE-18": seen("^success", expected="a refusal")}, origin="textbook: what has ended needs no end")
class CorePulsarLostTransactionIsCommitted(LogCommitsWhatIsAborted):
    """A writer whose transaction an administrator has aborted is answered that its commit succeeded."""
