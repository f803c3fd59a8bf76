"""Defects in appending to a partition."""

from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import ProducerStates, Standing
from fencepost.reference.kafka.values import ProducerIdAndEpoch

from .defect import Defect


class _LooksOnlyForAnOpenTransaction(ProducerStates):
    def standing(self, producer: ProducerIdAndEpoch) -> Standing:
        state = self.get(producer.producer_id)
        is_open = state is not None and state.has_open_transaction
        return Standing.IN_OPEN_TRANSACTION if is_open else Standing.NEW


STALE_EPOCH_ACCEPTED = Defect(
    name="stale-epoch-accepted",
    breaks="KIP890-100",
    story="A late batch of an earlier transaction is taken into the one that is open in its partition now, whatever its epoch.",
    origin="textbook: the delayed message of the proposal's introduction",
    symptom="seen success with Appended",
    parts=Parts(producer_states=_LooksOnlyForAnOpenTransaction),
)
