"""Defects of Pulsar in what consumers receive that were attached before the transaction.

They continue after what they have read, so a broker may serve them from memory, without the checks that it makes when it reads the log.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar
from weakref import WeakKeyDictionary

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.visibility import StopsReadersWhileOpen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable, ReadView
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.ledger import LedgerMarker
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, SubscriptionType, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Consumer, Subscription

_BEHIND_ALL = 2**20
"""A place after every message that an entry of a test holds."""


class _Tail(SidecarBuffer):
    """Shows messages of transactions that are in the log next to the topic to a consumer that has read the topic to its end."""

    def is_shown_too_soon(self, txn: TxnId) -> bool:
        raise NotImplementedError

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        yield from super().after(place)
        shown = [message for txn, held in self._messages.items() if self.is_shown_too_soon(txn) for _, message in held]
        for number, message in enumerate(shown, _BEHIND_ALL):
            if EARLIEST < place < (there := MessagePosition(self._ledger.last, number)):
                yield Readable(there, message)


def _read(buffer: MarkerBuffer, place: MessagePosition, is_shown: Callable[[TxnId], bool]) -> Iterator[Readable]:
    for entry in buffer._ledger.after(place.position):
        if isinstance(entry.content, Message) and (entry.content.txn is None or is_shown(entry.content.txn)):
            yield Readable(MessagePosition(entry.position), entry.content)


class _ServesTheOpenFromMemory(MarkerBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return super().after(place) if place == EARLIEST else _read(self, place, lambda txn: not self.is_aborted(txn))


class _ServesTheAbortedFromMemory(MarkerBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return super().after(place) if place == EARLIEST else _read(self, place, lambda txn: txn in self._ended)


class _ReadsOnBehindTheOpen(MarkerBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return super().after(place) if place == EARLIEST else _read(self, place, lambda _: False)


@defect(
    {"PIP31-80": seen('"a1"', what="^received by watchers$")},
    origin="apache/pulsar#12382: messages of an open transaction reached consumers while others were published",
    also=[_ServesTheOpenFromMemory],
)
class AttachedAreGivenTheOpen(_Tail):
    """A topic hands new messages from memory to consumers that have read everything, without a check that they are committed."""

    def is_shown_too_soon(self, txn: TxnId) -> bool:
        return txn not in self._ended


@defect(
    {"PIP31-80": seen("^nothing$", expected='"a1"', what="^received by watchers$")},
    origin="apache/pulsar#14192: the readable position was not raised, and consumers were stuck",
    also=[_ReadsOnBehindTheOpen],
)
class AttachedMissTheCommitted(SidecarBuffer):
    """Consumers that have read all are not woken up by a commit, or have read past what was open."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return (readable for readable in super().after(place) if place == EARLIEST or readable.message.txn is None)


@defect(
    {"PIP31-81": seen('"a1"', what="^received by watchers$")},
    origin="apache/pulsar#19814: aborted messages were delivered on replay reads",
    also=[_ServesTheAbortedFromMemory],
)
class AttachedAreGivenTheAborted(_Tail):
    """A consumer that is attached receives what was aborted; only new subscriptions do not."""

    def is_shown_too_soon(self, txn: TxnId) -> bool:
        return self.is_aborted(txn)


class _MarkersWakeNobody(MarkerBuffer):
    _sleeps = False

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._sleeps = True

    def publish(self, message: Message) -> Position:
        self._sleeps = False
        return super().publish(message)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return iter(()) if self._sleeps and place != EARLIEST else super().after(place)


@defect(
    {
        "PIP31-80": seen("^nothing$", expected='^"a1"', what="^received by watchers$"),
        "PIP31-81": seen("^nothing$", expected='^"(plain|before)"$', what="^received by watchers$"),
    },
    origin="textbook: a condition that is checked only where new messages arrive",
    also=[_MarkersWakeNobody],
)
class EndsWakeNobody(StopsReadersWhileOpen):
    """Messages that an end makes visible are not delivered until the next message is written to the topic.

    Withholds plain messages as markers do; a consumer that has read something is given more when something is written.
    """

    _sleeps = False

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._sleeps = True

    def publish(self, message: Message) -> Position:
        self._sleeps = False
        return super().publish(message)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return iter(()) if self._sleeps and place != EARLIEST else super().after(place)


class _WakesNoReaders(Subscription):
    """What lies before an end is known from the ledger; a reader looks there when a message is written after it."""

    def dispatch(self) -> None:
        is_durable = getattr(self.cursor, "is_durable", False)
        *_, last = (None, *(entry.content for entry in getattr(self._buffer, "_ledger", ())))
        if is_durable or not isinstance(last, LedgerMarker):
            super().dispatch()


@defect(
    {"PIP31-80": seen("^nothing$", expected='^"a1"$', what="^received by tail$")},
    origin="textbook: a list of what is durable, treated as a list of all",
    also=[_WakesNoReaders],
)
class EndsWakeNoReaders(Cursor):
    """An end wakes the topic's durable subscriptions and no reader, which receives what was committed only after the next write."""

    is_durable = False

    def journal_name(self, name: SubscriptionName) -> str:
        self.is_durable = True
        return super().journal_name(name)


class _CountsEnds(MarkerBuffer):
    ends = 0

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self.ends += 1


class _IsWokenFirst(Subscription):
    """An end wakes it, unless it has woken another subscription already."""

    _woken: ClassVar[WeakKeyDictionary[ReadView, int]] = WeakKeyDictionary()
    _seen = 0

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        self._seen = getattr(self._buffer, "ends", 0)
        super().attach(consumer, kind)

    def dispatch(self) -> None:
        ends = getattr(self._buffer, "ends", 0)
        is_later = ends != self._seen and self._woken.get(self._buffer) == ends
        self._seen = ends
        if not is_later:
            self._woken[self._buffer] = ends
            super().dispatch()


@defect(
    {"PIP31-80": seen("^nothing$", expected='^"a1"$', what="^received by (watchers|others)$")},
    origin="red team: a loop that returns in its first turn",
    also=[_CountsEnds, _IsWokenFirst],
)
class EndsWakeOneSubscription(SidecarBuffer):
    """An end wakes one subscription of the topic; the consumers of the others receive what was committed after the next write."""

    ends = 0

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self.ends += 1


@defect(
    {"PIP31-80": seen("^nothing$", expected='^"a1"$', what="^received by watchers$")},
    origin="red team: a position that goes to the end of the log when nothing readable is left",
)
class AcknowledgedAllSkipsTheOpen(Subscription):
    """A subscription that has acknowledged everything readable continues after what is open, and never receives it."""

    def acknowledge(self, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge(wanted)
        if not self.has_more():
            self.__dict__.setdefault("_skipped", set()).update(getattr(self._buffer, "ongoing", dict)())

    def is_withheld(self, readable: Readable) -> bool:
        return readable.message.txn in self.__dict__.get("_skipped", ()) or super().is_withheld(readable)
