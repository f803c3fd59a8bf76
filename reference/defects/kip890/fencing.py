"""Defects in fencing an old instance."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.ownership import ProducerIdOwnership
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog


@defect(
    {"KIP890-018": seen("^success", expected="PRODUCER_FENCED")},
    origin="textbook: a new field of a request that the broker does not read yet",
)
class EveryEpochInitialises(ProducerIdOwnership):
    """InitProducerId does not compare the epoch that it is given, so an instance that was fenced long ago is let in again."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        known = expected_epoch in (-1, transaction.producer_epoch, transaction.last_producer_epoch)
        return super().next_owner(transaction, expected_epoch if known else -1, timeout_ms)


@defect(
    {"KIP890-024": seen("^(success|a refusal with INVALID_TXN_STATE)")},
    origin="textbook: a comparison that only refuses epochs that are too new",
)
class OldInstanceEnds(KafkaCoordinator):
    """EndTxn treats an older epoch as the current one, so a fenced instance still decides."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        return RequestedTransaction.CURRENT if asked is not None and producer.epoch < transaction.producer_epoch else asked


@defect(
    {"KIP890-380": seen("^success", what="answer to AddOffsetsToTxn")},
    origin="textbook: a check in front of partitions, and not in front of groups",
)
class OffsetsOfFencedInstances(Additions):
    """AddOffsetsToTxn does not compare epochs, and an instance that was replaced adds its group to its successor's transaction."""

    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:
        known = self._coordinator.describe(transactional_id)
        super().add_offsets(transactional_id, known.producer if producer.producer_id == known.producer_id else producer, group)


@defect(
    {"KIP890-380": seen("^success", what="answer to AddOffsetsToTxn")},
    origin="textbook: a check at the beginning of a transaction",
)
class OffsetsOfFencedInstancesJoin(Additions):
    """AddOffsetsToTxn compares epochs when it begins a transaction, and a replaced instance adds its group to its successor's open one."""

    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:
        known = self._coordinator.describe(transactional_id)
        is_open = known.state is KafkaTransactionState.ONGOING and producer.producer_id == known.producer_id
        super().add_offsets(transactional_id, known.producer if is_open else producer, group)


@defect(
    {"KIP890-380": seen("^success", what="answer to AddOffsetsToTxn")},
    origin="textbook: a comparison for order, where only equality is right",
)
class OffsetsOfLaterEpochs(Additions):
    """AddOffsetsToTxn refuses older epochs only, and accepts one that the coordinator never assigned."""

    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:
        known = self._coordinator.describe(transactional_id)
        super().add_offsets(transactional_id, known.producer if producer.epoch > known.producer_epoch else producer, group)


@defect(
    {"KIP890-351": Symptom(what="^answer$", error="TRANSACTIONAL_ID_NOT_FOUND")},
    origin="feared: a log that is cleaned by what looks like work that is over",
)
class IdleIdsCompactedAway(KafkaTransactionLog):
    """Compaction of the transaction log keeps what is open, and after a crash a transactional id that was idle has no owner."""

    def kept_by_compaction(self, latest: Iterable[KafkaTransaction]) -> list[KafkaTransaction]:
        return [transaction for transaction in super().kept_by_compaction(latest) if not transaction.is_idle]
