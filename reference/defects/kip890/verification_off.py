"""Defects of the setting that switches verification off, and of the recovery from what that allows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.verification import TransactionSupport, Verification


@defect({"KIP890-116": seen("^Empty in no partition")}, origin="textbook: one early return before two operations")
class SwitchStopsAddingToo(Verification):
    """The switch for verification also stops adding partitions, so a new client writes into a transaction that was never opened."""

    def asks_for(self, operation: TransactionSupport) -> bool:  # noqa: ARG002 - that is the defect
        return self._settings.verifies_partitions


@defect(
    {"KIP890-116": Symptom(what="answer to Produce", error="^TRANSACTION_ABORTABLE$")},
    origin="textbook: a configuration key without a reader",
)
class SwitchDoesNothing(Verification):
    """The setting is read and never used, and old clients are verified as before."""

    def asks_for(self, operation: TransactionSupport) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-170": Symptom(what="answer to WriteTxnMarkers", error="^INVALID_PRODUCER_EPOCH$")},
    origin="textbook: the strict test of WriteTxnMarkers v2 without a look at the version",
)
class StrictMarkersForAll(ProducerStates):
    """Every marker needs an epoch above that of the data, so nothing can end a transaction that hangs."""

    def check_marker(self, marker: TransactionMarker) -> None:
        state = self.get(marker.producer.producer_id)
        if state is not None and state.has_open_transaction and marker.producer.epoch == state.producer.epoch:
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
        super().check_marker(marker)
