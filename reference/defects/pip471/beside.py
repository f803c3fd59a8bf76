"""Defects of metadata-driven transactions on a broker that also has those of PIP-31."""

from collections.abc import Iterator

from fencepost.reference.defects.core.pulsar.visibility import StopsReadersAtPosition
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.kinds import Kinds, TransactionKind
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import Participant
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import PulsarTransaction


@defect(
    {"PIP471-56": seen("^nothing$", expected='^"k1"$', what="^readers of ledger$")},
    origin="feared by readers of the proposal: a flag of a request that no code reads",
    of=MetadataParts,
)
class MetadataOneCoordinatorForBothKinds(Kinds):
    """A broker that has the new coordinator sends it every request, also those of clients that do not know it."""

    def serving(self, *, scalable: bool) -> TransactionKind:  # noqa: ARG002 - that is the defect
        return super().serving(scalable=True)


@defect(
    {
        "PIP471-56": seen('^"i1"$', expected="^nothing$", what="^left for workers$"),
        "PIP471-29": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$"),
    },
    origin="feared by readers of the proposal: both kinds number from 0, and only the topic distinguishes them",
    of=MetadataParts,
)
class MetadataSubscriptionsToldByBothKinds(Kinds):
    """A coordinator of the classic kind ends what is pending on a subscription of a segment under the number of its transaction."""

    def is_notified(self, participant: Participant) -> bool:
        return isinstance(participant, SubscriptionName) or super().is_notified(participant)


@defect(
    {"PIP471-57": seen("^nothing$", expected='^"p1"$', what="^readers of ledger$")},
    origin="the proposal's text, Q11; as shipped by Apache Pulsar, seen on 5.0.0-M1",
    of=MetadataParts,
)
class MetadataStrayHoldsUpForEver(StopsReadersAtPosition):
    """A classic topic stores a message of a transaction of the other kind, and its readers wait for a commit that never comes."""

    def publish(self, message: Message) -> Position:
        if message.txn is not None and self.stop is None:
            self.stop = self._ledger.last
        return super().publish(message)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        if action is EndAction.COMMIT:
            self.stop = None


class _HidesTheOtherKinds(MetadataBuffer):
    def is_aborted(self, txn: TxnId) -> bool:
        return super().is_aborted(txn) or txn in list(self._machine.disk.journal("aborted by a classic coordinator"))


@defect(
    {"PIP471-56": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="red team: one set of aborted transactions, with numbers that both kinds give",
    also=[_HidesTheOtherKinds],
)
class MetadataAbortHidesTheOtherKind(LogCoordinator):
    """When a classic transaction aborts, segments hide the messages of the metadata-driven one with its number."""

    def decide(self, transaction: PulsarTransaction, action: EndAction, reply: Reply | None) -> None:
        if action is EndAction.ABORT:
            self._machine.disk.journal("aborted by a classic coordinator").append(transaction.txn)
        super().decide(transaction, action, reply)


class _ShowsOnlyItsOwn(SidecarBuffer):
    def after(self, place: MessagePosition) -> Iterator[Readable]:
        gone = list(self._machine.disk.journal("aborted in the store"))
        return (readable for readable in super().after(place) if readable.message.txn not in gone)


@defect(
    {"PIP471-56": seen("^nothing$", expected='^"k1"$', what="^readers of ledger$")},
    origin="red team: one set of aborted transactions, with numbers that both kinds give",
    also=[_ShowsOnlyItsOwn],
)
class MetadataAbortHidesTheClassic(MetadataCoordinator):
    """When a metadata-driven transaction aborts, topics hide the messages of the classic one with its number."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        super().decide(txn, action)
        if action is EndAction.ABORT:
            self._machine.disk.journal("aborted in the store").append(txn)
