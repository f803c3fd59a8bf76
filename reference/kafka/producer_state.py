"""What a partition knows of each producer that has written to it, and what follows for the producer's next batch.

For each producer id: the epoch, the last few batches with their sequence numbers, and the offset at which its open transaction began,
which the proposal calls currentTxnFirstOffset. All of it comes from the log, so it is the same after a restart.

* A batch of an older epoch is fenced: its transaction has ended, or a new instance has taken over.
* Within an epoch sequence numbers have no gaps. A batch that repeats one of the last five is answered as that one was.
* A marker ends the open transaction, and its epoch is the producer's epoch from there on.
* A producer that has been idle for long is forgotten, unless it has a transaction open here.

Source: "Bump Epoch on Each Transaction for New Clients (1)", "Return Error for Non-Zero Sequence on New Producers", "Implicitly Add
Partitions to Transactions on Produce for New Clients (2)".
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch

from .guards import Attempt
from .kafka_errors import Errors, RequestRefused
from .kafka_types import ProducerIdAndEpoch
from .markers import TransactionMarker

NONE = -1
"""What DescribeProducers returns if a producer has no such number."""

REMEMBERED_BATCHES = 5
_SEQUENCES = 2**31
"""Sequence numbers run from 0 up to one less than this, and then begin again."""


class EpochStanding(Enum):
    """How a batch's epoch compares with what the partition knows of its producer."""

    FENCED = auto()
    """A newer epoch has been here."""
    IN_OPEN_TRANSACTION = auto()
    """Its transaction is open here already."""
    NEW = auto()
    """The partition cannot know whether there is a transaction."""


@dataclass(frozen=True, slots=True)
class AppendedBatch:
    """A batch in the log, as far as a duplicate of it is recognised by it."""

    first_sequence: int
    last_sequence: int
    base_offset: int


@dataclass(frozen=True, slots=True)
class ProducerState:
    """One producer. `coordinator_epoch` and `transaction_start` are NONE if there is none; `last_timestamp` in ms since 1970."""

    producer: ProducerIdAndEpoch
    batches: tuple[AppendedBatch, ...]
    last_timestamp: int
    coordinator_epoch: int
    transaction_start: int

    @staticmethod
    def before(batch: Batch) -> "ProducerState":
        """The state of an unknown producer, whose first batch or marker this is."""
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return ProducerState(producer, (), _last_timestamp(batch), NONE, NONE)

    @property
    def has_open_transaction(self) -> bool:
        return self.transaction_start != NONE

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NONE

    def after_batch(self, batch: Batch) -> "ProducerState":
        """The state once this batch is in the log."""
        rule("KIP890-209")
        appended = AppendedBatch(batch.base_sequence, _last_sequence(batch), batch.base_offset)
        begins = batch.transactional and not self.has_open_transaction
        return replace(
            self._at_least(batch.producer_epoch),
            batches=(*self._at_least(batch.producer_epoch).batches, appended)[-REMEMBERED_BATCHES:],
            last_timestamp=_last_timestamp(batch),
            transaction_start=batch.base_offset if begins else self.transaction_start,
        )

    def after_marker(self, marker: Batch, coordinator_epoch: int) -> "ProducerState":
        """The state once this marker is in the log."""
        rule("KIP890-093")
        return replace(
            self._at_least(marker.producer_epoch),
            last_timestamp=marker.records[0].timestamp,
            coordinator_epoch=coordinator_epoch,
            transaction_start=NONE,
        )

    def _at_least(self, epoch: int) -> "ProducerState":
        """With a new epoch, sequence numbers begin again at 0."""
        if epoch <= self.producer.epoch:
            return self
        return replace(self, producer=ProducerIdAndEpoch(self.producer.producer_id, epoch), batches=())


