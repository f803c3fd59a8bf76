"""Defects in what expires after a while, and in what must not expire."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog, Tombstone
from fencepost.wire.kafka.batches import Batch


@defect({"KIP890-165": seen("^success with", what="transaction of A")}, origin="textbook: a cache that is cleaned and a log that is not")
class ExpiryWithoutTombstone(KafkaTransactionLog):
    """An expired transactional id is removed from memory only, and is back after the next restart."""

    def forget(self, transactional_id: str) -> None:  # noqa: ARG002 - that is the defect
        return


@defect({"KIP890-165": seen("^success with", what="transaction of A")}, origin="textbook: a clean-up that is never due")
class IdsKeptForEver(KafkaCoordinator):
    """Transactional ids are never removed, and the coordinator grows with each name that was ever used."""

    def may_be_forgotten(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - that is the defect
        return False


@defect({"KIP890-165": seen("^success with", what="transaction of A")}, origin="textbook: a list of states with one name too few")
class UsedIdsKeptForEver(KafkaCoordinator):
    """Only a transactional id that has had no transaction since InitProducerId expires, so every one that was ever used is kept."""

    def may_be_forgotten(self, transaction: KafkaTransaction) -> bool:
        return transaction.state is KafkaTransactionState.EMPTY


@defect({"KIP890-166": seen("^a refusal: TRANSACTIONAL_ID_NOT_FOUND")}, origin="textbook: hanging transactions by expiry")
class OpenTransactionExpires(KafkaCoordinator):
    """The clean-up looks at the time and not at the state, so an open transaction loses the only one who could end it."""

    def may_be_forgotten(self, transaction: KafkaTransaction) -> bool:
        return transaction.is_idle or bool(transaction.partitions)


@defect(
    {"KIP890-166": Symptom(what="^answer$", error="^TRANSACTIONAL_ID_NOT_FOUND$")},
    origin="textbook: one state that must not expire is named, and later ones are forgotten",
)
class PreparedTransactionExpires(KafkaCoordinator):
    """The coordinator's clean-up keeps only Ongoing transactions, so the markers of a transaction that is decided and not complete are
    never sent."""

    def may_be_forgotten(self, transaction: KafkaTransaction) -> bool:
        return transaction.state is not KafkaTransactionState.ONGOING


@defect({"KIP890-167": seen("^no such producer")}, origin="textbook: expiry by time alone")
class OpenStateExpires(ProducerStates):
    """A partition forgets a producer in the middle of its transaction, and shows readers what is not decided."""

    def may_be_forgotten(self, state: ProducerState) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-168": seen("^success with", expected="OUT_OF_ORDER_SEQUENCE_NUMBER")}, origin="Apache Kafka 4.0.0")
class ReturningProducerTrusted(ProducerStates):
    """A new client that returns after its state expired continues with its old sequence numbers, so that the loss of a batch in between is
    not noticed.
    """

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere or batch.base_sequence > 0)


@defect(
    {"KIP890-167": Symptom(what="answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    origin="textbook: two maps, one of them cleaned",
)
class ExpiredStateStillCounts(ProducerStates):
    """The expired state is not shown any more, and its sequence number is still compared with the producer's next batch."""

    _last: dict[int, int]

    def __init__(self) -> None:
        super().__init__()
        self._last = {}

    def apply(self, batch: Batch) -> ProducerState | None:
        self._last[batch.producer_id] = max(self._last.get(batch.producer_id, -1), batch.base_sequence)
        return super().apply(batch)

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if self.get(batch.producer_id) is None and batch.base_sequence > self._last.get(batch.producer_id, batch.base_sequence) + 1:
            raise RequestRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
        super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


@defect(
    {"KIP890-166": Symptom(what="^answer$", error="^TRANSACTIONAL_ID_NOT_FOUND$")},
    origin="textbook: tombstones are collected apart, and the order of the log is lost",
)
class ExpiredIdNotLoaded(KafkaTransactionLog):
    """A coordinator that loads its log treats an id with a tombstone as gone, and skips all records that come after it."""

    def replay(self) -> dict[str, KafkaTransaction]:
        gone = {record.transactional_id for record in self._records if isinstance(record, Tombstone)}
        return {name: transaction for name, transaction in super().replay().items() if name not in gone}


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
