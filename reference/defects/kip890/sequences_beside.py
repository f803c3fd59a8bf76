"""Defects of sequence numbers that only another producer in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerStates
from fencepost.wire.kafka.batches import Batch

_REMEMBERED = 5


class _RepetitionIsAnybodys(ProducerStates):
    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        others = [state for state in self._states.values() if state.has_open_transaction and state.producer.epoch == batch.producer_epoch]
        known = [one for state in others for one in state.batches if one.first_sequence == batch.base_sequence > 0]
        return super().duplicate_of(batch) or next(iter(known), None)


class _RemembersFiveForAll(ProducerStates):
    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        known = super().duplicate_of(batch)
        newest = sorted((one.base_offset for state in self._states.values() for one in state.batches), reverse=True)[:_REMEMBERED]
        return known if known is not None and known.base_offset in newest else None


REPETITION_OF_ANYBODY = Defect(
    name="repetition-of-anybody",
    breaks={"KIP890-112": Symptom(what="answer to Produce", expected="b2")},
    story="A batch with the sequence number of another producer's is taken for its repetition, answered with success and dropped.",
    origin="textbook: a table of recent batches whose key lacks the producer",
    parts=Parts(producer_states=_RepetitionIsAnybodys),
)

FIVE_FOR_ALL = Defect(
    name="five-for-all",
    breaks={"KIP890-112": Symptom(what="answer to Produce")},
    story="A partition remembers five batches for all producers together, so a repetition behind five of another is out of order.",
    origin="textbook: one ring for all producers of a partition",
    parts=Parts(producer_states=_RemembersFiveForAll),
)
