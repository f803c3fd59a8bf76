"""Defects of the Pulsar reference in inputs that move with the outcome."""

from fencepost.reference.defects.core.pair import core_pair
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.pending_through_crashes import CommitLeavesPending
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import PulsarTransaction


@core_pair({"CORE-20": seen('^"i1", "i2", "i3"$')}, origin="textbook: pending acknowledgements that are only ever dropped")
class InputComesAgain(Subscription):
    """The end of a transaction redelivers what it acknowledged, also when it was committed."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:  # noqa: ARG002 - that is the defect
        super().apply_outcome(txn, EndAction.ABORT)


@core_pair({"CORE-21": seen('^"i3"$')}, origin="textbook: pending acknowledgements that are only ever applied")
class InputLost(Subscription):
    """The end of a transaction deletes what it acknowledged, also when it was aborted."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:  # noqa: ARG002 - that is the defect
        super().apply_outcome(txn, EndAction.COMMIT)


@core_pair({"CORE-21": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$')}, origin="red team: an abort that begins again from nothing")
class AbortForgetsThePlace(Subscription):
    """An abort has the subscription begin again at the start, so that input of committed transactions is processed again."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT and txn in self.pending.transactions():
            self.cursor.seek(EARLIEST)
        super().apply_outcome(txn, action)


@defect(
    {"CORE-22": seen("^nothing$", expected='^"i1"$', what="^place of workers")},
    origin="textbook: the second list of participants is read only where the first is empty",
)
class CorePulsarInputNotTold(Participants):
    """The coordinator notifies only the topics of a transaction that also writes; what the transaction acknowledged stays pending for
    ever."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        return list(transaction.partitions) or super().recipients(transaction)


@core_pair({"CORE-23": seen('^"i3"$')}, origin="textbook: the wrong key")
class OnePlaceForAllGroups(Cursor):
    """A topic has one cursor, so that what one subscription acknowledges is gone for all."""

    def journal_name(self, name: SubscriptionName) -> str:
        return super().journal_name(SubscriptionName(name.topic, "all"))


@defect(
    {"CORE-20": seen("^something of one$", expected="^nothing", what="^pending of inputs for workers$")},
    origin="red team: what stays pending looks like what is deleted to a member that does not look again",
)
class CorePulsarCommitLeavesPending(CommitLeavesPending):
    """A commit is answered and leaves its input pending for ever: no member of the group receives it, and it is not consumed."""

    def leaves(self, txn: TxnId) -> bool:  # noqa: ARG002 - that is the defect
        return True
