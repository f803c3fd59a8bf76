"""Defects in requests under an empty transactional id."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


@defect({"KIP890-214": seen("^success", expected="INVALID_REQUEST")}, origin="textbook: the truth of a string where its presence is meant")
class EmptyIdIsNotVerified(Verification):
    """A partition asks the coordinator only about batches whose transactional id is not empty, so it appends a batch with an empty id
    unverified."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if transactional_id:
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=operation is TransactionSupport.ADD).guard
