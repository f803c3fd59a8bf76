"""Before the first batch of a transaction enters a partition, its leader asks the coordinator.

For a new client the leader has the partition *added* to the transaction: such a client does not announce its partitions. For an old
client, which does, the leader has it *verified* that the partition was added. Once a batch is in the log, the log itself knows that
the transaction is open, and the coordinator is not asked again until a marker has come; this holds after a restart too.

    version of Produce             3-10                      11                       12 and later
    version of TxnOffsetCommit     0-3                       4                        5 and later
    the partition is               verified                  verified                 added
    not in the transaction         INVALID_TXN_STATE         TRANSACTION_ABORTABLE    -
    the coordinator is busy        NOT_ENOUGH_REPLICAS (*)   NOT_ENOUGH_REPLICAS (*)  CONCURRENT_TRANSACTIONS
    the coordinator is loading     NOT_ENOUGH_REPLICAS (*)   NOT_ENOUGH_REPLICAS (*)  NOT_ENOUGH_REPLICAS (*)

Verifying can be switched off (`transaction.partition.verification.enable`); then a batch of an old client needs no transaction, and
one that is in none stays open in the log until an operator sends a marker for it.

(*) for Produce, with the cause in the message. The profile has the error of TxnOffsetCommit for a busy coordinator; for a
loading one it answers COORDINATOR_LOAD_IN_PROGRESS.

The proposal parks a request while the coordinator is asked. Here a coordinator answers at once, unless its node is paused. A broker
also retries for a short time at a busy one (`add.partitions.to.txn.retry.backoff.max.ms`); here that takes no time.

Source: "Implicitly Add Partitions to Transactions on Produce for New Clients (2)", "Ensure Ongoing Transaction for Older Clients (3)",
"Old Clients" in the migration plan.
"""

from collections.abc import Iterable, Sequence
from enum import Enum, auto

from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch

from .broker_settings import Settings
from .guards import Attempt
from .kafka_coordinator import KafkaCoordinator
from .kafka_errors import Errors, RequestRefused
from .kafka_profile import Profile
from .kafka_topics import INTERNAL
from .kafka_types import PartitionName, ProducerIdAndEpoch
from .partition_log import PartitionLog
from .producer_state import EpochStanding


class TransactionSupport(Enum):
    """What the version of a request lets a leader do, and which errors its client understands."""

    VERIFY = auto()
    VERIFY_ABORTABLE = auto()
    ADD = auto()

    @staticmethod
    def of_produce(version: int) -> "TransactionSupport":
        return (
            TransactionSupport.ADD if version >= 12 else TransactionSupport.VERIFY_ABORTABLE if version == 11 else TransactionSupport.VERIFY
        )

    @staticmethod
    def of_txn_offset_commit(version: int) -> "TransactionSupport":
        return (
            TransactionSupport.ADD if version >= 5 else TransactionSupport.VERIFY_ABORTABLE if version == 4 else TransactionSupport.VERIFY
        )


_NOT_ADDED = frozenset({Errors.INVALID_TXN_STATE, Errors.TRANSACTION_ABORTABLE})
"""The errors with which a coordinator reports that a partition is not in the transaction; the profile chooses one."""


