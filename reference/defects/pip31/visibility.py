"""Defects in what consumers of a Pulsar topic see of a transaction."""

from collections.abc import Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId


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


class _StopsReaders(SidecarBuffer):
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
    parts=Parts(sidecar_buffer=_StopsReaders),
)

PULSAR_OPEN_WITHHOLDS_PLAIN = Defect(
    name="pulsar-open-withholds-plain",
    breaks={"PIP31-08": Symptom(what="^readers of orders$", expected='^"plain"$', seen="^nothing$")},
    story="A message outside of transactions is withheld while a transaction is open on its topic.",
    origin="every Pulsar release, which has the marker approach",
    parts=Parts(sidecar_buffer=_StopsReaders),
)


class _ShowsBackwards(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._messages.get(txn, []).reverse()
        super().end(txn, action, low_watermark)


PULSAR_SHOWS_BACKWARDS = Defect(
    name="pulsar-shows-backwards",
    breaks={"PIP31-52": Symptom(what="^readers of orders$", expected='^"a1", "a2", "a3", "a4"$', seen='^"a4", "a3", "a2", "a1"$')},
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
