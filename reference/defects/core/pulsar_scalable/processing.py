"""Defects of scalable topics in exactly once from input to output."""

from collections.abc import Sequence

from fencepost.reference.defects.core.pulsar.recovery import CorePulsarEndBeforeDeletion
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.pulsar.pending_ack_store import PendingAck

from . import recovery, visibility


@defect(
    {"CORE-41": seen('^"i1"$', expected="^nothing", what="inputs left for workers")},
    origin="the first release with PIP-471, whose subscriptions recover no positions (R1)",
)
class CoreScalableTakenInputForgottenByCrash(PendingAckRecords):
    """A subscription that is loaded knows which transactions have something pending, and not what, so their commit deletes nothing."""

    def replay(self) -> Sequence[PendingAck]:
        return [PendingAck(waiting.txn) for waiting in super().replay()]


@defect(
    {"CORE-33": seen("^nothing", expected='^"r1"$', what="readers of results")},
    origin="textbook: two participants, of which one decides by itself",
)
class CoreScalableInputTakenOutputGone(recovery.CoreScalableOpenForgottenByCrash):
    """A segment that is loaded aborts what it finds open, and a subscription goes by the header, which says committed."""


@defect(
    {"CORE-33": seen("^nothing$", expected='^"i1"$', what="place of workers in inputs")},
    origin="found in this reference by a review",
    also=[CorePulsarEndBeforeDeletion],
)
class CoreScalableOutputThereInputFree(recovery.CoreScalableEndBeforeDeletion):
    """A subscription deletes its operation records before the acknowledged messages: after a crash in between, it redelivers the input."""


@defect(
    {"CORE-35": seen('"b1"', what="inputs left for workers")},
    origin="apache/pulsar#21464: a consumer of the compacted topic read what was not committed",
)
class CoreScalableOpenInputGiven(visibility.CoreScalableDirtyRead):
    """An operation record holds no reader back, and messages are read before anything is decided."""
