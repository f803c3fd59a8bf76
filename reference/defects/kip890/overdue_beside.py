"""Defects of the start of a transaction that only another one in the partition shows."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch

from .neighbours import KnowsNeighbours


@defect({"KIP890-350": Symptom(what="start")}, origin="textbook: the last activity of a partition taken for that of each transaction")
class StartRenewedByOthers(KnowsNeighbours):
    """When another transaction begins in the same partition, the timeouts of the transactions that are open there start again."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
        for other in self.beside(self._transactions[transactional_id]):
            self._transactions[other.transactional_id] = replace(other, started_at=self._machine.clock.now)
