"""Defects of the Kafka reference that refuse what is lawful."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import State
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition


class _BeginsNothing(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).state is State.EMPTY:
            raise Refused(Error.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


FIRST_TRANSACTION_REFUSED = Defect(
    name="core-kafka-first-transaction-refused",
    breaks={"CORE-42": Symptom(seen="INVALID_TXN_STATE")},
    story="A transactional id without a transaction is in no state from which one may begin, so it never has its first.",
    origin="textbook: a table of states that lacks the first one",
    parts=Parts(coordinator=_BeginsNothing),
)
