"""Defects of a coordinator that is still reading its log."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.verification import Operation, Verification


@defect(
    {"KIP890-169": seen("INVALID_PRODUCER_ID_MAPPING", what="refusals of EndTxn")},
    origin="textbook: an empty map that is asked before it is filled",
)
class UnknownWhileLoading(Coordinator):
    """A coordinator that has not read its log yet takes every producer for a stranger, and each of them gives up."""

    def check_loaded(self) -> None:
        try:
            super().check_loaded()
        except Refused as refusal:
            raise Refused(Error.INVALID_PRODUCER_ID_MAPPING) from refusal


@defect({"KIP890-057": seen("NOT_ENOUGH_REPLICAS")}, origin="textbook: one translation of errors for Produce and for TxnOffsetCommit")
class LoadingToldAsReplicas(Verification):
    """While the coordinator loads, TxnOffsetCommit is answered with the error of Produce, for which clients that commit offsets do not
    retry."""

    def refusal_of_offset_commit(self, error: Error, operation: Operation) -> Refused:
        if error is Error.COORDINATOR_LOAD_IN_PROGRESS:
            return Refused(Error.NOT_ENOUGH_REPLICAS)
        return super().refusal_of_offset_commit(error, operation)
