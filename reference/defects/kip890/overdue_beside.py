"""Defects of the start of a transaction that only another one in the partition shows."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition

from .neighbours import Neighbours


class _AnothersBeginningRenews(Neighbours):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
        for other in self.beside(self._transactions[transactional_id]):
            self._transactions[other.transactional_id] = replace(other, started_at=self._machine.clock.now)


START_RENEWED_BY_OTHERS = Defect(
    name="start-renewed-by-others",
    breaks={"KIP890-350": Symptom(what="start")},
    story="Where another transaction begins in the same partition, the time-out of who is open there begins anew.",
    origin="textbook: the last activity of a partition taken for that of each transaction",
    parts=Parts(coordinator=_AnothersBeginningRenews),
)
