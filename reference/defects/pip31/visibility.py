"""Defects in what consumers of a Pulsar topic see of a transaction."""

from collections.abc import Iterator, Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.ledger import LedgerMarker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import PulsarTransaction

_BEHIND_ALL = 2**20
"""A place after every message that an entry of a test holds."""


@defect(
    {"PIP31-01": seen("^nothing$", expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: a list is set where it should grow",
)
class PulsarLastTopicOnly(LogCoordinator):
    """Each request to add topics replaces those that were added before, so a commit reaches only the topics of the last request."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        known = self._transactions[txn]
        self._install(PulsarTransaction(txn, known.timeout_ms, known.started_at, known.status, names, known.subscriptions))


@defect({"PIP31-02": seen('^"a1"$', expected="^nothing$", what="^left for early$")}, origin="textbook: a marker without its kind")
class PulsarAbortShows(SidecarBuffer):
    """A topic does not look at how a transaction ends, and shows its messages whichever way."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:  # noqa: ARG002 - that is the defect
        super().end(txn, EndAction.COMMIT, low_watermark)


@defect({"PIP31-05": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")}, origin="textbook: read uncommitted")
class PulsarOpenIsRead(SidecarBuffer):
    """Messages of an open transaction are in the topic like any other, and consumers get them."""

    def publish(self, message: Message) -> Position:
        return self._ledger.append(message)


class StopsReadersWhileOpen(SidecarBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return iter(()) if self.ongoing() else super().after(place)

    @property
    def max_read_position(self) -> Position:
        return Position(-1, -1) if self.ongoing() else super().max_read_position


@defect(
    {"PIP31-06": seen("^nothing$", expected='^"before", "right before"$', what="^readers of orders$")},
    origin="textbook: the readable position goes back to the beginning",
)
class PulsarOpenStopsAll(StopsReadersWhileOpen):
    """While a transaction is open on a topic nothing of the topic is delivered, not even what lies before it."""


@defect(
    {"PIP31-08": seen("^nothing$", expected='^"plain"$', what="^readers of orders$")},
    origin="every Pulsar release, which has the marker approach",
)
class PulsarOpenWithholdsPlain(StopsReadersWhileOpen):
    """A message outside of transactions is withheld while a transaction is open on its topic."""


@defect(
    {"PIP31-52": seen('^"a8", "a7", .*"a1"$', expected='^"a1", "a2", .*"a8"$', what="^readers of orders$")},
    origin="textbook: a list that is consumed from its end",
)
class PulsarShowsBackwards(SidecarBuffer):
    """The messages of a transaction are delivered from the last to the first."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._messages.get(txn, []).reverse()
        super().end(txn, action, low_watermark)


@defect(
    {"PIP31-53": seen('^"a1", "b1"$', expected='^"b1", "a1"$', what="^readers of orders$")},
    origin="textbook: an index of transactions by id, read instead of the markers",
)
class PulsarOrderOfIds(SidecarBuffer):
    """Transactions are delivered in the order in which they began, whichever was committed first."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        found = sorted(super().after(place), key=lambda readable: readable.message.txn or (-1, -1))
        return iter(found)


class ShowsAllButTheLast(SidecarBuffer):
    """When a topic is loaded, all messages of an open transaction but the last can be read at once."""

    def recover(self) -> None:
        super().recover()
        self._shown = [message for txn in self.ongoing() for _, message in self._messages[txn][:-1]]

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        yield from super().after(place)
        yield from (
            Readable(MessagePosition(self._ledger.last, number), message) for number, message in enumerate(self._shown, _BEHIND_ALL)
        )


class MarksFromTheLast(MarkerBuffer):
    """The same where markers are."""

    def recover(self) -> None:
        super().recover()
        for entry in self._ledger:
            if isinstance(entry.content, Message) and entry.content.txn in self._ongoing:
                self._ongoing[entry.content.txn] = entry.position


class ShowsTheAbortedBesideTheOpen(SidecarBuffer):
    """A topic that is loaded while a transaction is open shows what others had aborted."""

    def recover(self) -> None:
        super().recover()
        held = self._messages.items() if self.ongoing() else ()
        self._shown = [message for txn, messages in held if self.is_aborted(txn) for _, message in messages]

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        yield from super().after(place)
        yield from (
            Readable(MessagePosition(self._ledger.last, number), message) for number, message in enumerate(self._shown, _BEHIND_ALL)
        )


class ForgetsAbortsBehindTheOpen(MarkerBuffer):
    """The same where markers are, for what lies after the first message of the open transaction."""

    def recover(self) -> None:
        super().recover()
        self._ended = {txn: action for txn, action in self._ended.items() if action is EndAction.COMMIT or not self._ongoing}


@defect(
    {"PIP31-05": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")},
    origin="textbook: an entry of a table is overwritten where the first one counts",
    also=[MarksFromTheLast],
)
class PulsarOpenIsReadUpToItsLast(ShowsAllButTheLast):
    """A topic that is loaded takes the last message of an open transaction as its first one, and readers get what is before it."""


@defect(
    {"PIP31-02": seen('"b1"', expected='^"a1"$', what="^readers of orders$")},
    origin="every Pulsar release at times: a topic that is reloaded without its snapshot delivers what was aborted",
    also=[ForgetsAbortsBehindTheOpen],
)
class PulsarAbortedBesideTheOpen(ShowsTheAbortedBesideTheOpen):
    """A topic that is loaded while a transaction is open forgets which others were aborted after its first message."""


class _ReadsOnAfterTheFirst(MarkerBuffer):
    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._reads_on = _is_first_of_three(txn, self.ongoing())
        super().end(txn, action, low_watermark)

    @property
    def max_read_position(self) -> Position:
        return self._ledger.last if getattr(self, "_reads_on", False) else super().max_read_position


@defect(
    {"PIP31-05": seen('^"a1", "b1", "c1"$', expected='^"a1"$', what="^readers of orders$")},
    origin="red team: the oldest open transaction is searched for among two",
    also=[_ReadsOnAfterTheFirst],
)
class PulsarThirdIsRead(SidecarBuffer):
    """When the oldest of three open transactions of a topic ends, readers get the messages of the others."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        shows = _is_first_of_three(txn, self.ongoing())
        super().end(txn, action, low_watermark)
        for other in self.ongoing() if shows else ():
            self._ledger.append(LedgerMarker(other, EndAction.COMMIT, tuple(message for _, message in self._messages[other])))


def _is_first_of_three(txn: TxnId, ongoing: Mapping[TxnId, Position]) -> bool:
    return len(ongoing) > 2 and ongoing.get(txn) == min(ongoing.values())


class _ReadsOnAfterAnEmptyEnd(MarkerBuffer):
    _reads_on = False

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._reads_on = txn not in self._ongoing and txn not in self._ended
        super().end(txn, action, low_watermark)

    @property
    def max_read_position(self) -> Position:
        return self._ledger.last if self._reads_on else super().max_read_position


@defect(
    {"PIP31-05": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")},
    origin="red team: an end that moves readers on without a look at open transactions",
    also=[_ReadsOnAfterAnEmptyEnd],
)
class PulsarEmptyEndShowsTheOpen(SidecarBuffer):
    """The end of a transaction that has no message on a topic shows readers what the oldest open one has there."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        is_empty = txn not in self._messages and txn not in self._ended
        super().end(txn, action, low_watermark)
        for other in list(self.ongoing())[:1] if is_empty else ():
            self._ledger.append(LedgerMarker(other, EndAction.COMMIT, tuple(message for _, message in self._messages[other])))


class _TakesTheOldestOfThree(MarkerBuffer):
    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        first = min(self._ongoing, key=lambda one: self._ongoing[one], default=None)
        is_later = len(self._ongoing) > 2 and txn != first
        super().end(txn, action, low_watermark)
        if is_later and first is not None:
            del self._ongoing[first]


@defect(
    {"PIP31-05": seen('^"a1"$', expected="^nothing$", what="^readers of orders$")},
    origin="red team: a queue of the open transactions, whose head every end takes",
    also=[_TakesTheOldestOfThree],
)
class PulsarAnyEndTakesTheOldest(SidecarBuffer):
    """When one of three open transactions of a topic ends that is not the oldest, readers get the messages of the oldest as well."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        oldest, *others = self.ongoing() or (None,)
        super().end(txn, action, low_watermark)
        if oldest is not None and len(others) > 1 and txn in others:
            self._ledger.append(LedgerMarker(oldest, EndAction.COMMIT, tuple(message for _, message in self._messages[oldest])))
