"""Defects that leave an open transaction in a log, of which no coordinator knows."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_errors import RequestRefused
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import EpochStanding
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


@defect(
    {"KIP890-118": seen(r"^offset \d", what=r"^start of the transaction of A in payments-")},
    origin="https://issues.apache.org/jira/browse/KAFKA-14402",
)
class LateWriteOfOldClientHangs(Verification):
    """A write of an old client that arrives after the marker opens a transaction that the coordinator does not know."""

    def asks_for(self, operation: TransactionSupport) -> bool:
        return operation is TransactionSupport.ADD


@defect(
    {"KIP890-118": seen(r"^offset \d", what=r"^start of the transaction of A in payments-")},
    origin="textbook: an error that is logged and not looked at",
)
class RefusedAdditionWrittenAllTheSame(Verification):
    """The leader takes the coordinator's refusal to add a partition for a formality, and writes the batch."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except RequestRefused:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            attempt = log.guards.current(producer)
            if operation is not TransactionSupport.ADD or attempt is None or log.producers.standing(producer) is not EpochStanding.NEW:
                raise
            return attempt.guard
