"""Defects of a coordinator that is still reading its log."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.verification import TransactionSupport, Verification


@defect(
    {"KIP890-169": seen("INVALID_PRODUCER_ID_MAPPING", what="refusals of EndTxn")},
    origin="textbook: an empty map that is asked before it is filled",
)
class UnknownWhileLoading(KafkaCoordinator):
    """A coordinator that has not read its log yet answers every producer as an unknown one, and each of them gives up."""

    def check_loaded(self) -> None:
        try:
            super().check_loaded()
        except RequestRefused as refusal:
            raise RequestRefused(Errors.INVALID_PRODUCER_ID_MAPPING) from refusal


@defect({"KIP890-057": seen("NOT_ENOUGH_REPLICAS")}, origin="textbook: one translation of errors for Produce and for TxnOffsetCommit")
class LoadingToldAsReplicas(Verification):
    """While the coordinator loads, TxnOffsetCommit is answered with the error of Produce, for which clients that commit offsets do not
    retry."""

    def refusal_of_offset_commit(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        if error is Errors.COORDINATOR_LOAD_IN_PROGRESS:
            return RequestRefused(Errors.NOT_ENOUGH_REPLICAS)
        return super().refusal_of_offset_commit(error, operation)
