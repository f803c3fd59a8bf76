"""Defects in how long a transactional id that is in use is known."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState


@defect(
    {"KIP890-165": seen(r"^success with \(producer id \d+, epoch 0\)", expected="^success with")},
    origin="red team: an age that counts from a start time of -1",
)
class EmptyIdsExpireAtOnce(KafkaCoordinator):
    """The age of a transactional id counts from the start of its transaction, so that one without a transaction is always too old."""

    def forget_idle(self, before: int) -> None:
        for transaction in self.transactions():
            if transaction.state is KafkaTransactionState.EMPTY and self.forgets(transaction):
                del self._transactions[transaction.transactional_id]
        super().forget_idle(before)


@defect(
    {"KIP890-165": seen("TRANSACTIONAL_ID_NOT_FOUND", expected="^an answer when describing")},
    origin="red team: a time that only InitProducerId writes down",
)
class IdleTimeFromInitProducerId(KafkaCoordinator):
    """The time after which an id expires counts from InitProducerId, also while its producer commits again and again."""

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        before = self._transactions.get(transaction.transactional_id)
        installed = super().install(transaction)
        if before is None or transaction.state is KafkaTransactionState.EMPTY:
            return installed
        kept = replace(installed, updated_at=before.updated_at)
        self._log.append(kept)
        self._transactions[transaction.transactional_id] = kept
        return kept


@defect(
    {"KIP890-165": seen("after the restart$", what="^transactional id of A")},
    origin="red team: the time of the last use is in memory only, and each restart counts as one",
)
class IdleTimeFromTheRestart(KafkaCoordinator):
    """The idle time of a transactional id counts from the coordinator's start, so one that restarts often keeps every id for ever."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), updated_at=self._machine.clock.now)


@defect(
    {"KIP890-165": seen("^kept [0-9]{1,3} ms", what="^transactional id of A")},
    origin="red team: a time of 0 for what the log does not say",
)
class IdsExpireAtTheRestart(KafkaCoordinator):
    """The time of the last use is in memory only, so all transactional ids that are idle at a restart expire with it."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), updated_at=-1)
