"""Conforming variants that refuse a request at first, in words that have every client retry."""

from typing import Any

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


class _TakesTheSecondBatch(Verification):
    """Refuses the first transactional batch of each transactional id, before anything is looked at or changed."""

    to_new_clients = Errors.CONCURRENT_TRANSACTIONS

    def __init__(self, *parts: Any) -> None:
        self._refused: set[str] = set()
        super().__init__(*parts)

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if transactional_id and transactional_id not in self._refused:
            self._refused.add(transactional_id)
            if operation is TransactionSupport.ADD:
                raise RequestRefused(self.to_new_clients)
            raise self._for_later(self.to_new_clients)
        return super().before_produce(log, transactional_id, batch, operation)


class _TakesItWhenMoved(_TakesTheSecondBatch):
    to_new_clients = Errors.NOT_COORDINATOR


@defect(origin="brokers that load what they know of a transactional id when it is first asked about", also=[_TakesTheSecondBatch])
class BusyAtFirst(KafkaCoordinator):
    """The first EndTxn and the first Produce of each transactional id are refused CONCURRENT_TRANSACTIONS, and do nothing."""

    refusal = Errors.CONCURRENT_TRANSACTIONS

    def __init__(self, *parts: Any) -> None:
        self._refused: set[str] = set()
        super().__init__(*parts)

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        if transactional_id and transactional_id not in self._refused:
            self._refused.add(transactional_id)
            raise RequestRefused(self.refusal)
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect(origin="every cluster in which the coordinator's partition moves between two requests of a producer", also=[_TakesItWhenMoved])
class CoordinatorAwayAtFirst(BusyAtFirst):
    """The first EndTxn of each id is refused COORDINATOR_LOAD_IN_PROGRESS, and the first Produce of a new client NOT_COORDINATOR."""

    refusal = Errors.COORDINATOR_LOAD_IN_PROGRESS
