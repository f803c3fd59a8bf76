"""Defects of scalable topics in requests that are under way at once."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId


class _AcknowledgesAndDrops(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        is_late = message.txn is not None and self.participation.state_of(message.txn) is not State.OPEN
        return self._ledger.last if is_late else super().publish(message)


class _AnswersWhoeverComesSecond(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self.is_over(txn):
            reply()
        else:
            super().end(txn, action, reply)


ACKNOWLEDGED_AND_DROPPED = Defect(
    name="core-scalable-acknowledged-and-dropped",
    breaks={"CORE-36": Symptom(what="readers of orders", expected='^"a1", "a2"$', seen='^"a1";')},
    story="A message that finds its transaction just ended is dropped and receipted, for nobody could see it any more.",
    origin="textbook: a receipt for what was thrown away",
    parts=MetadataParts(metadata_buffer=_AcknowledgesAndDrops),
)

BOTH_DECIDERS_WIN = Defect(
    name="core-scalable-both-deciders-win",
    breaks={"CORE-37": Symptom(what="two ends at the same time", seen="success.*success")},
    story="Who asks for an end when the header is no longer open is told that it is done, whichever end that is.",
    origin="textbook: a check, and then an act",
    parts=MetadataParts(metadata_coordinator=_AnswersWhoeverComesSecond),
)
