"""Defects in refused requests that have an effect all the same."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import FIRST_EPOCH, NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision, KafkaTransactionState
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


@defect({"KIP890-403": seen("Abort", what="^transaction of A")}, origin="red team: a check that comes last")
class RefusedTimeoutAborts(KafkaCoordinator):
    """InitProducerId with a timeout that is not allowed is refused, and has aborted the open transaction before."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and known.state is KafkaTransactionState.ONGOING and not self._ownership.allows_timeout(timeout_ms):
            self.abort_by_server(known)
        return super().init_producer_id(transactional_id, timeout_ms, expected)


@defect({"KIP890-403": seen("Abort", what="^transaction of A")}, origin="red team: a check that comes last")
class RefusedProducerIdAborts(KafkaCoordinator):
    """InitProducerId with the producer id of another transactional id is refused, and has aborted the open transaction before."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if (
            known is not None
            and known.state is KafkaTransactionState.ONGOING
            and expected.producer_id not in (NO_PRODUCER.producer_id, known.producer_id)
        ):
            self.abort_by_server(known)
        return super().init_producer_id(transactional_id, timeout_ms, expected)


@defect({"KIP890-404": seen("^success", what="^answer to Produce$")}, origin="red team: no transaction to verify, and so nothing to refuse")
class StrayRecordsAppended(Verification):
    """A record of an old client under a transactional id that no producer has initialised is appended."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except RequestRefused as refusal:
            if operation is TransactionSupport.ADD or refusal.error is not Errors.INVALID_PRODUCER_ID_MAPPING:
                raise
            return self._draw(log, batch, operation).guard


@defect(
    {"KIP890-421": seen(r"with \(producer id -1, epoch 0\)$", what="answer to InitProducerId")},
    origin="franz-go's kfake: the zero value of a field",
)
class RefusedWithEpochZero(Dialect):
    """A refused InitProducerId has producer id -1 and epoch 0, since nothing sets the epoch of an answer that fails."""

    def producer_in_refused_initialisation(self, expected: ProducerIdAndEpoch) -> ProducerIdAndEpoch:  # noqa: ARG002 - as in the base
        return ProducerIdAndEpoch(NO_PRODUCER.producer_id, FIRST_EPOCH)


@defect({"KIP890-408": seen("timeout 90000", what="^transaction of A")}, origin="red team: a field that is set before the checks")
class RefusedTimeoutStored(KafkaCoordinator):
    """The timeout of an InitProducerId is stored whether or not it is refused, and the owner's transactions last as long as another
    client's may."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and self._ownership.allows_timeout(timeout_ms):
            self._transactions[transactional_id] = replace(known, timeout_ms=timeout_ms)
        return super().init_producer_id(transactional_id, timeout_ms, expected)


@defect({"KIP890-408": seen("^Empty", what="^transaction of A")}, origin="red team: the transition is made before the check that it needs")
class RefusedInitialisationEmpties(KafkaCoordinator):
    """A refused InitProducerId leaves the transactional id Empty, and the owner's repeated EndTxn is answered that it was fenced."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused as refusal:
            known = self._transactions.get(transactional_id)
            if refusal.error is Errors.PRODUCER_FENCED and known is not None and known.is_idle:
                self.install(replace(known, state=KafkaTransactionState.EMPTY))
            raise


@defect({"KIP890-408": seen("^Empty", what="^transaction of A")}, origin="red team: an end that is refused resets what it has read")
class RefusedEndEmpties(KafkaCoordinator):
    """A refused EndTxn leaves the transactional id Empty, and the end that was before can no longer be retried."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused as refusal:
            known = self._transactions.get(transactional_id)
            if refusal.error is Errors.INVALID_TXN_STATE and known is not None and known.is_idle:
                self.install(replace(known, state=KafkaTransactionState.EMPTY))
            raise


class _StoresRefusedTimeout(KafkaCoordinator):
    """The timeout of an InitProducerId that is refused with `error` is stored if there is an open transaction, or if there is none."""

    error: Errors
    while_idle: bool

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused as refusal:
            known = self._transactions.get(transactional_id)
            if refusal.error is self.error and known is not None and known.is_idle is self.while_idle:
                self._transactions[transactional_id] = replace(known, timeout_ms=timeout_ms)
            raise


@defect({"KIP890-403": seen("timeout 90000", what="^transaction of A")}, origin="red team: a field that is set before its owner is")
class ForeignTimeoutWhileOpen(_StoresRefusedTimeout):
    """An InitProducerId that is refused for its producer id sets the timeout of the open transaction."""

    error, while_idle = Errors.PRODUCER_FENCED, False


@defect({"KIP890-408": seen("timeout 900001", what="^transaction of A")}, origin="red team: a field that is set before its check")
class ForbiddenTimeoutWhileIdle(_StoresRefusedTimeout):
    """A timeout that is not allowed is refused, and is that of the producer's next transaction."""

    error, while_idle = Errors.INVALID_TRANSACTION_TIMEOUT, True
