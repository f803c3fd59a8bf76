"""Defects in what follows a timeout, and in what a coordinator knows after a crash."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NOTHING, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog
from fencepost.reference.kernel.journal import Disk

_FIRST_LIFE = 9
"""The coordinator's first epoch; each start makes it smaller by one."""


@defect(
    {"KIP890-158": seen("^success with", expected="INVALID_TXN_STATE or PRODUCER_FENCED")},
    origin="textbook: the retry is recognised by the epoch alone, whatever was decided",
)
class LateCommitTakenForARetry(KafkaCoordinator):
    """A commit that comes after the server's abort is answered as if it had been done, and the data is lost without a word."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused as refusal:
            if refusal.error is Errors.INVALID_TXN_STATE:
                return self.describe(transactional_id).producer
            raise


@defect({"KIP890-159": seen("^PrepareAbort")}, origin="textbook: the state is not checked, only the clock")
class PreparedCommitAbortedByTimeout(KafkaCoordinator):
    """The timer aborts every transaction that is not complete in time, also one whose commit was promised."""

    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for transaction in self.transactions():
            overdue = transaction.started_at + transaction.timeout_ms < self._machine.clock.now
            if transaction.state is KafkaTransactionState.PREPARE_COMMIT and overdue:
                self._transactions[transaction.transactional_id] = replace(transaction, state=KafkaTransactionState.PREPARE_ABORT)


@defect(
    {"KIP890-162": seen(r"^\[\d+\] before the When, \[\] since", what="coordinator epochs of the markers in payments-0")},
    origin="textbook: an epoch counted in memory, while partitions remember the last one",
)
class CoordinatorEpochFalls(KafkaTransactionLog):
    """A coordinator that restarts has a smaller epoch than before, so partitions refuse its markers as outdated."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        self.coordinator_epoch = max(_FIRST_LIFE - self.coordinator_epoch, 0)


@defect({"KIP890-163": seen("^a refusal with PRODUCER_FENCED")}, origin="textbook: only what is open is loaded")
class EndForgottenByCrash(KafkaTransactionLog):
    """After a crash the coordinator knows who owns an id and not how its last transaction ended, so a retry is fenced."""

    def replay(self) -> dict[str, KafkaTransaction]:
        return {name: replace(transaction, state=KafkaTransactionState.EMPTY) for name, transaction in super().replay().items()}


@defect({"KIP890-163": seen("^a refusal with PRODUCER_FENCED")}, origin="red team: a loader that fills in the end for one transactional id")
class EndOfTheFirstIdAlone(KafkaTransactionLog):
    """A coordinator that starts reads the end of the last transaction for the first transactional id in its log, and for no other one."""

    def replay(self) -> dict[str, KafkaTransaction]:
        latest = super().replay()
        return latest | {name: replace(latest[name], state=KafkaTransactionState.EMPTY) for name in list(latest)[1:]}


@defect({"KIP890-164": seen("^a refusal with PRODUCER_FENCED")}, origin="KAFKA-20357")
class LastEpochForgottenByCrash(KafkaTransactionLog):
    """The epoch before the last InitProducerId is not stored, so its retry is taken for a stale producer after a crash."""

    def replay(self) -> dict[str, KafkaTransaction]:
        return {name: replace(transaction, last_producer_epoch=-1) for name, transaction in super().replay().items()}


@defect(
    {"KIP890-164": seen("^a refusal with PRODUCER_FENCED", expected="epoch 1")},
    origin="textbook: the last epoch is read back for what is complete alone",
)
class LastEpochOfAnAbortForgottenByCrash(KafkaCoordinator):
    """The coordinator aborts for the owner, which waits for that; after a crash it is completed, and the owner is a stranger."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        return replace(recovered, last_producer_epoch=-1) if recovered.state in PREPARED else recovered


@defect(
    {"KIP890-164": seen("^a refusal with PRODUCER_FENCED", expected="epoch 1")},
    origin="red team: a loader that fills in the last epoch for one transactional id",
)
class LastEpochOfTheFirstIdAlone(KafkaTransactionLog):
    """A coordinator that starts reads the last epoch of the first transactional id in its log, and of no other one."""

    def replay(self) -> dict[str, KafkaTransaction]:
        latest = super().replay()
        others = list(latest)[1:]
        return latest | {name: replace(latest[name], last_producer_epoch=NOTHING) for name in others}


@defect({"KIP890-163": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")}, origin="KAFKA-20310, for one of the decisions")
class OverflowOfAnAbortForgotten(KafkaCoordinator):
    """The producer id from before an overflow is stored with a commit only: an abort cannot be retried after a crash."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        found = super().recovered(transaction)
        return replace(found, previous_producer_id=NOTHING) if found.state is KafkaTransactionState.COMPLETE_ABORT else found