class ProducerStates:
    """The producers of one partition, and the partition's decisions about them."""

    def __init__(self) -> None:
        self._states: dict[int, ProducerState] = {}

    def get(self, producer_id: int) -> ProducerState | None:
        return self._states.get(producer_id)

    def all(self) -> tuple[ProducerState, ...]:
        """Decision: the producers that DescribeProducers lists, in the order in which they first wrote."""
        return tuple(self._states.values())

    def restore(self, states: Iterable[ProducerState]) -> None:
        """Know just these, in this order."""
        self._states = {state.producer.producer_id: state for state in states}

    def open_transactions(self) -> list[int]:
        """The offsets at which the open transactions begin."""
        return [state.transaction_start for state in self._states.values() if state.has_open_transaction]

    def apply(self, batch: Batch) -> ProducerState | None:
        """Decision: what a batch or marker in the log changes in the state of its producer; returns the state before."""
        before = self._states.get(batch.producer_id)
        state = before or ProducerState.before(batch)
        if batch.marker is None:
            self._states[batch.producer_id] = state.after_batch(batch)
        else:
            self._states[batch.producer_id] = state.after_marker(batch, batch.marker.coordinator_epoch)
        return before

    def forget_idle(self, before: int) -> None:
        """The timer's work: forget producers that have written nothing since then. Such a producer becomes unknown."""
        for producer_id, state in list(self._states.items()):
            if state.last_timestamp <= before and self.may_be_forgotten(state):
                del self._states[producer_id]

    def may_be_forgotten(self, state: ProducerState) -> bool:
        """Decision: whether the state may expire: not with an open transaction, which would lose its beginning."""
        rule("KIP890-167")
        return not state.has_open_transaction

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        """Decision: how this producer epoch compares with what the partition knows: fenced, in its open transaction, or new."""
        state = self._states.get(producer.producer_id)
        if state is None:
            return EpochStanding.NEW
        if producer.epoch < state.producer.epoch:
            rule("KIP890-100")
            rule("CORE-31")
            rule("KIP890-101")
            return EpochStanding.FENCED
        if state.has_open_transaction and producer.epoch == state.producer.epoch:
            rule("KIP890-092")
            return EpochStanding.IN_OPEN_TRANSACTION
        return EpochStanding.NEW

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        """Decision: the batch in the log that this one repeats."""
        state = self._states.get(batch.producer_id)
        if state is None or batch.producer_epoch != state.producer.epoch:
            return None
        sequences = (batch.base_sequence, _last_sequence(batch))
        return next((known for known in state.batches if (known.first_sequence, known.last_sequence) == sequences), None)

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        """Decision: a batch must have the sequence number that is next.

        `attempt` is the verification that let the batch come here. `may_begin_anywhere` is whether a producer that is not known yet may
        begin at a sequence other than 0. Raises RequestRefused: INVALID_RECORD when it has no sequence number, and
        OUT_OF_ORDER_SEQUENCE_NUMBER when another one is due.
        """
        state, first = self._states.get(batch.producer_id), batch.base_sequence
        if first < 0:
            raise RequestRefused(Errors.INVALID_RECORD, "a batch with a producer id needs a sequence number")
        rule("KIP890-366")
        if attempt is not None and first > attempt.lowest_sequence:
            raise RequestRefused(
                Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, f"sequence {first} came before {attempt.lowest_sequence}, which is still due"
            )
        if state is None:
            if first != 0 and not may_begin_anywhere:
                rule("KIP890-108")
                rule("KIP890-168")
                raise RequestRefused(
                    Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, f"sequence {first} of a producer that is not known here, 0 is due"
                )
            rule("KIP890-109")
            return
        due = 0
        if batch.producer_epoch <= state.producer.epoch and state.batches:
            rule("KIP890-114")
            due = (state.last_sequence + 1) % _SEQUENCES
        if first != due:
            rule("KIP890-110" if due == 0 else "KIP890-113")
            raise RequestRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, f"sequence {first}, {due} is due")

    def check_marker(self, marker: TransactionMarker) -> None:
        """Decision: a marker must be of the current producer epoch and coordinator, and not a late one of the transaction before.

        Raises RequestRefused: INVALID_PRODUCER_EPOCH when the epoch is older, or with transaction version 2 not above that of the open
        transaction; TRANSACTION_COORDINATOR_FENCED when a newer coordinator has written here.
        """
        state = self._states.get(marker.producer.producer_id)
        if state is None:
            rule("KIP890-132")
            return
        if marker.producer.epoch < state.producer.epoch:
            rule("KIP890-128")
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
        if marker.transaction_version >= 2 and marker.producer.epoch == state.producer.epoch and state.has_open_transaction:
            rule("KIP890-127")
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
        if marker.coordinator_epoch < state.coordinator_epoch:
            rule("KIP890-130")
            raise RequestRefused(Errors.TRANSACTION_COORDINATOR_FENCED)
        rule("KIP890-131")
        rule("KIP890-129")
        rule("KIP890-170")


def _last_timestamp(batch: Batch) -> int:
    """The time of the newest record, even if the log cleaner has left no record of the batch."""
    return max((record.timestamp for record in batch.records), default=batch.max_timestamp)


def _last_sequence(batch: Batch) -> int:
    return (batch.base_sequence + batch.last_offset - batch.base_offset) % _SEQUENCES
