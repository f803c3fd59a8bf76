"""Defects of the Pulsar reference in what readers see."""

from collections.abc import Iterator
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import PulsarTransaction

_FULL = 16


@defect({"CORE-01": seen("^nothing", expected='^"a2"$', what="readers of payments")}, origin="textbook: a list that is cut by one")
class CorePulsarLastTopicNotTold(Participants):
    """The coordinator never notifies the last of several participants, so the messages there never become visible."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        everybody = super().recipients(transaction)
        return everybody[:-1] if len(everybody) > 1 else everybody


@defect({"CORE-02": seen('^"a1"$')}, origin="apache/pulsar#21464: a consumer of the compacted topic read what was not committed")
class CorePulsarDirtyRead(SidecarBuffer):
    """Messages of a transaction go into the topic like any others, and are read before anything is decided."""

    def publish(self, message: Message) -> Position:
        return super().publish(replace(message, txn=None))


@defect({"CORE-03": seen('^"a1"')}, origin="apache/pulsar#19814: aborted messages were delivered to consumers that read again")
class CorePulsarAbortedShown(SidecarBuffer):
    """The buffer writes the same marker for both decisions, and so publishes what was aborted."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:  # noqa: ARG002 - that is the defect
        super().end(txn, EndAction.COMMIT, low_watermark)


@defect({"CORE-04": seen('^"a3", "a2", "a1"$')}, origin="textbook: a stack where a queue is due")
class CorePulsarOrderTurned(SidecarBuffer):
    """The messages of a commit are published last first."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._messages.get(txn, []).reverse()
        super().end(txn, action, low_watermark)


@defect({"CORE-07": seen('^"1", .*"16"$')}, origin="textbook: a buffer of fixed size")
class CorePulsarLargeTransactionCut(SidecarBuffer):
    """A marker has room for 16 messages, and what a transaction wrote beyond that is lost at its commit."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        del self._messages.get(txn, [])[_FULL:]
        super().end(txn, action, low_watermark)


class StopsReadersAtPosition(SidecarBuffer):
    """Readers get to `stop` and no further, if there is one."""

    stop: Position | None = None

    def where_it_stops(self) -> Position | None:
        return self.stop

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        limit = self.max_read_position
        return (readable for readable in super().after(place) if readable.place.position <= limit)

    @property
    def max_read_position(self) -> Position:
        stop = self.where_it_stops()
        return super().max_read_position if stop is None else stop


@defect(
    {"CORE-05": seen("^nothing", expected='^"early"$')},
    origin="apache/pulsar#14889: with transactions enabled, all consumers of a broker were stuck",
)
class CorePulsarAllHeldUp(StopsReadersAtPosition):
    """While a transaction is open in a topic, readers get nothing of the topic, not even what was there before."""

    def where_it_stops(self) -> Position | None:
        return BEFORE_ALL if self.ongoing() else None


@defect(
    {"CORE-06": seen("^nothing", expected='^("a1", )?"plain"$')},
    origin="apache/pulsar#12382: the position up to which may be read did not move on",
)
class CorePulsarReadersNotReleased(StopsReadersAtPosition):
    """Readers are stopped where a transaction began, and stay there when it has ended."""

    def publish(self, message: Message) -> Position:
        if message.txn is not None and self.stop is None:
            self.stop = self._ledger.last
        return super().publish(message)


@defect({"CORE-08": seen("^nothing", expected='^"a1", "a3"$')}, origin="textbook: the wrong key")
class CorePulsarAbortByProducer(SidecarBuffer):
    """A topic finds aborted messages by their producer, so one abort hides all messages that this producer ever wrote."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        aborted = {message.producer for txn, held in self._messages.items() if self.is_aborted(txn) for _, message in held}
        return (readable for readable in super().after(place) if readable.message.producer not in aborted)


@defect(
    {"CORE-02": seen('"a1"', expected='^no "a1"$'), "CORE-09": seen("^nothing", expected='^"b1"$')},
    origin="apache/pulsar#15530: the end of one transaction aborted another",
)
class CorePulsarOneEndEndsAll(SidecarBuffer):
    """The end of one transaction ends all that are open in the topic, with the same outcome."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        for other in (txn, *self.ongoing()):
            super().end(other, action, low_watermark)
