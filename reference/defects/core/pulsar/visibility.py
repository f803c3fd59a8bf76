"""Defects of the Pulsar reference in what readers see."""

from collections.abc import Iterator
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import BEFORE_ALL, Action, Message, Position, TxnId

_FULL = 16


class _ForgetsTheLast(Participants):
    def recipients(self, transaction: Transaction) -> list[Participant]:
        everybody = super().recipients(transaction)
        return everybody[:-1] if len(everybody) > 1 else everybody


class _WritesThrough(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(replace(message, txn=None))


class _CommitsAlways(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:  # noqa: ARG002 - that is the defect
        super().end(txn, Action.COMMIT, low_watermark)


class _LastFirst(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._messages.get(txn, []).reverse()
        super().end(txn, action, low_watermark)


class _KeepsOnlySome(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        del self._messages.get(txn, [])[_FULL:]
        super().end(txn, action, low_watermark)


class StopsReaders(SidecarBuffer):
    """Readers get to `stop` and no further, if there is one."""

    stop: Position | None = None

    def where_it_stops(self) -> Position | None:
        return self.stop

    def after(self, place: Place) -> Iterator[Readable]:
        limit = self.max_read_position
        return (readable for readable in super().after(place) if readable.place.position <= limit)

    @property
    def max_read_position(self) -> Position:
        stop = self.where_it_stops()
        return super().max_read_position if stop is None else stop


class _StopsAtTheStart(StopsReaders):
    def where_it_stops(self) -> Position | None:
        return BEFORE_ALL if self.ongoing() else None


class _StaysWhereItStopped(StopsReaders):
    def publish(self, message: Message) -> Position:
        if message.txn is not None and self.stop is None:
            self.stop = self._ledger.last
        return super().publish(message)


class _GoesByProducer(SidecarBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        aborted = {message.producer for txn, held in self._messages.items() if self.is_aborted(txn) for _, message in held}
        return (readable for readable in super().after(place) if readable.message.producer not in aborted)


class _EndsAll(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        for other in (txn, *self.ongoing()):
            super().end(other, action, low_watermark)


LAST_TOPIC_NOT_TOLD = Defect(
    name="core-pulsar-last-topic-not-told",
    breaks={"CORE-01": Symptom(what="readers of payments", expected='^"a2"$', seen="^nothing")},
    story="Of several participants the last one is never told of the decision, and its messages stay where nobody reads them.",
    origin="textbook: a list that is cut by one",
    parts=Parts(participants=_ForgetsTheLast),
)

DIRTY_READ = Defect(
    name="core-pulsar-dirty-read",
    breaks={"CORE-02": Symptom(seen='^"a1"$')},
    story="Messages of a transaction go into the topic like any others, and are read before anything is decided.",
    origin="apache/pulsar#21464: a consumer of the compacted topic read what was not committed",
    parts=Parts(sidecar_buffer=_WritesThrough),
)

ABORTED_SHOWN = Defect(
    name="core-pulsar-aborted-shown",
    breaks={"CORE-03": Symptom(seen='^"a1"')},
    story="The buffer writes the same marker for both decisions, and so publishes what was aborted.",
    origin="apache/pulsar#19814: aborted messages were delivered to consumers that read again",
    parts=Parts(sidecar_buffer=_CommitsAlways),
)

ORDER_TURNED = Defect(
    name="core-pulsar-order-turned",
    breaks={"CORE-04": Symptom(seen='^"a3", "a2", "a1"$')},
    story="The messages of a commit are published last first.",
    origin="textbook: a stack where a queue is due",
    parts=Parts(sidecar_buffer=_LastFirst),
)

ALL_HELD_UP = Defect(
    name="core-pulsar-all-held-up",
    breaks={"CORE-05": Symptom(expected='^"early"$', seen="^nothing")},
    story="While a transaction is open in a topic, readers get nothing of it, not even what was there before.",
    origin="apache/pulsar#14889: with transactions enabled, all consumers of a broker were stuck",
    parts=Parts(sidecar_buffer=_StopsAtTheStart),
)

READERS_NOT_RELEASED = Defect(
    name="core-pulsar-readers-not-released",
    breaks={"CORE-06": Symptom(expected='^("a1", )?"plain"$', seen="^nothing")},
    story="Readers are stopped where a transaction began, and stay there when it has ended.",
    origin="apache/pulsar#12382: the position up to which may be read did not move on",
    parts=Parts(sidecar_buffer=_StaysWhereItStopped),
)

LARGE_TRANSACTION_CUT = Defect(
    name="core-pulsar-large-transaction-cut",
    breaks={"CORE-07": Symptom(seen='^"1", .*"16"$')},
    story=f"A marker has room for {_FULL} messages, and what a transaction wrote beyond that is lost at its commit.",
    origin="textbook: a buffer of fixed size",
    parts=Parts(sidecar_buffer=_KeepsOnlySome),
)

ABORT_BY_PRODUCER = Defect(
    name="core-pulsar-abort-by-producer",
    breaks={"CORE-08": Symptom(expected='^"a1", "a3"$', seen="^nothing")},
    story="What is aborted is told by its producer, so that one abort hides all that this producer ever wrote.",
    origin="textbook: the wrong key",
    parts=Parts(sidecar_buffer=_GoesByProducer),
)

ONE_END_ENDS_ALL = Defect(
    name="core-pulsar-one-end-ends-all",
    breaks={
        "CORE-02": Symptom(expected='^no "a1"$', seen='"a1"'),
        "CORE-09": Symptom(expected='^"b1"$', seen="^nothing"),
    },
    story="The end of one transaction ends all that are open in the topic, in the same way.",
    origin="apache/pulsar#15530: the end of one transaction aborted another",
    parts=Parts(sidecar_buffer=_EndsAll),
)
