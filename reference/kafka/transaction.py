"""A transaction as its coordinator knows it: the states, the transitions between them, and what each step does to the record.

    Empty -> Ongoing -> PrepareCommit -> CompleteCommit -> Empty or Ongoing
                     -> PrepareAbort  -> CompleteAbort  -> Empty or Ongoing

A new client may also abort when nothing is open, from Empty, CompleteCommit or CompleteAbort. What is in a Prepare state is
decided; what is in a Complete state has its markers in all partitions.

Source: "Bump Epoch on Each Transaction for New Clients (1)", which also says what the three producer ids are for. A `KafkaTransaction` is
the record of the transaction log (TransactionLogValue): it is never changed, each step builds the next record.

Kafka knows two states more. PrepareEpochFence lies between two asynchronous writes, which are one step here, and Dead between an
id's expiry and its removal.
"""

from dataclasses import dataclass, replace
from enum import Enum

from fencepost.contract.transitions import Transition
from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .kafka_types import EXHAUSTED_EPOCH, FIRST_EPOCH, NOTHING, PartitionName, ProducerIdAndEpoch


class KafkaTransactionState(Enum):
    """A state, by its name on the wire."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"


PREPARED = frozenset({KafkaTransactionState.PREPARE_COMMIT, KafkaTransactionState.PREPARE_ABORT})

_IDLE = frozenset({KafkaTransactionState.EMPTY, KafkaTransactionState.COMPLETE_COMMIT, KafkaTransactionState.COMPLETE_ABORT})

_FROM: dict[KafkaTransactionState, frozenset[KafkaTransactionState]] = {
    KafkaTransactionState.EMPTY: _IDLE,
    KafkaTransactionState.ONGOING: _IDLE | {KafkaTransactionState.ONGOING},
    KafkaTransactionState.PREPARE_COMMIT: frozenset({KafkaTransactionState.ONGOING}),
    KafkaTransactionState.PREPARE_ABORT: _IDLE | {KafkaTransactionState.ONGOING},
    KafkaTransactionState.COMPLETE_COMMIT: frozenset({KafkaTransactionState.PREPARE_COMMIT}),
    KafkaTransactionState.COMPLETE_ABORT: frozenset({KafkaTransactionState.PREPARE_ABORT}),
}
"""The states that may come before each state."""
TRANSITIONS = frozenset(Transition(before.value, after.value) for after, all_before in _FROM.items() for before in all_before)


class Decision(Enum):
    """How a transaction ends, with the states on that way."""

    COMMIT = (KafkaTransactionState.PREPARE_COMMIT, KafkaTransactionState.COMPLETE_COMMIT)
    ABORT = (KafkaTransactionState.PREPARE_ABORT, KafkaTransactionState.COMPLETE_ABORT)

    @property
    def prepared(self) -> KafkaTransactionState:
        return self.value[0]

    @property
    def complete(self) -> KafkaTransactionState:
        return self.value[1]


@dataclass(frozen=True)
class KafkaTransaction:
    """A transactional id with its producer and its latest transaction.

    Times are ms since 1970, -1 for never; ids and epochs are -1 if there is none.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    state: KafkaTransactionState = KafkaTransactionState.EMPTY
    partitions: frozenset[PartitionName] = frozenset()
    started_at: int = NOTHING
    updated_at: int = NOTHING
    last_producer_epoch: int = NOTHING
    """The epoch from which this one was bumped, so that a client that missed the answer is recognised when it retries."""
    previous_producer_id: int = NOTHING
    """The producer id that the client used when it ended the transaction; differs from `producer_id` only after an overflow."""
    next_producer_id: int = NOTHING
    """The producer id that follows when the epoch overflows; only set in between."""
    transaction_version: int = 0
    """2 when the client that added partitions, or ended the transaction, bumps the epoch with each; 0 for old clients."""

    @property
    def producer(self) -> ProducerIdAndEpoch:
        return ProducerIdAndEpoch(self.producer_id, self.producer_epoch)

    @property
    def next_producer(self) -> ProducerIdAndEpoch:
        """The producer id and epoch to continue with: in a Prepare state, already those after its completion."""
        if self.next_producer_id != NOTHING:
            rule("KIP890-076")
            return ProducerIdAndEpoch(self.next_producer_id, FIRST_EPOCH)
        return self.producer

    @property
    def decision(self) -> Decision:
        """The decision of a transaction in a Prepare state."""
        return Decision.COMMIT if self.state is KafkaTransactionState.PREPARE_COMMIT else Decision.ABORT

    @property
    def is_idle(self) -> bool:
        """Whether no transaction is open or being ended."""
        return self.state in _IDLE

    @property
    def epoch_is_exhausted(self) -> bool:
        return self.producer_epoch >= EXHAUSTED_EPOCH

    def bump_epoch(self, expected_epoch: int, timeout_ms: int) -> "KafkaTransaction":
        """The step of InitProducerId. `expected_epoch` is the epoch that the client believes to have, -1 for none.

        A client that repeats its request is recognised by the last epoch, and gets the same answer. Raises RequestRefused: PRODUCER_FENCED
        when it is any other epoch.
        """
        empty = self._emptied(timeout_ms)
        if expected_epoch == NOTHING:
            return replace(empty, producer_epoch=self.producer_epoch + 1, last_producer_epoch=NOTHING)
        if expected_epoch == self.producer_epoch:
            return replace(empty, producer_epoch=self.producer_epoch + 1, last_producer_epoch=self.producer_epoch)
        if expected_epoch == self.last_producer_epoch:
            return empty
        raise RequestRefused(Errors.PRODUCER_FENCED)

    def rotate_producer_id(self, producer_id: int, timeout_ms: int, *, remember_epoch: bool) -> "KafkaTransaction":
        """The step of InitProducerId when the epoch is exhausted: a new producer id, from the first epoch on."""
        last_epoch = EXHAUSTED_EPOCH if remember_epoch else NOTHING
        return replace(self._emptied(timeout_ms), producer_id=producer_id, producer_epoch=FIRST_EPOCH, last_producer_epoch=last_epoch)

    def add(self, partitions: frozenset[PartitionName], transaction_version: int, now: int) -> "KafkaTransaction":
        """More partitions; the first ones begin the transaction."""
        return replace(
            self._to(KafkaTransactionState.ONGOING),
            partitions=self.partitions | partitions,
            started_at=self.started_at if self.state is KafkaTransactionState.ONGOING else now,
            transaction_version=transaction_version,
        )

    def fenced(self) -> "KafkaTransaction":
        """The producer is fenced by an epoch that no client gets: the old protocol's way, before the decision."""
        return replace(self, producer_epoch=self.producer_epoch + 1, last_producer_epoch=self.producer_epoch)

    def prepare(self, decision: Decision, *, bumps: int, next_producer_id: int = NOTHING) -> "KafkaTransaction":
        """The decision. Old clients keep the epoch, `bumps` 0; for others it is larger from here on, in the markers too."""
        return replace(
            self._to(decision.prepared),
            producer_epoch=self.producer_epoch + bumps,
            last_producer_epoch=self.producer_epoch + bumps - 1 if bumps else self.last_producer_epoch,
            next_producer_id=next_producer_id,
            transaction_version=2 if bumps else 0,
        )

    def completed(self) -> "KafkaTransaction":
        """All markers are written; after an overflow the next producer id comes into force here."""
        following = self.next_producer
        return replace(
            self._to(self.decision.complete),
            partitions=frozenset(),
            producer_id=following.producer_id,
            producer_epoch=following.epoch,
            next_producer_id=NOTHING,
        )

    def _emptied(self, timeout_ms: int) -> "KafkaTransaction":
        return replace(self._to(KafkaTransactionState.EMPTY), partitions=frozenset(), started_at=NOTHING, timeout_ms=timeout_ms)

    def _to(self, state: KafkaTransactionState) -> "KafkaTransaction":
        if self.state not in _FROM[state]:
            raise AssertionError(f"{self.transactional_id}: from {self.state.value} to {state.value} is no transition of the state machine")
        return replace(self, state=state, previous_producer_id=self.producer_id)
