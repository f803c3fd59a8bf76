"""Defects of the Pulsar reference in requests that are under way at once."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId


class _AcknowledgesAndDrops(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        return self._ledger.last if message.txn in self._ended else super().publish(message)


class _AnswersWhoeverComesSecond(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self.describe(txn).status.is_decided:
            reply()
        else:
            super().end(txn, action, reply)


ACKNOWLEDGED_AND_DROPPED = Defect(
    name="core-pulsar-acknowledged-and-dropped",
    breaks={"CORE-36": Symptom(what="readers of orders", expected='^"a1", "a2"$', seen='^"a1";')},
    story="A message that finds its transaction just ended is dropped and receipted, for nobody could see it any more.",
    origin="textbook: a receipt for what was thrown away",
    parts=Parts(sidecar_buffer=_AcknowledgesAndDrops),
)

BOTH_DECIDERS_WIN = Defect(
    name="core-pulsar-both-deciders-win",
    breaks={"CORE-37": Symptom(what="two ends at the same time", seen="success.*success")},
    story="Who asks for an end when the transaction is decided is told that it is done, whichever end that is.",
    origin="textbook: a check, and then an act",
    parts=Parts(coordinator=_AnswersWhoeverComesSecond),
)
