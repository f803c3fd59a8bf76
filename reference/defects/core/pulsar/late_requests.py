"""Defects of the Pulsar reference in requests that come late or twice."""

from fencepost.reference.defects.core.pair import core_pair
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31 import deduplication
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId

from . import fencing


@defect(
    {"CORE-30": seen('^"a1", "a2"$', expected='^"a1"$', what="readers of orders")},
    origin="textbook: the current transaction held for the one that is meant",
)
class CorePulsarRepeatedEndEndsTheNext(LogCoordinator):
    """The coordinator treats a repeated end as the end of the client's next transaction, which is open."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        later = [one.txn for one in self.transactions() if one.txn > txn and not one.status.is_decided]
        super().end(later[0] if later and self.describe(txn).status.is_complete else txn, action, reply)


@defect({"CORE-31": seen('"late"')}, origin="textbook: a producer without an open transaction is treated as unknown")
class CorePulsarLateToItsCommitShown(fencing.CorePulsarLateWriteShown):
    """A topic stores a message of an ended transaction as a message outside of transactions, so every reader receives it."""


@defect(
    {"CORE-31": seen('^"a1"$', expected='^"a1", "plain"$')},
    origin="Pulsar's marker buffer up to 4.0.7, where a late message of a committed transaction holds up its topic",
)
class CorePulsarLateToItsCommitHangs(fencing.CorePulsarLateWriteOpensAgain):
    """A message of an ended transaction opens that transaction again in its topic. No client will end it, so readers wait before the
    message."""


@core_pair({"CORE-38": seen('^"a1", "a2", "a2"$', expected='^"a1", "a2"$')}, origin="textbook: at least once")
class RepeatedWriteIsStored(deduplication.RepeatedIsStored):
    """A message that is sent again after a lost connection is stored once more."""


@core_pair({"CORE-38": seen('^"a1", "a2", "a2"$', expected='^"a1", "a2"$')}, origin="textbook: a state that recovery forgets")
class RepeatedWriteIsStoredAfterReload(deduplication.RepeatedIsStoredAfterLoading):
    """The sequence ids are known in memory only, so that a reloaded topic accepts a repeated message."""
