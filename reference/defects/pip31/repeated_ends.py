"""Defects of Pulsar in ends that come to a subscription again."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import Action, TxnId


class _EndsWhatItOnceHad(PendingAcks):
    def recover(self) -> None:
        self._once: dict[TxnId, set[Place]] = {}
        super().recover()

    def end(self, txn: TxnId, action: Action) -> Waiting:
        waiting = super().end(txn, action)
        once = self._once.setdefault(txn, set())
        others = {place: frozenset(self._individual.pop(place)) for place in once if place in self._individual}
        once.update(waiting.individual)
        return replace(waiting, individual={**others, **waiting.individual})


END_TAKES_WHAT_IT_ONCE_HAD = Defect(
    name="end-takes-what-it-once-had",
    breaks={"PIP31-153": Symptom(what="^left for workers$", seen='^("i1", "i2"|"i2")$')},
    story="An end goes by the messages that its transaction has ever acknowledged, and takes them from the one that has them now.",
    origin="textbook: a list that is kept by transaction, and a state that is kept by message",
    parts=Parts(pending_acks=_EndsWhatItOnceHad),
)