class Verification:
    """A leader's questions to the coordinator."""

    def __init__(self, coordinator: KafkaCoordinator, profile: Profile, settings: Settings) -> None:
        self._coordinator = coordinator
        self._profile = profile
        self._settings = settings
        self._awaited: dict[tuple[PartitionName, ProducerIdAndEpoch], Attempt] = {}

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        """Decision: the error of a Produce as a whole, which is of one transactional id and so of one producer."""
        producers = {batch.producer_id for batch in batches if batch.transactional}
        if producers and transactional_id is None:
            rule("KIP890-106")
            return Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        if len(producers) > 1:
            rule("KIP890-119")
            return Errors.INVALID_PRODUCER_ID_MAPPING
        return None

    def check_count(self, batches: Sequence[Batch]) -> None:
        """Decision: one Produce has one batch for each partition. Raises RequestRefused: INVALID_RECORD when there are more, or none."""
        if len(batches) != 1:
            rule("KIP890-210")
            raise RequestRefused(Errors.INVALID_RECORD, f"{len(batches)} batches for the partition, one is due")

    def await_answer(self, log: PartitionLog, batch: Batch, operation: TransactionSupport) -> bool:
        """Decision: while a paused coordinator's answer is awaited, the batch has the guard that was drawn before the question.

        Returns whether there is a question: a batch of a transaction that is open in the partition needs none.
        """
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        is_new = log.producers.standing(producer) is EpochStanding.NEW
        if is_new:
            self._awaited[log.name, producer] = self._draw(log, batch, operation)
        return is_new

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        """Decision: the coordinator is asked before the first batch of a transaction enters a partition.

        Returns the guard for the append, None if the transaction is open in this partition already, or if nothing will be appended.
        Raises RequestRefused: as `refusal_of_produce` has it, when the coordinator refuses, and as `check_before_adding`.
        """
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        awaited, is_new = self._awaited.pop((log.name, producer), None), log.producers.standing(producer) is EpochStanding.NEW
        if is_new and operation is TransactionSupport.ADD and self.looks_before_adding():
            if self.is_known(log, batch):
                return None
            self.check_before_adding(log, batch)
        try:
            return self._ask(log, transactional_id, batch, operation, awaited)
        except RequestRefused as refusal:
            raise self.refusal_of_produce(refusal.error, operation) from refusal

    def looks_before_adding(self) -> bool:
        """Decision: whether the log is asked first, so that a batch that it refuses, or has already, adds no partition."""
        return True

    def is_known(self, log: PartitionLog, batch: Batch) -> bool:
        """Decision: a batch that is in the log already opens no transaction, for it is not appended again."""
        rule("KIP890-274")
        return log.producers.duplicate_of(batch) is not None

    def check_before_adding(self, log: PartitionLog, batch: Batch) -> None:
        """Decision: what the log is going to refuse is refused before its partition is added. Raises RequestRefused: as
        `PartitionLog.append`.
        """
        rule("KIP890-273")
        if log.name.topic in INTERNAL:
            raise RequestRefused(Errors.INVALID_TOPIC_EXCEPTION, f"only the broker writes to {log.name.topic}")
        log.check_shape(batch)
        rule("KIP890-108")
        log.producers.check_sequence(batch, None, may_begin_anywhere=log.may_begin_anywhere(is_of_new_client=True))

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        """Decision: the coordinator is asked before TxnOffsetCommit begins in the partition of the group's offsets.

        Returns the guard for the append. Raises RequestRefused: as `refusal_of_offset_commit` has it, when the coordinator refuses.
        """
        try:
            return self._ask(log, transactional_id, batch, operation)
        except RequestRefused as refusal:
            raise self.refusal_of_offset_commit(refusal.error, operation) from refusal

    def _ask(
        self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport, awaited: Attempt | None = None
    ) -> int | None:
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        match log.producers.standing(producer):
            case EpochStanding.FENCED:
                raise RequestRefused(Errors.PRODUCER_FENCED)
            case EpochStanding.IN_OPEN_TRANSACTION:
                return None
            case EpochStanding.NEW:
                attempt = awaited or self._draw(log, batch, operation)
        if not self.asks_for(operation):
            return attempt.guard
        if operation is TransactionSupport.ADD:
            rule("KIP890-091")
            self._coordinator.add_partitions(transactional_id, producer, [log.name], transaction_version=2)
            rule("KIP890-090")
            rule("KIP890-211")
        else:
            rule("KIP890-099")
            error = self._coordinator.verify_partitions(transactional_id, producer, [log.name])[log.name]
            if error is not Errors.NONE:
                raise RequestRefused(error)
            rule("KIP890-097")
        return attempt.guard

    def _draw(self, log: PartitionLog, batch: Batch, operation: TransactionSupport) -> Attempt:
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=operation is TransactionSupport.ADD)

    def asks_for(self, operation: TransactionSupport) -> bool:
        """Decision: whether the coordinator is asked at all. Verifying can be switched off; adding cannot, for only the leader does it."""
        rule("KIP890-116")
        return self._settings.verifies_partitions or operation is TransactionSupport.ADD

    def refusal_of_produce(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        """Decision: what Produce answers when the coordinator refuses."""
        match error:
            case Errors.PRODUCER_FENCED:
                rule("KIP890-102")
                return RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
            case Errors.CONCURRENT_TRANSACTIONS if operation is not TransactionSupport.ADD:
                rule("KIP890-104")
                return self._for_later(error)
            case Errors.COORDINATOR_LOAD_IN_PROGRESS:
                rule("KIP890-104")
                return self._for_later(error)
            case Errors.CONCURRENT_TRANSACTIONS:
                rule("KIP890-105")
                return RequestRefused(error)
            case _ if error in _NOT_ADDED and operation is TransactionSupport.VERIFY_ABORTABLE:
                rule("KIP890-096")
                return RequestRefused(Errors.TRANSACTION_ABORTABLE)
            case _ if error in _NOT_ADDED:
                rule("KIP890-095")
                return RequestRefused(Errors.INVALID_TXN_STATE, "Partition was not added to the transaction")
            case _:
                rule("KIP890-103")
                rule("KIP890-404")
                return RequestRefused(error)

    def _for_later(self, error: Errors) -> RequestRefused:
        """An error on which all clients retry, also those that know of no coordinator behind a leader."""
        return RequestRefused(Errors.NOT_ENOUGH_REPLICAS, f"The transaction could not be verified, its coordinator answered {error.name}")

    def refusal_of_offset_commit(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        """Decision: what TxnOffsetCommit answers when the coordinator refuses."""
        match error:
            case Errors.CONCURRENT_TRANSACTIONS:
                rule("KIP890-058")
                return RequestRefused(self._profile.offset_commit_while_completing)
            case Errors.COORDINATOR_LOAD_IN_PROGRESS:
                rule("KIP890-057")
                return RequestRefused(error)
            case Errors.PRODUCER_FENCED:
                rule("KIP890-051")
                return RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
            case _ if error in _NOT_ADDED and operation is TransactionSupport.VERIFY_ABORTABLE:
                rule("KIP890-049")
                return RequestRefused(Errors.TRANSACTION_ABORTABLE)
            case _ if error in _NOT_ADDED:
                rule("KIP890-048")
                return RequestRefused(Errors.INVALID_TXN_STATE)
            case _:
                rule("KIP890-050")
                return RequestRefused(error)
