"""Defects in what a refused request leaves at the coordinator: the transactional id stays busy."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Addition, Additions
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction

_WAITS = "CONCURRENT_TRANSACTIONS"


class _Occupied(KafkaCoordinator):
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
    also=(_Occupied,),
)
class RefusedAdditionStaysPending(Additions):
    """An AddPartitionsToTxn that is refused for a missing partition is in progress for ever, so its transaction can never be ended."""

    def judge(self, addition: Addition, transaction_version: int) -> dict[PartitionName, Errors]:
        errors = super().judge(addition, transaction_version)
        if Errors.UNKNOWN_TOPIC_OR_PARTITION in errors.values() and isinstance(self._coordinator, _Occupied):
            self._coordinator.occupy(addition.transactional_id)
        return errors


@defect(
    {"KIP890-411": seen(_WAITS, what="^answer to EndTxn")},
    origin="red team: what is reserved before the checks, and not released where one of them fails",
)
class RefusedEndStaysPending(_Occupied):
    """An EndTxn that is refused for its epoch while a transaction is open is in progress for ever, so that cannot be ended any more."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        if not transaction.is_idle and asked is not RequestedTransaction.CURRENT:
            self.occupy(transaction.transactional_id)
        return asked


@defect(
    {
        "KIP890-084": seen(_WAITS, expected="^success", what="^answer to EndTxn"),
        "KIP890-086": seen(_WAITS, expected="INVALID_TXN_STATE", what="^answer to EndTxn"),
    },
    origin="red team: what is reserved before the checks, and not released where one of them fails",
)
class RefusedOldEndStaysPending(_Occupied):
    """An EndTxn v4 that does not fit the state is in progress for ever, and an old client that asks again waits in vain."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused as refusal:
            if refusal.error is Errors.INVALID_TXN_STATE and not self.bumps_epoch(api_version):
                self.occupy(transactional_id)
            raise


@defect(
    {"KIP890-040": seen(_WAITS, what="^answer to AddPartitionsToTxn")},
    origin="red team: what is reserved before the checks, and not released where one of them fails",
)
class RefusedVerificationStaysPending(_Occupied):
    """A verification of what is not in the transaction is in progress for ever, so that the partition can never be added."""

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        verified = super().verify_partitions(transactional_id, producer, partitions)
        if any(error is not Errors.NONE for error in verified.values()):
            self.occupy(transactional_id)
        return verified
