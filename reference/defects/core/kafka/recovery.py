"""Defects of the Kafka reference in what survives a crash."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.kip890 import recovery
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog


@defect({"CORE-24": seen("^nothing", expected='^"a1", "a2"$')}, origin="textbook: undecided data is not kept")
class CoreKafkaOpenForgottenByCrash(KafkaTransactionLog):
    """Only decisions are in the transaction log, so a crash takes every open transaction from its writer."""

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        return transaction.state is not KafkaTransactionState.ONGOING


@defect({"CORE-26": seen('^"a1"$')}, origin="textbook: recovery that was only tried with commits")
class CoreKafkaAbortCommittedByCrash(KafkaCoordinator):
    """A coordinator that starts commits every transaction that it finds decided, also where the decision is an abort."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        found = super().recovered(transaction)
        return replace(found, state=KafkaTransactionState.PREPARE_COMMIT) if found.state is KafkaTransactionState.PREPARE_ABORT else found


@defect({"CORE-27": expected("success", what="answer", error=".")}, origin="textbook: recovery of a database whose sessions end with it")
class CoreKafkaOpenAbortedByCrash(KafkaCoordinator):
    """A coordinator that starts aborts every transaction that it finds open, as if the crash had ended its writer too."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        found = super().recovered(transaction)
        return replace(found, state=KafkaTransactionState.PREPARE_ABORT) if found.state is KafkaTransactionState.ONGOING else found


@defect(
    {"CORE-28": seen("^nothing", expected='^"a2"$', what="readers of payments")},
    origin="textbook: recovery that was only tried with one participant",
)
class CoreKafkaFirstToldAfterCrash(KafkaCoordinator):
    """A coordinator that starts and finds a decided transaction sends a marker to its first partition only, and counts the transaction
    as complete."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        found = super().recovered(transaction)
        return replace(found, partitions=frozenset(sorted(found.partitions)[:1])) if found.state in PREPARED else found


@defect({"CORE-25": seen("^nothing", expected='^"a1"$')}, origin="textbook: acknowledging before writing")
class CoreKafkaCommitForgottenByCrash(recovery.DecisionForgottenByCrash):
    """A decision is answered before it is in the transaction log, so a crash undoes what the producer was promised."""


@defect(
    {"CORE-24": seen("^nothing", expected='^"a2"$', what="readers of payments")},
    origin="textbook: a state that is stored when it changes its name",
)
class CoreKafkaSecondLogForgottenByCrash(KafkaTransactionLog):
    """The first partitions of a transaction are in the transaction log, those added later are not. After a crash they stay undecided."""

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        known = self.replay().get(transaction.transactional_id)
        goes_on = known is not None and known.state is transaction.state is KafkaTransactionState.ONGOING
        return super().must_be_durable(transaction) and not goes_on
