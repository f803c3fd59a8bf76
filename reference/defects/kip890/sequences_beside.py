"""Defects of sequence numbers that only another producer in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerStates
from fencepost.wire.kafka.batches import Batch

_REMEMBERED = 5


@defect({"KIP890-112": expected("b2", what="answer to Produce")}, origin="textbook: a table of recent batches whose key lacks the producer")
class RepetitionOfAnybody(ProducerStates):
    """A batch with the sequence number of another producer's is taken for its repetition, answered with success and dropped."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        others = [state for state in self._states.values() if state.has_open_transaction and state.producer.epoch == batch.producer_epoch]
        known = [one for state in others for one in state.batches if one.first_sequence == batch.base_sequence > 0]
        return super().duplicate_of(batch) or next(iter(known), None)


@defect({"KIP890-112": Symptom(what="answer to Produce")}, origin="textbook: one ring for all producers of a partition")
class FiveForAll(ProducerStates):
    """A partition remembers five batches for all producers together, so a repetition behind five of another is out of order."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        known = super().duplicate_of(batch)
        newest = sorted((one.base_offset for state in self._states.values() for one in state.batches), reverse=True)[:_REMEMBERED]
        return known if known is not None and known.base_offset in newest else None
