"""Defects in what a refused request leaves at the coordinator: the transactional id stays busy."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Addition, Additions
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransaction

_WAITS = "CONCURRENT_TRANSACTIONS"


class OccupiedCoordinator(KafkaCoordinator):
    """A transactional id can be marked as one with a request in progress."""

    def occupy(self, transactional_id: str) -> None:
        """Each later request is answered CONCURRENT_TRANSACTIONS."""
        self._pending.add(transactional_id)


@defect(
    {
        "KIP890-411": seen(_WAITS, what="^answer to EndTxn"),
        "KIP890-033": seen(_WAITS, what="^answer to AddPartitionsToTxn"),
    },
    origin="red team: what is reserved before the checks, and not released where one of them fails",
    also=(OccupiedCoordinator,),
)
class RefusedAdditionStaysPending(Additions):
    """An AddPartitionsToTxn that is refused for a missing partition is in progress for ever, so its transaction can never be ended."""

    def judge(self, addition: Addition, transaction_version: int) -> dict[PartitionName, Errors]:
        errors = super().judge(addition, transaction_version)
        if Errors.UNKNOWN_TOPIC_OR_PARTITION in errors.values() and isinstance(self._coordinator, OccupiedCoordinator):
            self._coordinator.occupy(addition.transactional_id)
        return errors


@defect(
    {"KIP890-411": seen(_WAITS, what="^answer to EndTxn")},
    origin="red team: what is reserved before the checks, and not released where one of them fails",
)
class RefusedEndStaysPending(OccupiedCoordinator):
    """An EndTxn that is refused for its epoch while a transaction is open stays in progress for ever, so that the transaction cannot be
    ended any more.
    """

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        if not transaction.is_idle and asked is not RequestedTransaction.CURRENT:
            self.occupy(transaction.transactional_id)
        return asked
