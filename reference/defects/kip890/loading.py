"""Defects of a coordinator that is still reading its log."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.verification import Operation, Verification


class _KnowsNobodyYet(Coordinator):
    def check_loaded(self) -> None:
        try:
            super().check_loaded()
        except Refused as refusal:
            raise Refused(Error.INVALID_PRODUCER_ID_MAPPING) from refusal


UNKNOWN_WHILE_LOADING = Defect(
    name="unknown-while-loading",
    breaks={"KIP890-169": Symptom(what="refusals of EndTxn", seen="INVALID_PRODUCER_ID_MAPPING")},
    story="A coordinator that has not read its log yet takes every producer for a stranger, and each of them gives up.",
    origin="textbook: an empty map that is asked before it is filled",
    parts=Parts(coordinator=_KnowsNobodyYet),
)


class _SpeaksOfReplicas(Verification):
    def refusal_of_offset_commit(self, error: Error, operation: Operation) -> Refused:
        if error is Error.COORDINATOR_LOAD_IN_PROGRESS:
            return Refused(Error.NOT_ENOUGH_REPLICAS)
        return super().refusal_of_offset_commit(error, operation)


LOADING_TOLD_AS_REPLICAS = Defect(
    name="loading-told-as-replicas",
    breaks={"KIP890-057": Symptom(seen="NOT_ENOUGH_REPLICAS")},
    story="TxnOffsetCommit tells of a loading coordinator as Produce does, with an error that consumers of offsets do not ask again for.",
    origin="textbook: one translation of errors for Produce and for TxnOffsetCommit",
    parts=Parts(verification=_SpeaksOfReplicas),
)
