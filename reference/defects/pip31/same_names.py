"""Defects of Pulsar in distinguishing things that have the same name, or the same number, in several places."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import ReadView
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, SubscriptionType, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription

_NO_COORDINATOR = -1
_NO_WATERMARK = -1


def _local_name(topic: str) -> str:
    return topic.split("/", 4)[-1]


@defect(
    {"PIP31-131": seen('^("p1", "p2"|something of 1 transactions)$', what="payers")},
    origin="textbook: a key without the half that distinguishes",
)
class PulsarSubscriptionsByName(LogCoordinator):
    """A transaction has one subscription of each name: what was acknowledged on the other topic stays pending for ever."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        known = {one.name for one in self.describe(txn).subscriptions}
        super().add_subscriptions(txn, tuple(one for one in names if one.name not in known))


class _ComparesSequencesInTopics(MarkerBuffer):
    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        for other in list(self.ongoing()):
            if other.sequence <= low_watermark:
                super().end(other, EndAction.ABORT, low_watermark)


@defect(
    {"PIP31-132": seen('^"i1", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: a number that is compared without its owner",
    also=[_ComparesSequencesInTopics],
)
class PulsarWatermarkOfAnotherCoordinator(Subscription):
    """The low watermark of one coordinator is compared with the transactions of all, and ends what is open at another."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        for other in self.pending.transactions():
            if other != txn and other.sequence <= low_watermark:
                self.apply_outcome(other, EndAction.ABORT)
        super().end(txn, action, low_watermark)


def _stored(message: Message) -> Message:
    return message if message.txn is None else replace(message, txn=_by_number(message.txn))


def _by_number(txn: TxnId) -> TxnId:
    return TxnId(_NO_COORDINATOR, txn.sequence)


class _MarkersByNumber(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(_stored(message))

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:  # noqa: ARG002 - it is that of one coordinator
        super().end(_by_number(txn), action, _NO_WATERMARK)

    def ongoing(self) -> dict[TxnId, Position]:
        return {}


@defect(
    {"PIP31-132": seen('("c1"|"i3")$', expected='("c1"|"d1")$', what="^readers of inputs$")},
    origin="red team: half of an id used as a key",
    also=[_MarkersByNumber],
)
class PulsarTransactionsByNumber(SidecarBuffer):
    """A topic knows transactions by the least significant bits of their ids: the end of one is the end of another coordinator's."""

    def publish(self, message: Message) -> Position:
        return super().publish(_stored(message))

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(_by_number(txn), action, low_watermark)

    def ongoing(self) -> dict[TxnId, Position]:
        return {}


@defect(
    {"PIP31-131": seen('^("o1"|something of 1 transactions)$', expected="^nothing$", what="others")},
    origin="red team: a key by the local name of a topic",
)
class PulsarSubscriptionsByLocalName(LogCoordinator):
    """Subscriptions of the same name on topics of the same name count as one, whatever their namespaces: the second one follows no end."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        known = {(_local_name(one.topic), one.name) for one in self.describe(txn).subscriptions}
        super().add_subscriptions(txn, tuple(one for one in names if (_local_name(one.topic), one.name) not in known))


@defect(
    {"PIP31-180": seen('"[ir]1"', expected='^("i2", "i3"|"r2")$', what="^(received by|left for) (east-workers|others)$")},
    origin="red team: names that are joined by a character that is in some of them",
)
class PulsarPendingByJoinedNames(PendingAckJournal):
    """The pending acknowledgements of a subscription are kept by the names of its topic and its own, joined by a hyphen: two subscriptions
    may have one journal."""

    def journal_name(self, name: SubscriptionName) -> str:
        super().journal_name(name)
        return f"pending-acks {name.topic}-{name.name}"


class _MarksReloadedByNumber(MarkerBuffer):
    def recover(self) -> None:
        super().recover()
        ended = {txn.sequence: action for txn, action in self._ended.items()}
        for txn in [txn for txn in self._ongoing if txn.sequence in ended]:
            del self._ongoing[txn]
            self._ended[txn] = ended[txn.sequence]


@defect(
    {"PIP31-132": seen('^"i1", "i2", "i3"$', expected='^"i1", "i2", "i3", "d1"$', what="^readers of inputs$")},
    origin="red team: a snapshot whose keys are half an id",
    also=[_MarksReloadedByNumber],
)
class PulsarTransactionsReloadedByNumber(SidecarBuffer):
    """A topic that is reloaded treats a transaction as ended where one with its number at another coordinator has ended there."""

    def recover(self) -> None:
        super().recover()
        ended = {txn.sequence: action for txn, action in self._ended.items()}
        self._ended |= {txn: ended[txn.sequence] for txn in self._messages if txn not in self._ended and txn.sequence in ended}


@defect(
    {"PIP31-132": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for auditors$")},
    origin="red team: half of an id is compared",
)
class CumulativeEndsByNumber(PendingAcks):
    """The end of a transaction drops the cumulative acknowledgement of one with the same number at another coordinator."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        self._cumulative = {owner: held for owner, held in self._cumulative.items() if owner.sequence != txn.sequence}
        return waiting


@defect(
    {"PIP31-180": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for east-workers$")},
    origin="red team: a table of a topic that is cleared with the first of its subscriptions",
)
class RemovalReleasesOtherSubscriptions(Subscription):
    """When a subscription is removed, the other subscriptions of its topic forget what is pending: a commit deletes nothing there."""

    def __init__(self, kind: SubscriptionType, buffer: ReadView, cursor: Cursor, pending: PendingAcks) -> None:
        super().__init__(kind, buffer, cursor, pending)
        self._of_the_topic: list[PendingAcks] = vars(buffer).setdefault("pending_acks", [])
        self._of_the_topic.append(pending)

    def erase(self) -> None:
        super().erase()
        for pending in self._of_the_topic:
            for txn in pending.transactions():
                pending.end(txn, EndAction.ABORT)
