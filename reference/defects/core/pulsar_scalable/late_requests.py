"""Defects of scalable topics in requests that come late or twice."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId

from . import fencing


@defect(
    {"CORE-30": seen('^"a1", "a2"$', expected='^"a1"$', what="readers of orders")},
    origin="textbook: the current transaction held for the one that is meant",
)
class CoreScalableRepeatedEndEndsTheNext(MetadataCoordinator):
    """The coordinator treats a repeated end as the end of the client's next transaction, which is open."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        later = [one.txn for one in self.transactions() if one.txn > txn and not one.status.is_decided]
        super().end(later[0] if later and self.is_over(txn) else txn, action, reply)


@defect({"CORE-31": seen('"late"')}, origin="textbook: a producer without an open transaction is treated as unknown")
class CoreScalableLateToItsCommitShown(fencing.CoreScalableLateWriteShown):
    """A topic stores a message of an ended transaction as a message outside of transactions, so every reader receives it."""


@defect(
    {"CORE-31": seen('^"a1", "not even what was written last"$', expected='^"a1"(, "plain")?$')},
    origin="feared by readers of the proposal, Q7: the operation record that comes after the end, and its deletion",
)
class CoreScalableLateToItsCommitHangs(fencing.CoreScalableLateWriteOpensAgain):
    """A message of an ended transaction opens it again in a segment that has already applied the end and applies it only once, so
    readers wait."""
