"""Defects that leave a transaction in a log which no coordinator knows of."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.errors import Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import Standing
from fencepost.reference.kafka.values import ProducerIdAndEpoch
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch


class _AsksOnlyForNewClients(Verification):
    def asks_for(self, operation: Operation) -> bool:
        return operation is Operation.ADD


LATE_WRITE_OF_OLD_CLIENT_HANGS = Defect(
    name="late-write-of-old-client-hangs",
    breaks={"KIP890-118": Symptom(seen="^a transaction in payments-")},
    story="A write of an old client that comes after the marker opens a transaction of which nobody knows.",
    origin="https://issues.apache.org/jira/browse/KAFKA-14402",
    parts=Parts(verification=_AsksOnlyForNewClients),
)


class _WritesAllTheSame(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except Refused:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            attempt = log.guards.current(producer)
            if operation is not Operation.ADD or attempt is None or log.producers.standing(producer) is not Standing.NEW:
                raise
            return attempt.guard


REFUSED_ADDITION_WRITTEN_ALL_THE_SAME = Defect(
    name="refused-addition-written-all-the-same",
    breaks={"KIP890-118": Symptom(seen="^a transaction in payments-")},
    story="The leader takes the coordinator's refusal to add a partition for a formality, and writes the batch.",
    origin="textbook: an error that is logged and not looked at",
    parts=Parts(verification=_WritesAllTheSame),
)
