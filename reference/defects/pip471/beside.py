"""Defects of metadata-driven transactions beside those of PIP-31."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.core.pulsar.visibility import StopsReaders
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.kinds import Kinds, TransactionKind
from fencepost.reference.pulsar.participants import Participant
from fencepost.reference.pulsar.values import Action, Message, Position, SubscriptionName, TxnId


class _OneCoordinator(Kinds):
    def serving(self, *, scalable: bool) -> TransactionKind:  # noqa: ARG002 - that is the defect
        return super().serving(scalable=True)


class _TellsSubscriptions(Kinds):
    def is_told(self, participant: Participant) -> bool:
        return isinstance(participant, SubscriptionName) or super().is_told(participant)


class _HeldUpByStrays(StopsReaders):
    def publish(self, message: Message) -> Position:
        if message.txn is not None and self.stop is None:
            self.stop = self._ledger.last
        return super().publish(message)

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        if action is Action.COMMIT:
            self.stop = None


ONE_COORDINATOR_FOR_BOTH_KINDS = Defect(
    name="metadata-one-coordinator-for-both-kinds",
    breaks={"PIP471-56": Symptom(what="^readers of ledger$", expected='^"k1"$', seen="^nothing$")},
    story="A broker that has the new coordinator sends it every request, also those of clients that know nothing of it.",
    origin="feared by readers of the proposal: a flag of a request that nobody looks at",
    parts=MetadataParts(kinds=_OneCoordinator),
)

STRAY_HOLDS_UP_FOR_EVER = Defect(
    name="metadata-stray-holds-up-for-ever",
    breaks={"PIP471-57": Symptom(what="^readers of ledger$", expected='^"p1"$', seen="^nothing$")},
    story="A classic topic stores a message of a transaction of the other kind, and its readers wait for a commit that never comes.",
    origin="the proposal's text, Q11; as shipped by Apache Pulsar, seen on 5.0.0-M1",
    parts=MetadataParts(sidecar_buffer=_HeldUpByStrays),
)

SUBSCRIPTIONS_TOLD_BY_BOTH_KINDS = Defect(
    name="metadata-subscriptions-told-by-both-kinds",
    breaks={
        "PIP471-56": Symptom(what="^left for workers$", expected="^nothing$", seen='^"i1"$'),
        "PIP471-29": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$'),
    },
    story="A coordinator of the classic kind ends what is pending on a subscription of a segment under the number of its transaction.",
    origin="feared by readers of the proposal: both kinds number from 0, and nothing but the topic tells them apart",
    parts=MetadataParts(kinds=_TellsSubscriptions),
)
