"""Defects of the Pulsar reference in exactly once from input to output."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import Units, Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Status, TxnId

from . import visibility


class _TellsOnlySubscriptionsAfterAStart(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, partitions=()) if found.status.is_decided and found.subscriptions else found


class _TellsOnlyTopicsAfterAStart(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, subscriptions=()) if found.status is Status.COMMITTING and found.partitions else found


class _PendingInMemory(PendingAckJournal):
    def must_be_durable(self, waiting: Waiting) -> bool:  # noqa: ARG002 - nothing is
        return False


class PendingIsFree(PendingAcks):
    """What is pending in a transaction is neither withheld nor in conflict."""

    def units_at(self, place: Place) -> Units:  # noqa: ARG002 - nothing is withheld
        return frozenset()

    def is_pending(self, place: Place, units: Units) -> bool:  # noqa: ARG002 - nor in conflict
        return False


class DeletesAtOnce(Subscription):
    """What a transaction acknowledges is deleted before that ends."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        super().acknowledge_in(txn, wanted)
        self.cursor.acknowledge(wanted, self._buffer)


INPUT_TAKEN_OUTPUT_GONE = Defect(
    name="core-pulsar-input-taken-output-gone",
    breaks={"CORE-33": Symptom(what="readers of results", expected='^"r1"$', seen="^nothing")},
    story="A coordinator that starts tells a decision that it finds to the subscriptions, and takes the topics for told.",
    origin="textbook: two lists, one of which is forgotten",
    parts=Parts(coordinator=_TellsOnlySubscriptionsAfterAStart),
)

OUTPUT_THERE_INPUT_PENDING = Defect(
    name="core-pulsar-output-there-input-pending",
    breaks={"CORE-33": Symptom(what="place of workers in inputs", expected='^"i1"$', seen="^nothing$")},
    story="A coordinator that starts tells a commit to the topics alone: nobody is given the input, and it is never deleted.",
    origin="textbook: two lists, one of which is forgotten; and a look at the output alone",
    parts=Parts(coordinator=_TellsOnlyTopicsAfterAStart),
)

TAKEN_INPUT_FORGOTTEN_BY_CRASH = Defect(
    name="core-pulsar-taken-input-forgotten-by-crash",
    breaks={"CORE-41": Symptom(what="inputs left for workers", expected="^nothing", seen='^"i1"$')},
    story="What is acknowledged in an open transaction is in memory only, so a commit after a crash finds nothing to delete.",
    origin="textbook: acknowledging before writing",
    parts=Parts(pending_ack_journal=_PendingInMemory),
)

PENDING_INPUT_GIVEN_AWAY = Defect(
    name="core-pulsar-pending-input-given-away",
    breaks={"CORE-34": Symptom(what="inputs processed by workers", seen='^"i1", "i1" in results')},
    story="What an open transaction has acknowledged is given to the next consumer, and may be acknowledged again.",
    origin="textbook: two states where PIP-31 has three",
    parts=Parts(pending_acks=PendingIsFree),
)

OPEN_INPUT_GIVEN = Defect(
    name="core-pulsar-open-input-given",
    breaks={"CORE-35": Symptom(what="inputs left for workers", seen='"b1"')},
    story=visibility.DIRTY_READ.story,
    origin=visibility.DIRTY_READ.origin,
    parts=visibility.DIRTY_READ.parts,
)

PLACE_MOVED_TOO_EARLY = Defect(
    name="core-pulsar-place-moved-too-early",
    breaks={"CORE-39": Symptom(what="place of workers in inputs", expected="^nothing", seen='^"i1"$')},
    story="What a transaction acknowledges is deleted at once, and given back by an abort.",
    origin="textbook: undone afterwards, where it should be done afterwards",
    parts=Parts(subscription=DeletesAtOnce),
)
