"""Defects of Pulsar in ends that come to a subscription again."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId


@defect(
    {"PIP31-153": seen('^("i1", "i2"|"i2")$', what="^left for workers$")},
    origin="textbook: a list that is kept by transaction, and a state that is kept by message",
)
class EndTakesWhatItOnceHad(PendingAcks):
    """An end applies to all messages that its transaction has ever acknowledged, and takes them from the transaction that
    holds them now.
    """

    def recover(self) -> None:
        self._once: dict[TxnId, set[MessagePosition]] = {}
        super().recover()

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        once = self._once.setdefault(txn, set())
        others = {place: frozenset(self._individual.pop(place)) for place in once if place in self._individual}
        once.update(waiting.individual)
        return replace(waiting, individual={**others, **waiting.individual})


@defect(
    {"PIP31-153": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="red team: what was restored belongs to whichever end comes first",
)
class EndTakesWhatWasRestored(PendingAcks):
    """After a reload, the end of a transaction that has nothing pending is applied to what was restored of another one."""

    def recover(self) -> None:
        super().recover()
        self._restored = set(self.transactions())

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        if txn in self.transactions() or not self._restored:
            return super().end(txn, action)
        return super().end(self._restored.pop(), action)


@defect(
    {"PIP31-153": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for auditors$")},
    origin="red team: one field for each subscription, which any end of a former owner clears",
)
class RepeatedEndFreesTheCumulative(PendingAcks):
    """A repeated end of a transaction that once had the cumulative acknowledgement takes it from the one that has it now."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        once: set[TxnId] = self.__dict__.setdefault("_had_cumulative", set())
        if txn in once:
            self._cumulative = {}
        once.update({txn} & self._cumulative.keys())
        return super().end(txn, action)
