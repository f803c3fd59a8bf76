"""Defects in what a refused or empty request leaves behind."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.ownership import Ownership
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kafka.verification import Verification
from fencepost.wire.kafka.batches import Batch


class _HasNoRoomForTheNewProtocol(Coordinator):
    def can_be_stored(self, transaction: Transaction) -> bool:
        return self._levels.transaction_version > 0 or transaction.transaction_version < 2  # the client's protocol is in the record


STUCK_AT_LEVEL_ZERO = Defect(
    name="stuck-at-level-zero",
    breaks={"KIP890-271": Symptom(what="answer to InitProducerId", error="^CONCURRENT_TRANSACTIONS$")},
    story="A record of the transaction log has no room for the client's protocol, so what was begun with it is pending for ever.",
    origin="Kafka 4.0 to 4.3.1 at transaction.version 0",
    parts=Parts(coordinator=_HasNoRoomForTheNewProtocol),
)


class _EndsForWhoeverComes(Coordinator):
    def may_end_what_is_open(self, transaction: Transaction, expected: ProducerIdAndEpoch) -> bool:  # noqa: ARG002 - that is the defect
        return True


FENCED_INSTANCE_ABORTS = Defect(
    name="fenced-instance-aborts",
    breaks={"KIP890-272": Symptom(what="^transaction of [AB]", seen="^CompleteAbort")},
    story="An instance that has long been fenced initialises, is refused, and has aborted the transaction of its successor.",
    origin="Kafka 4.0 to 4.3.1, where InitProducerId aborts before it looks at the epoch",
    parts=Parts(coordinator=_EndsForWhoeverComes),
)


class _AddsWhatItRefuses(Verification):
    def check_before_adding(self, log: PartitionLog, batch: Batch) -> None:  # noqa: ARG002 - it does not look
        return


REFUSED_BATCH_STAYS_ADDED = Defect(
    name="refused-batch-stays-added",
    breaks={"KIP890-273": Symptom(what="^transaction of A", seen="^Ongoing in payments-")},
    story="The partition is added before the log refuses the batch, and a producer that wrote nothing has a transaction.",
    origin="Kafka 4.0 to 4.3.1, where adding comes before appending",
    parts=Parts(verification=_AddsWhatItRefuses),
)


class _AddsForDuplicates(Verification):
    def is_known(self, log: PartitionLog, batch: Batch) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def check_before_adding(self, log: PartitionLog, batch: Batch) -> None:
        if log.producers.duplicate_of(batch) is None:
            super().check_before_adding(log, batch)


REPLAY_OPENS_A_TRANSACTION = Defect(
    name="replay-opens-a-transaction",
    breaks={"KIP890-274": Symptom(what="^transaction of A", seen="^Ongoing in payments-")},
    story="A record that was committed is sent again, is known, and opens a transaction in which nothing was written.",
    origin="Kafka 4.0 to 4.3.1, where adding comes before appending",
    parts=Parts(verification=_AddsForDuplicates),
)


class _BeginsWithNothing(Coordinator):
    def begins(self, partitions: frozenset[TopicPartition]) -> bool:  # noqa: ARG002 - that is the defect
        return True


EMPTY_ADDITION_OPENS = Defect(
    name="empty-addition-opens",
    breaks={"KIP890-275": Symptom(what="^transaction of A", seen="^Ongoing in no partition")},
    story="A request that names no partition opens a transaction, and its time-out fences the producer.",
    origin="Kafka 4.0 to 4.3.1: all of no partitions are added",
    parts=Parts(coordinator=_BeginsWithNothing),
)


class _KnowsNoProducerBefore(Ownership):
    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:
        if expected.producer_id not in (-1, transaction.producer_id):
            raise Refused(Error.UNKNOWN_SERVER_ERROR)
        return super().may_initialise(expected, transaction)


OWNER_LOST_WITH_ITS_LAST_EPOCH = Defect(
    name="owner-lost-with-its-last-epoch",
    breaks={"KIP890-276": Symptom(what="answer to InitProducerId", error="^UNKNOWN_SERVER_ERROR$")},
    story="The server's abort moves the transactional id to a new producer id, and its owner asks again with the old one in vain.",
    origin="Kafka 4.1 and 4.2 answer UNKNOWN_SERVER_ERROR there, for another reason: KAFKA-20090",
    parts=Parts(ownership=_KnowsNoProducerBefore),
)
