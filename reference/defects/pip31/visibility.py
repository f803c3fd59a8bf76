"""Defects in what consumers of a Pulsar topic see of a transaction."""

from collections.abc import Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

_BEHIND_ALL = 2**20
"""Behind every message that an entry of a test holds."""


class _KeepsTheLastTopic(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        known = self._transactions[txn]
        self._install(Transaction(txn, known.timeout_ms, known.started_at, known.status, names, known.subscriptions))


PULSAR_LAST_TOPIC_ONLY = Defect(
    name="pulsar-last-topic-only",
    breaks={"PIP31-01": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen="^nothing$")},
    story="Each request to add topics replaces those that were added before, so a commit reaches only the topics of the last request.",
    origin="textbook: a list is set where it should grow",
    parts=Parts(coordinator=_KeepsTheLastTopic),
)


class _CommitsAborts(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:  # noqa: ARG002 - that is the defect
        super().end(txn, Action.COMMIT, low_watermark)


PULSAR_ABORT_SHOWS = Defect(
    name="pulsar-abort-shows",
    breaks={"PIP31-02": Symptom(what="^left for early$", expected="^nothing$", seen='^"a1"$')},
    story="A topic does not look at how a transaction ends, and shows its messages whichever way.",
    origin="textbook: a marker without its kind",
    parts=Parts(sidecar_buffer=_CommitsAborts),
)


class _WritesThrough(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        return self._ledger.append(message)


PULSAR_OPEN_IS_READ = Defect(
    name="pulsar-open-is-read",
    breaks={"PIP31-05": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"a1"$')},
    story="Messages of an open transaction stand in the topic like any other, and consumers get them.",
    origin="textbook: read uncommitted",
    parts=Parts(sidecar_buffer=_WritesThrough),
)


class StopsReaders(SidecarBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        return iter(()) if self.ongoing() else super().after(place)

    @property
    def max_read_position(self) -> Position:
        return Position(-1, -1) if self.ongoing() else super().max_read_position


PULSAR_OPEN_STOPS_ALL = Defect(
    name="pulsar-open-stops-all",
    breaks={"PIP31-06": Symptom(what="^readers of orders$", expected='^"before", "right before"$', seen="^nothing$")},
    story="While a transaction is open on a topic nothing of the topic is delivered, not even what lies before it.",
    origin="textbook: the readable position goes back to the beginning",
    parts=Parts(sidecar_buffer=StopsReaders),
)

PULSAR_OPEN_WITHHOLDS_PLAIN = Defect(
    name="pulsar-open-withholds-plain",
    breaks={"PIP31-08": Symptom(what="^readers of orders$", expected='^"plain"$', seen="^nothing$")},
    story="A message outside of transactions is withheld while a transaction is open on its topic.",
    origin="every Pulsar release, which has the marker approach",
    parts=Parts(sidecar_buffer=StopsReaders),
)


class _ShowsBackwards(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._messages.get(txn, []).reverse()
        super().end(txn, action, low_watermark)


PULSAR_SHOWS_BACKWARDS = Defect(
    name="pulsar-shows-backwards",
    breaks={"PIP31-52": Symptom(what="^readers of orders$", expected='^"a1", "a2", .*"a8"$', seen='^"a8", "a7", .*"a1"$')},
    story="The messages of a transaction are delivered from the last to the first.",
    origin="textbook: a list that is consumed from its end",
    parts=Parts(sidecar_buffer=_ShowsBackwards),
)


class _ShowsInOrderOfIds(SidecarBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        found = sorted(super().after(place), key=lambda readable: readable.message.txn or (-1, -1))
        return iter(found)


PULSAR_ORDER_OF_IDS = Defect(
    name="pulsar-order-of-ids",
    breaks={"PIP31-53": Symptom(what="^readers of orders$", expected='^"b1", "a1"$', seen='^"a1", "b1"$')},
    story="Transactions are delivered in the order in which they began, whichever was committed first.",
    origin="textbook: an index of transactions by id, read instead of the markers",
    parts=Parts(sidecar_buffer=_ShowsInOrderOfIds),
)


class ShowsAllButTheLast(SidecarBuffer):
    """Of a transaction that is open when the topic is loaded, all messages but the last can be read at once."""

    def recover(self) -> None:
        super().recover()
        self._shown = [message for txn in self.ongoing() for _, message in self._messages[txn][:-1]]

    def after(self, place: Place) -> Iterator[Readable]:
        yield from super().after(place)
        yield from (Readable(Place(self._ledger.last, number), message) for number, message in enumerate(self._shown, _BEHIND_ALL))


class MarksFromTheLast(MarkerBuffer):
    """The same where markers are."""

    def recover(self) -> None:
        super().recover()
        for entry in self._ledger:
            if isinstance(entry.content, Message) and entry.content.txn in self._ongoing:
                self._ongoing[entry.content.txn] = entry.position


class ShowsTheAbortedBesideTheOpen(SidecarBuffer):
    """Loaded while a transaction is open, the topic shows what others had aborted."""

    def recover(self) -> None:
        super().recover()
        held = self._messages.items() if self.ongoing() else ()
        self._shown = [message for txn, messages in held if self.is_aborted(txn) for _, message in messages]

    def after(self, place: Place) -> Iterator[Readable]:
        yield from super().after(place)
        yield from (Readable(Place(self._ledger.last, number), message) for number, message in enumerate(self._shown, _BEHIND_ALL))


class ForgetsAbortsBehindTheOpen(MarkerBuffer):
    """The same where markers are, of what lies behind the first message of the open one."""

    def recover(self) -> None:
        super().recover()
        self._ended = {txn: action for txn, action in self._ended.items() if action is Action.COMMIT or not self._ongoing}


PULSAR_OPEN_IS_READ_FROM_ITS_LAST = Defect(
    name="pulsar-open-is-read-up-to-its-last",
    breaks={"PIP31-05": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"a1"$')},
    story="A topic that is loaded takes the last message of an open transaction for its first, and readers get what is before it.",
    origin="textbook: an entry of a table is overwritten where the first one counts",
    parts=Parts(sidecar_buffer=ShowsAllButTheLast, marker_buffer=MarksFromTheLast),
)

PULSAR_ABORTED_BESIDE_THE_OPEN = Defect(
    name="pulsar-aborted-beside-the-open",
    breaks={"PIP31-02": Symptom(what="^readers of orders$", expected='^"a1"$', seen='"b1"')},
    story="A topic that is loaded while a transaction is open forgets which others were aborted behind its first message.",
    origin="every Pulsar release at times: a topic that comes back without its snapshot delivers what was aborted",
    parts=Parts(sidecar_buffer=ShowsTheAbortedBesideTheOpen, marker_buffer=ForgetsAbortsBehindTheOpen),
)
