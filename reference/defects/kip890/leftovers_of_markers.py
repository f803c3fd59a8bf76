"""Defects in what a marker that a partition has refused leaves there."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.producer_state import ProducerStates


@defect(
    {"KIP890-411": seen("^PrepareCommit", expected="^over$", what="^transaction of A")},
    origin="red team: two checks, of which the first has stored what it has seen when the second refuses",
)
class RefusedMarkerRaisesCoordinatorEpoch(ProducerStates):
    """A marker with a stale producer epoch is refused, and its coordinator epoch stays, which fences the coordinator's own markers."""

    def check_marker(self, marker: TransactionMarker) -> None:
        state = self.get(marker.producer.producer_id)
        if state is not None and marker.coordinator_epoch > state.coordinator_epoch:
            self._states[marker.producer.producer_id] = replace(state, coordinator_epoch=marker.coordinator_epoch)
        super().check_marker(marker)


@defect(
    {"KIP890-411": seen("^a refusal", what="^answer to Produce")},
    origin="red team: two checks, of which the first has stored what it has seen when the second refuses",
)
class RefusedMarkerRaisesProducerEpoch(ProducerStates):
    """The marker of an old coordinator is refused, and its producer epoch is kept, so that the producer is fenced in its
    open transaction.
    """

    def check_marker(self, marker: TransactionMarker) -> None:
        try:
            super().check_marker(marker)
        except RequestRefused as refusal:
            state = self.get(marker.producer.producer_id)
            if refusal.error is Errors.TRANSACTION_COORDINATOR_FENCED and state is not None:
                raised = ProducerIdAndEpoch(marker.producer.producer_id, max(marker.producer.epoch, state.producer.epoch))
                self._states[marker.producer.producer_id] = replace(state, producer=raised)
            raise
