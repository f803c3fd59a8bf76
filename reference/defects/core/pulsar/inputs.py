"""Defects of the Pulsar reference in inputs that move with the outcome."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, SubscriptionName, TxnId


class GivesBackAlways(Subscription):
    """The end of a transaction gives back what it acknowledged, however it ended."""

    def apply_outcome(self, txn: TxnId, action: Action) -> None:  # noqa: ARG002 - that is the defect
        super().apply_outcome(txn, Action.ABORT)


class DeletesAlways(Subscription):
    """The end of a transaction deletes what it acknowledged, however it ended."""

    def apply_outcome(self, txn: TxnId, action: Action) -> None:  # noqa: ARG002 - that is the defect
        super().apply_outcome(txn, Action.COMMIT)


class _TellsTopicsOnly(Participants):
    def recipients(self, transaction: Transaction) -> list[Participant]:
        return list(transaction.partitions) or super().recipients(transaction)


class OneForAll(Cursor):
    """All subscriptions of a topic share one cursor."""

    def journal_name(self, name: SubscriptionName) -> str:
        return super().journal_name(SubscriptionName(name.topic, "all"))


INPUT_COMES_AGAIN = Defect(
    name="core-pulsar-input-comes-again",
    breaks={"CORE-20": Symptom(seen='^"i1", "i2", "i3"$')},
    story="The end of a transaction gives back what it acknowledged, also when it was committed.",
    origin="textbook: pending acknowledgements that are only ever dropped",
    parts=Parts(subscription=GivesBackAlways),
)

INPUT_LOST = Defect(
    name="core-pulsar-input-lost",
    breaks={"CORE-21": Symptom(seen='^"i3"$')},
    story="The end of a transaction deletes what it acknowledged, also when it was aborted.",
    origin="textbook: pending acknowledgements that are only ever applied",
    parts=Parts(subscription=DeletesAlways),
)

INPUT_NOT_TOLD = Defect(
    name="core-pulsar-input-not-told",
    breaks={"CORE-22": Symptom(what="^place of workers", expected='^"i1"$', seen="^nothing$")},
    story="In a transaction that also writes, only topics are told of the decision; what it acknowledged is pending for ever.",
    origin="textbook: the second list of participants is read only where the first is empty",
    parts=Parts(participants=_TellsTopicsOnly),
)

ONE_PLACE_FOR_ALL_GROUPS = Defect(
    name="core-pulsar-one-place-for-all-groups",
    breaks={"CORE-23": Symptom(seen='^"i3"$')},
    story="A topic has one cursor, so that what one subscription acknowledges is gone for all.",
    origin="textbook: the wrong key",
    parts=Parts(cursor=OneForAll),
)
