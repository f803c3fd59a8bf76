"""Defects in EndTxn of old clients."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NOTHING, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState

from .leftovers_that_stay_pending import OccupiedCoordinator


@defect(
    {"KIP890-083": seen(r"^\(producer id \d+, epoch 1\)")},
    origin="textbook: the level of the cluster treated as the protocol of the client",
)
class OldClientLosesItsEpoch(KafkaCoordinator):
    """The epoch is raised for a client whose answer has no field for it, so its next transaction is fenced."""

    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-089": seen("^a refusal with PRODUCER_FENCED")},
    origin="textbook: the level of the cluster treated as the protocol of the client",
)
class OldClientFencedByItsCommit(OldClientLosesItsEpoch):
    """The second transaction of an old client cannot begin, since its first one raised the epoch."""


@defect({"KIP890-084": seen("^a refusal with INVALID_TXN_STATE")}, origin="textbook: a state machine without the retry")
class OldClientMayNotRetry(KafkaCoordinator):
    """An old client that retries its end is answered that there is nothing to end, and cannot know that it was done."""

    def end_of_old_client(self, state: KafkaTransactionState, decision: Decision) -> EndTxnEffect:
        if state is decision.complete:
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        return super().end_of_old_client(state, decision)


@defect(
    {"KIP890-085": seen("^success", expected="INVALID_TXN_STATE")},
    origin="textbook: a retry that is recognised by the state's being complete",
)
class OppositeEndSucceeds(KafkaCoordinator):
    """A completed transaction answers an old client with success, whichever end it asks for."""

    def end_of_old_client(self, state: KafkaTransactionState, decision: Decision) -> EndTxnEffect:
        if state in (KafkaTransactionState.COMPLETE_COMMIT, KafkaTransactionState.COMPLETE_ABORT):
            return EndTxnEffect.ANSWER_AGAIN
        return super().end_of_old_client(state, decision)


@defect({"KIP890-086": seen("^success", expected="INVALID_TXN_STATE")}, origin="textbook: one table for both protocols")
class EmptyAbortOfOldClient(KafkaCoordinator):
    """The empty abort of new clients is granted to old ones."""

    def end_of_old_client(self, state: KafkaTransactionState, decision: Decision) -> EndTxnEffect:
        if state is KafkaTransactionState.EMPTY and decision is Decision.ABORT:
            return EndTxnEffect.PREPARE
        return super().end_of_old_client(state, decision)


@defect({"KIP890-087": seen("^a refusal with PRODUCER_FENCED")}, origin="textbook: an error code of a later version")
class EndFencedInNewWords(Dialect):
    """A client from before PRODUCER_FENCED is answered with that error, which it does not know."""

    def error_for(self, error: Errors, version: int, knows_fenced: int) -> Errors:  # noqa: ARG002 - that is the defect
        return error


@defect(
    {"KIP890-088": seen("^success", expected="(INVALID_TXN_STATE or )?CONCURRENT_TRANSACTIONS")},
    origin="textbook: a retry that is recognised by the state alone",
)
class DecisionContradicted(KafkaCoordinator):
    """While markers are in flight, an old client is answered with success for the opposite of what was decided."""

    def must_wait(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def end_of_old_client(self, state: KafkaTransactionState, decision: Decision) -> EndTxnEffect:
        return EndTxnEffect.ANSWER_AGAIN if state in PREPARED else super().end_of_old_client(state, decision)


@defect({"KIP890-083": seen(r"^\(producer id \d+, epoch 1\)")}, origin="textbook: two things called transaction version")
class ClusterLevelForOldClient(KafkaCoordinator):
    """The level of the cluster is taken for the protocol of the client, and an old client is fenced by its own commit."""

    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return self._profile.features["transaction.version"].finalized >= 2


@defect({"KIP890-087": seen("^success", expected="PRODUCER_FENCED")}, origin="textbook: the retry of the new protocol, in the old one")
class OldVersionRepeatsTheNew(KafkaCoordinator):
    """EndTxn v4 with the epoch that EndTxn v5 has ended passes for a repetition, and an old instance is answered that it has committed."""

    def check_old_client(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        if not (transaction.is_idle and producer == replace(transaction, producer_epoch=transaction.producer_epoch - 1).producer):
            super().check_old_client(transaction, producer)


@defect(
    {"KIP890-089": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")},
    origin="textbook: the epoch is checked, and not whose protocol it is",
)
class OldClientOverflows(KafkaCoordinator):
    """At the last usable epoch the end of an old client's transaction moves its transactional id on to a new producer id, which the answer
    cannot carry."""

    def complete(self, transactional_id: str) -> None:
        ended = self._transactions[transactional_id]
        if ended.epoch_is_exhausted and ended.transaction_version < 2 and ended.next_producer_id == NOTHING:
            self._transactions[transactional_id] = replace(ended, next_producer_id=self._log.new_producer_id())
        super().complete(transactional_id)


@defect(
    {"KIP890-084": seen("^a refusal with INVALID_TXN_STATE", expected="^success", what="answer to EndTxn")},
    origin="red team: a repetition is recognised by the protocol of the end",
)
class RefusedAfterANewClient(KafkaCoordinator):
    """EndTxn v4 does not recognise that EndTxn v5 has committed, and is refused."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and known.is_idle and known.transaction_version == 2 and not self.bumps_epoch(api_version):
            self.check_old_client(known, producer)
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect(
    {"KIP890-084": seen("^a refusal with INVALID_TXN_STATE", expected="^success", what="answer to EndTxn")},
    origin="red team: after a crash only what is still to be done is of interest",
)
class OldClientsEndForgottenByCrash(KafkaCoordinator):
    """After a crash a coordinator knows which transactions are open or prepared, and not how an old client's last one has ended."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        if transaction.is_idle and transaction.transaction_version < 2:
            return replace(transaction, state=KafkaTransactionState.EMPTY)
        return super().recovered(transaction)


@defect(
    {"KIP890-084": seen("^a refusal with INVALID_TXN_STATE", expected="^success", what="answer to EndTxn")},
    origin="red team: an id whose last transaction left nothing is loaded as a new one",
)
class OldClientsAbortForgottenByCrash(KafkaCoordinator):
    """After a crash a coordinator knows of an old client's commit, and not of its abort."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        if transaction.state is KafkaTransactionState.COMPLETE_ABORT and transaction.transaction_version < 2:
            return replace(transaction, state=KafkaTransactionState.EMPTY)
        return super().recovered(transaction)


@defect(
    {
        "KIP890-084": seen("CONCURRENT_TRANSACTIONS", expected="^success", what="^answer to EndTxn"),
        "KIP890-086": seen("CONCURRENT_TRANSACTIONS", expected="INVALID_TXN_STATE", what="^answer to EndTxn"),
    },
    origin="red team: what is reserved before the checks, and not released where one of them fails",
)
class RefusedOldEndStaysPending(OccupiedCoordinator):
    """An EndTxn v4 that does not fit the state stays in progress for ever, and an old client that retries waits in vain."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused as refusal:
            if refusal.error is Errors.INVALID_TXN_STATE and not self.bumps_epoch(api_version):
                self.occupy(transactional_id)
            raise
