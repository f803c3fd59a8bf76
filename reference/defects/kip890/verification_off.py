"""Defects where verification is switched off, and in the way out of what that allows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.verification import Operation, Verification


class _AsksNobody(Verification):
    def asks_for(self, operation: Operation) -> bool:  # noqa: ARG002 - that is the defect
        return self._settings.verifies_partitions


SWITCH_STOPS_ADDING_TOO = Defect(
    name="switch-stops-adding-too",
    breaks={"KIP890-116": Symptom(seen="^Empty in no partition")},
    story="The switch for verification turns off the whole question, so a new client writes into a transaction that nobody opened.",
    origin="textbook: one early return before two operations",
    parts=Parts(verification=_AsksNobody),
)


class _AsksAlways(Verification):
    def asks_for(self, operation: Operation) -> bool:  # noqa: ARG002 - that is the defect
        return True


SWITCH_DOES_NOTHING = Defect(
    name="switch-does-nothing",
    breaks={"KIP890-116": Symptom(what="answer to Produce", error="^TRANSACTION_ABORTABLE$")},
    story="The setting is read and never asked for, and old clients are verified as before.",
    origin="textbook: a configuration key without a reader",
    parts=Parts(verification=_AsksAlways),
)


class _TakesEveryMarkerForANewOne(ProducerStates):
    def check_marker(self, marker: TransactionMarker) -> None:
        state = self.get(marker.producer.producer_id)
        if state is not None and state.has_open_transaction and marker.producer.epoch == state.producer.epoch:
            raise Refused(Error.INVALID_PRODUCER_EPOCH)
        super().check_marker(marker)


STRICT_MARKERS_FOR_ALL = Defect(
    name="strict-markers-for-all",
    breaks={"KIP890-170": Symptom(what="answer to WriteTxnMarkers", error="^INVALID_PRODUCER_EPOCH$")},
    story="Every marker needs an epoch above that of the data, so nothing can end a transaction that hangs.",
    origin="textbook: the strict test of WriteTxnMarkers v2 without a look at the version",
    parts=Parts(producer_states=_TakesEveryMarkerForANewOne),
)
