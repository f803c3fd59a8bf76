"""Defects in requests that are refused: what they have done all the same."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import State
from fencepost.reference.kafka.values import FIRST_EPOCH, NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch


class _LooksAtTheTimeoutLast(Coordinator):
    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and known.state is State.ONGOING and not self._ownership.allows_timeout(timeout_ms):
            self.abort_by_server(known)
        return super().init_producer_id(transactional_id, timeout_ms, expected)


class _LooksAtTheProducerIdLast(Coordinator):
    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and known.state is State.ONGOING and expected.producer_id not in (NO_PRODUCER.producer_id, known.producer_id):
            self.abort_by_server(known)
        return super().init_producer_id(transactional_id, timeout_ms, expected)


class _TakesStrayRecords(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except Refused as refusal:
            if operation is Operation.ADD or refusal.error is not Error.INVALID_PRODUCER_ID_MAPPING:
                raise
            return self._draw(log, batch, operation).guard


REFUSED_TIMEOUT_ABORTS = Defect(
    name="refused-timeout-aborts",
    breaks={"KIP890-403": Symptom(what="^transaction of A", seen="Abort")},
    story="InitProducerId with a timeout that is not allowed is refused, and has aborted the open transaction before.",
    origin="red team: a check that comes last",
    parts=Parts(coordinator=_LooksAtTheTimeoutLast),
)

REFUSED_PRODUCER_ID_ABORTS = Defect(
    name="refused-producer-id-aborts",
    breaks={"KIP890-403": Symptom(what="^transaction of A", seen="Abort")},
    story="InitProducerId with the producer id of another transactional id is refused, and has aborted the open transaction before.",
    origin="red team: a check that comes last",
    parts=Parts(coordinator=_LooksAtTheProducerIdLast),
)

STRAY_RECORDS_APPENDED = Defect(
    name="stray-records-appended",
    breaks={"KIP890-404": Symptom(what="^answer to Produce$", seen="^success")},
    story="A record of an old client under a transactional id that nobody has initialised is appended.",
    origin="red team: no transaction to verify, and so nothing to refuse",
    parts=Parts(verification=_TakesStrayRecords),
)


class _LeavesTheEpochAtZero(Dialect):
    def producer_in_refused_initialisation(self, expected: ProducerIdAndEpoch) -> ProducerIdAndEpoch:  # noqa: ARG002 - as in the base
        return ProducerIdAndEpoch(NO_PRODUCER.producer_id, FIRST_EPOCH)


REFUSED_WITH_EPOCH_ZERO = Defect(
    name="refused-with-epoch-zero",
    breaks={"KIP890-421": Symptom(what="answer to InitProducerId", seen=r"with \(producer id -1, epoch 0\)$")},
    story="A refused InitProducerId has producer id -1 and epoch 0, since nothing sets the epoch of an answer that fails.",
    origin="franz-go's kfake: the zero value of a field",
    parts=Parts(dialect=_LeavesTheEpochAtZero),
)
