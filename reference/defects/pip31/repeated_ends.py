"""Defects of Pulsar in ends that come to a subscription again."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import Action, TxnId


@defect(
    {"PIP31-153": seen('^("i1", "i2"|"i2")$', what="^left for workers$")},
    origin="textbook: a list that is kept by transaction, and a state that is kept by message",
)
class EndTakesWhatItOnceHad(PendingAcks):
    """An end goes by the messages that its transaction has ever acknowledged, and takes them from the one that has them now."""

    def recover(self) -> None:
        self._once: dict[TxnId, set[MessagePosition]] = {}
        super().recover()

    def end(self, txn: TxnId, action: Action) -> Waiting:
        waiting = super().end(txn, action)
        once = self._once.setdefault(txn, set())
        others = {place: frozenset(self._individual.pop(place)) for place in once if place in self._individual}
        once.update(waiting.individual)
        return replace(waiting, individual={**others, **waiting.individual})
