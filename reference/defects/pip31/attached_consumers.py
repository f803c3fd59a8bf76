"""Defects of Pulsar in what consumers get that were there before the transaction.

They read behind what they have read already, so a broker may serve them from memory, past what it asks of the log.
"""

from collections.abc import Callable, Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.visibility import StopsReaders
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.ledger import Marker
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, Message, Position, SubscriptionName, TxnId

_BEHIND_ALL = 2**20
"""Behind every message that an entry of a test holds."""


class _Tail(SidecarBuffer):
    """Shows messages of transactions that are in the log beside the topic to whoever has read the topic to its end."""

    def is_shown_too_soon(self, txn: TxnId) -> bool:
        raise NotImplementedError

    def after(self, place: Place) -> Iterator[Readable]:
        yield from super().after(place)
        shown = [message for txn, held in self._messages.items() if self.is_shown_too_soon(txn) for _, message in held]
        for number, message in enumerate(shown, _BEHIND_ALL):
            if EARLIEST < place < (there := Place(self._ledger.last, number)):
                yield Readable(there, message)


class _ShowsTheOpenAtTheTail(_Tail):
    def is_shown_too_soon(self, txn: TxnId) -> bool:
        return txn not in self._ended


class _ShowsTheAbortedAtTheTail(_Tail):
    def is_shown_too_soon(self, txn: TxnId) -> bool:
        return self.is_aborted(txn)


def _read(buffer: MarkerBuffer, place: Place, is_shown: Callable[[TxnId], bool]) -> Iterator[Readable]:
    for entry in buffer._ledger.after(place.position):
        if isinstance(entry.content, Message) and (entry.content.txn is None or is_shown(entry.content.txn)):
            yield Readable(Place(entry.position), entry.content)


class _ServesTheOpenFromMemory(MarkerBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        return super().after(place) if place == EARLIEST else _read(self, place, lambda txn: not self.is_aborted(txn))


class _ServesTheAbortedFromMemory(MarkerBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        return super().after(place) if place == EARLIEST else _read(self, place, lambda txn: txn in self._ended)


class _WakesNobodyForMarkers(SidecarBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        return (readable for readable in super().after(place) if place == EARLIEST or readable.message.txn is None)


class _ReadsOnBehindTheOpen(MarkerBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        return super().after(place) if place == EARLIEST else _read(self, place, lambda _: False)


ATTACHED_ARE_GIVEN_THE_OPEN = Defect(
    name="attached-are-given-the-open",
    breaks={"PIP31-80": Symptom(what="^received by watchers$", seen='"a1"')},
    story="What was just written goes from memory to consumers that have read all, and nobody asks there whether it is committed.",
    origin="apache/pulsar#12382: messages of an open transaction reached consumers while others were published",
    parts=Parts(sidecar_buffer=_ShowsTheOpenAtTheTail, marker_buffer=_ServesTheOpenFromMemory),
)

ATTACHED_MISS_THE_COMMITTED = Defect(
    name="attached-miss-the-committed",
    breaks={"PIP31-80": Symptom(what="^received by watchers$", expected='"a1"', seen="^nothing$")},
    story="Consumers that have read all are not woken up by a commit, or have read past what was open.",
    origin="apache/pulsar#14192: the readable position was not raised, and consumers were stuck",
    parts=Parts(sidecar_buffer=_WakesNobodyForMarkers, marker_buffer=_ReadsOnBehindTheOpen),
)

ATTACHED_ARE_GIVEN_THE_ABORTED = Defect(
    name="attached-are-given-the-aborted",
    breaks={"PIP31-81": Symptom(what="^received by watchers$", seen='"a1"')},
    story="A consumer that is attached gets what was aborted, which only new subscriptions are kept from.",
    origin="apache/pulsar#19814: aborted messages were delivered on replay reads",
    parts=Parts(sidecar_buffer=_ShowsTheAbortedAtTheTail, marker_buffer=_ServesTheAbortedFromMemory),
)


class _SleepsThroughEnds(StopsReaders):
    """Withholds plain messages as markers do; whoever has read something is given more when something is written."""

    _sleeps = False

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._sleeps = True

    def publish(self, message: Message) -> Position:
        self._sleeps = False
        return super().publish(message)

    def after(self, place: Place) -> Iterator[Readable]:
        return iter(()) if self._sleeps and place != EARLIEST else super().after(place)


class _MarkersWakeNobody(MarkerBuffer):
    _sleeps = False

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._sleeps = True

    def publish(self, message: Message) -> Position:
        self._sleeps = False
        return super().publish(message)

    def after(self, place: Place) -> Iterator[Readable]:
        return iter(()) if self._sleeps and place != EARLIEST else super().after(place)


ENDS_WAKE_NOBODY = Defect(
    name="ends-wake-nobody",
    breaks={
        "PIP31-80": Symptom(what="^received by watchers$", expected='^"a1"', seen="^nothing$"),
        "PIP31-81": Symptom(what="^received by watchers$", expected='^"(plain|before)"$', seen="^nothing$"),
    },
    story="What an end lets through stays where it is until somebody writes to the topic again.",
    origin="textbook: a condition that is looked at only where new messages arrive",
    parts=Parts(sidecar_buffer=_SleepsThroughEnds, marker_buffer=_MarkersWakeNobody),
)


class _KnowsWhetherItIsDurable(Cursor):
    is_durable = False

    def journal_name(self, name: SubscriptionName) -> str:
        self.is_durable = True
        return super().journal_name(name)


class _WakesNoReaders(Subscription):
    """What lies before an end is known from the ledger; a reader looks there when a message is written behind it."""

    def dispatch(self) -> None:
        is_durable = getattr(self.cursor, "is_durable", False)
        *_, last = (None, *(entry.content for entry in getattr(self._buffer, "_ledger", ())))
        if is_durable or not isinstance(last, Marker):
            super().dispatch()


ENDS_WAKE_NO_READERS = Defect(
    name="ends-wake-no-readers",
    breaks={"PIP31-80": Symptom(what="^received by tail$", expected='^"a1"$', seen="^nothing$")},
    story="An end wakes the subscriptions that the topic keeps, and no reader: that gets what was committed when somebody writes again.",
    origin="textbook: a list of what is durable, taken for a list of everybody",
    parts=Parts(cursor=_KnowsWhetherItIsDurable, subscription=_WakesNoReaders),
)
