"""Defects of the Pulsar reference in deciding once."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.ending import PulsarAnyEndOfWhatEndedBeforeACrash, PulsarRefusedEndSucceedsWhenRepeated
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import Participants
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import PulsarTransaction


@defect({"CORE-10": seen("^not over", what="transaction of A")}, origin="textbook: a countdown from 0")
class CorePulsarEmptyNeverComplete(Participants):
    """Only a participant's answer completes a transaction, and one without participants is being aborted for ever."""

    def send_to_all(self, transaction: PulsarTransaction, low_watermark: int) -> None:
        if self.recipients(transaction):
            super().send_to_all(transaction, low_watermark)


class _TellsAgain(LogCoordinator):
    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        transaction = self.describe(txn)
        super().end(txn, action, reply)
        if transaction.status.is_complete:
            again = replace(transaction, status=TxnStatus.COMMITTING if action is EndAction.COMMIT else TxnStatus.ABORTING)
            self._install(again)
            self._participants.send_to_all(again, self.low_watermark)


@defect({"CORE-11": seen('^"a1", "a1"')}, origin="textbook: a retry that is executed", also=[_TellsAgain])
class CorePulsarCommittedTwice(SidecarBuffer):
    """The coordinator sends a repeated commit to the topics again, and each topic publishes the messages again."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._ended.pop(txn, None)
        super().end(txn, action, low_watermark)


@defect({"CORE-12": seen('^"a1"$')}, origin="textbook: a flag that is flipped where it should be set", also=[_TellsAgain])
class CorePulsarSecondAbortUndoesTheFirst(SidecarBuffer):
    """The coordinator sends a repeated abort to the topics again, and each topic finds the earlier abort and undoes it."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        was_aborted = self._ended.get(txn) is EndAction.ABORT
        if was_aborted:
            del self._ended[txn]
        super().end(txn, EndAction.COMMIT if was_aborted else action, low_watermark)


@defect({"CORE-13": seen("^success", expected="a refusal")}, origin="textbook: what has ended needs no end")
class CorePulsarCommittedIsAborted(LogCoordinator):
    """A client that aborts a committed transaction is answered that it is done."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        committed = self.describe(txn).status.action is EndAction.COMMIT
        super().end(txn, EndAction.COMMIT if committed else action, reply)


class LogCommitsWhatIsAborted(LogCoordinator):
    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        aborted = self.describe(txn).status.action is EndAction.ABORT
        super().end(txn, EndAction.ABORT if aborted else action, reply)


@defect({"CORE-14": seen("^success", expected="a refusal")}, origin="textbook: what has ended needs no end")
class CorePulsarAbortedIsCommitted(LogCommitsWhatIsAborted):
    """A client that commits an aborted transaction is answered that it is done, and its data is gone."""


@defect(
    {"CORE-13": seen("^success$", expected="^a refusal$"), "CORE-14": seen("^success$", expected="^a refusal$")},
    origin="textbook: a record of completion without the outcome",
)
class CorePulsarAnyEndOfWhatEndedBeforeACrash(PulsarAnyEndOfWhatEndedBeforeACrash):
    """After a crash a coordinator knows that a transaction has ended, but not how: it answers a commit and an abort alike with success."""


@defect(
    {"CORE-13": seen("^success$", expected="^a refusal$"), "CORE-14": seen("^success$", expected="^a refusal$")},
    origin="red team: a request that is answered from a list of requests that were processed, whatever came of them",
)
class CorePulsarRefusedEndSucceedsWhenRepeated(PulsarRefusedEndSucceedsWhenRepeated):
    """A writer that repeats an end that was refused is answered with success."""
