"""Defects of the Pulsar reference in exactly once from input to output."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.reference.defects.core.pair import core_pair
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import TxnId, TxnStatus
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import PulsarTransaction

from . import visibility


@defect(
    {"CORE-33": seen("^nothing", expected='^"r1"$', what="readers of results")}, origin="textbook: two lists, one of which is forgotten"
)
class CorePulsarInputTakenOutputGone(LogCoordinator):
    """A coordinator that starts and finds a decided transaction notifies the subscriptions only, and counts the topics as notified."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        found = super().recovered(transaction)
        return replace(found, partitions=()) if found.status.is_decided and found.subscriptions else found


@defect(
    {"CORE-33": seen("^nothing$", expected='^"i1"$', what="place of workers in inputs")},
    origin="textbook: two lists, one of which is forgotten; and a look at the output alone",
)
class CorePulsarOutputThereInputPending(LogCoordinator):
    """A coordinator that starts and finds a commit notifies the topics only: the acknowledged input is neither delivered nor deleted."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        found = super().recovered(transaction)
        return replace(found, subscriptions=()) if found.status is TxnStatus.COMMITTING and found.partitions else found


@defect({"CORE-41": seen('^"i1"$', expected="^nothing", what="inputs left for workers")}, origin="textbook: acknowledging before writing")
class CorePulsarTakenInputForgottenByCrash(PendingAckJournal):
    """What is acknowledged in an open transaction is in memory only, so a commit after a crash finds nothing to delete."""

    def must_be_durable(self, waiting: PendingAck) -> bool:  # noqa: ARG002 - nothing is
        return False


@core_pair(
    {"CORE-34": seen('^"i1", "i1" in results', what="inputs processed by workers")}, origin="textbook: two states where PIP-31 has three"
)
class PendingInputGivenAway(PendingAcks):
    """A message that an open transaction has acknowledged is delivered to the next consumer, and may be acknowledged again."""

    def units_at(self, place: MessagePosition) -> Units:  # noqa: ARG002 - nothing is withheld
        return frozenset()

    def is_pending(self, place: MessagePosition, units: Units) -> bool:  # noqa: ARG002 - nor in conflict
        return False


@core_pair(
    {"CORE-39": seen('^"i1"$', expected="^nothing", what="place of workers in inputs")},
    origin="textbook: undone afterwards, where it should be done afterwards",
)
class PlaceMovedTooEarly(Subscription):
    """A message that a transaction acknowledges is deleted at once, and redelivered after an abort."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge_in(txn, wanted)
        self.cursor.acknowledge(wanted, self._buffer)


@defect(
    {"CORE-35": seen('"b1"', what="inputs left for workers")},
    origin="apache/pulsar#21464: a consumer of the compacted topic read what was not committed",
)
class CorePulsarOpenInputGiven(visibility.CorePulsarDirtyRead):
    """Messages of a transaction go into the topic like any others, and are read before anything is decided."""
