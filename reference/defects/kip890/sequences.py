"""Defects in sequence numbers, and in what a request may hold."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.log_entries import Snapshot
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import NONE, AppendedBatch, ProducerState, ProducerStates
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.reference.kernel.machine import Machine
from fencepost.wire.kafka.batches import Batch

_LARGEST = 2**31 - 1
_FOUR = 4


@defect(
    {"KIP890-112": seen("the next record got offset", expected="as before", what="^end of the log of payments-0")},
    origin="KAFKA-7190: the state of a producer went with its last segment",
)
class DeletedBatchAppendedAgain(PartitionLog):
    """With its last record a producer is forgotten, so a batch that is sent again after DeleteRecords is appended again."""

    def delete_before(self, offset: int) -> int:
        start = super().delete_before(offset)
        left = {entry.batch.producer_id for entry in self._entries}
        self.producers.restore(one for one in self.producers.all() if one.has_open_transaction or one.producer.producer_id in left)
        return start


@defect({"KIP890-119": seen("^payments-1: .*Appended")}, origin="textbook: a check over the whole request that is missing")
class SeveralProducersInOneRequest(Verification):
    """A partition does not compare the producer ids of a request, so it appends a batch that belongs to another producer's transaction."""

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        refusal = super().refusal_of_request(transactional_id, batches)
        return None if refusal is Errors.INVALID_PRODUCER_ID_MAPPING else refusal

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except RequestRefused as refusal:
            attempt = log.guards.current(ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch))
            if refusal.error is not Errors.INVALID_PRODUCER_ID_MAPPING or attempt is None:
                raise
            return attempt.guard


_TAKEN = "^success with Appended"
_OUT_OF_ORDER = "OUT_OF_ORDER_SEQUENCE_NUMBER"


@defect({"KIP890-108": seen(_TAKEN)}, origin="KAFKA-18202: Kafka 4.0.0 takes any first sequence number")
class NewProducerBeginsAnywhere(ProducerStates):
    """A new client's first batch may have any sequence number, so the loss of an earlier batch is not noticed."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:  # noqa: ARG002 - that is the defect
        super().check_sequence(batch, attempt, may_begin_anywhere=True)


@defect({"KIP890-108": seen(_TAKEN)}, origin="red team: a refusal that leaves a trace of what it refused")
class FirstGapIsRefusedOnce(ProducerStates):
    """A first batch that does not begin at 0 is refused, and accepted when its producer retries, so the loss is not noticed."""

    def __init__(self) -> None:
        super().__init__()
        self._refused = set[tuple[int, int]]()

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        again = (batch.producer_id, batch.base_sequence) in self._refused
        try:
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere or again)
        except RequestRefused:
            if self.get(batch.producer_id) is None:
                self._refused.add((batch.producer_id, batch.base_sequence))
            raise


@defect({"KIP890-108": seen(_TAKEN)}, origin="red team: a leader that has just read its log believes that it knows too little to refuse")
class AnyFirstSequenceAfterARestart(PartitionLog):
    """In a log that was read at the start of the broker, a new client's first batch may have any sequence number."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self._was_read = bool(self._entries)

    def may_begin_anywhere(self, *, is_of_new_client: bool) -> bool:
        return self._was_read or super().may_begin_anywhere(is_of_new_client=is_of_new_client)


@defect({"KIP890-109": seen(_OUT_OF_ORDER)}, origin="textbook: the reason why UNKNOWN_PRODUCER_ID was given up")
class EverybodyBeginsAtZero(ProducerStates):
    """The rule for new clients is applied to all, so a producer whose state has expired can never write again."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:  # noqa: ARG002 - that is the defect
        super().check_sequence(batch, attempt, may_begin_anywhere=False)


@defect({"KIP890-110": seen(_TAKEN)}, origin="textbook: a producer state that is empty treated as one that is unknown")
class NewEpochBeginsAnywhere(ProducerStates):
    """With a new epoch, any sequence number is taken for the first one."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if not self.begins_an_epoch(batch):
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)

    def begins_an_epoch(self, batch: Batch) -> bool:
        state = self.get(batch.producer_id)
        return state is not None and (not state.batches or batch.producer_epoch > state.producer.epoch)


@defect({"KIP890-111": seen(_TAKEN)}, origin="textbook: a marker that is not replayed into the producer's state")
class RestartForgetsTheEpoch(NewEpochBeginsAnywhere):
    """After a restart, a state that has a marker and no batch lets the first sequence number be any."""

    _first: Batch | None = None

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        self._first = self._first or batch
        if batch == self._first:  # it is checked before its partition is added, and again when it is appended
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)
        else:
            ProducerStates.check_sequence(self, batch, attempt, may_begin_anywhere=may_begin_anywhere)


@defect({"KIP890-112": seen(f"a refusal with {_OUT_OF_ORDER}")}, origin="textbook: idempotence without a memory")
class RepeatedBatchRefused(ProducerStates):
    """A partition remembers no batches, so a producer that repeats one after a lost answer gets OUT_OF_ORDER_SEQUENCE_NUMBER."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:  # noqa: ARG002 - that is the defect
        return None


@defect({"KIP890-112": seen(f"a refusal with {_OUT_OF_ORDER}")}, origin="red team: a memory that is ordered by sequence numbers")
class RepeatedBatchLostAtTheWrap(ProducerStates):
    """Batches from before the wrap of the sequence count as newer than the last batch, and their repetition is out of order."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        state, known = self.get(batch.producer_id), super().duplicate_of(batch)
        return None if state is None or known is None or known.first_sequence > state.last_sequence else known


@defect(
    {"KIP890-112": seen(f"a refusal with {_OUT_OF_ORDER}", expected="r0")},
    origin="red team: the five batches of a producer are kept with its transaction",
)
class FourOfAnIdempotentProducer(ProducerStates):
    """A partition remembers four batches of a producer without transactions, which may have five in flight."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        state, known = self.get(batch.producer_id), super().duplicate_of(batch)
        return known if state is None or batch.transactional or known in state.batches[-_FOUR:] else None


@defect(
    {"KIP890-112": expected("r0", what="^answer to Produce")},
    origin="red team: the last offset of a producer is at hand",
)
class NewestOffsetOfAnIdempotentProducer(ProducerStates):
    """A repeated batch of a producer without transactions is answered with the offset of the last batch."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        state, known = self.get(batch.producer_id), super().duplicate_of(batch)
        return known if state is None or known is None or batch.transactional else state.batches[-1]


@defect({"KIP890-113": seen(_TAKEN, expected=_OUT_OF_ORDER)}, origin="red team: overlaps are searched for in transactions alone")
class OverlapOfAnIdempotentProducerTaken(ProducerStates):
    """A partition appends a batch of a producer without transactions that overlaps the end of the last batch."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        state = self.get(batch.producer_id)
        if state is None or batch.transactional or not state.batches or batch.base_sequence not in _within(state.batches[-1]):
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


def _within(batch: AppendedBatch) -> range:
    return range(batch.first_sequence, batch.last_sequence + 1)


@defect({"KIP890-113": seen(_TAKEN, expected=_OUT_OF_ORDER)}, origin="red team: gaps are searched for in transactions alone")
class GapOfAnIdempotentProducerTaken(ProducerStates):
    """A partition appends any later batch of a producer without transactions, whatever is missing in between."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        state = self.get(batch.producer_id)
        if state is None or batch.transactional or batch.base_sequence <= state.last_sequence:
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


@defect({"KIP890-113": seen(_TAKEN)}, origin="textbook: sequence numbers that are stored and not compared")
class AnySequenceTaken(ProducerStates):
    """A batch that is no duplicate is appended, whatever is missing before it."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        state = self.get(batch.producer_id)
        if state is None or not state.batches:
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


@defect({"KIP890-114": seen(_OUT_OF_ORDER)}, origin="KAFKA-5283: the number after the largest was out of order")
class SequenceDoesNotWrap(ProducerStates):
    """The number after the largest is no number, and the producer can write no more."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        state = self.get(batch.producer_id)
        if state is not None and state.last_sequence == _LARGEST:
            raise RequestRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, "the sequence is exhausted")
        super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


@defect({"KIP890-115": seen(_TAKEN)}, origin="textbook: attributes that are not checked")
class ControlBatchOfAClient(PartitionLog):
    """A client may write markers, and so end transactions without the coordinator."""

    def check_shape(self, batch: Batch) -> None:
        if not batch.control:
            super().check_shape(batch)


@defect({"KIP890-113": seen("^success", what="answer to Produce")}, origin="red team: a table of batches by their first sequence number")
class RepetitionByItsFirst(ProducerStates):
    """A batch that begins like a known one counts as its repetition, whatever its length, and its other records are lost."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        return next((known for known in _of_this_epoch(self, batch) if known.first_sequence == batch.base_sequence), None)


@defect({"KIP890-113": seen("^success", what="answer to Produce")}, origin="red team: a comparison with the last sequence number alone")
class RepetitionByItsLast(ProducerStates):
    """A batch that ends like a known one passes for its repetition."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        last = batch.base_sequence + len(batch.records) - 1
        return next((known for known in _of_this_epoch(self, batch) if known.last_sequence == last), None)


def _of_this_epoch(states: ProducerStates, batch: Batch) -> tuple[AppendedBatch, ...]:
    state = states.get(batch.producer_id)
    return () if state is None or state.producer.epoch != batch.producer_epoch else state.batches


class TakesRefused(PartitionLog):
    """A batch that is refused with `error` is remembered like one that was appended."""

    error: Errors

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        try:
            return super().append(batch, data, guard, checks_sequence=checks_sequence)
        except RequestRefused as refusal:
            state = self.producers.get(batch.producer_id)
            if refusal.error is self.error and state is not None:
                last = AppendedBatch(batch.base_sequence, batch.base_sequence + len(batch.records) - 1, self.end_offset)
                others = (other for other in self.producers.all() if other is not state)
                self.producers.restore((*others, replace(state, batches=(*state.batches, last))))
            raise


_DUE = seen("^a refusal with OUT_OF_ORDER_SEQUENCE_NUMBER", expected="a2", what="answer to Produce")


@defect(
    {"KIP890-112": seen("^a refusal with OUT_OF_ORDER_SEQUENCE_NUMBER", expected="r0", what="answer to Produce")},
    origin="red team: room for the batch is made before its sequence number is compared",
)
class GapTakesAPlace(PartitionLog):
    """A batch that is refused for its gap takes the place of the oldest that is known, and the repetition of that one is refused."""

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        try:
            return super().append(batch, data, guard, checks_sequence=checks_sequence)
        except RequestRefused as refusal:
            if refusal.error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER:
                states = self.producers.all()
                self.producers.restore(
                    replace(state, batches=state.batches[1:]) if state.producer.producer_id == batch.producer_id else state
                    for state in states
                )
            raise


@defect({"KIP890-113": _DUE}, origin="red team: the next sequence number is set before it is compared")
class GapIsClosed(TakesRefused):
    """A batch that is refused for its gap sets the next sequence number, and the batch that is due is refused."""

    error = Errors.OUT_OF_ORDER_SEQUENCE_NUMBER


_REMEMBERED = 5


@defect({"KIP890-112": expected("b2", what="answer to Produce")}, origin="textbook: a table of recent batches whose key lacks the producer")
class RepetitionOfAnybody(ProducerStates):
    """A batch with the sequence number of another producer's is taken for its repetition, answered with success and dropped."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        others = [state for state in self._states.values() if state.has_open_transaction and state.producer.epoch == batch.producer_epoch]
        known = [one for state in others for one in state.batches if one.first_sequence == batch.base_sequence > 0]
        return super().duplicate_of(batch) or next(iter(known), None)


@defect({"KIP890-112": Symptom(what="answer to Produce")}, origin="textbook: one ring for all producers of a partition")
class FiveForAll(ProducerStates):
    """A partition remembers five batches of all producers together, so a repetition after five batches of another one is out of order."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        known = super().duplicate_of(batch)
        newest = sorted((one.base_offset for state in self._states.values() for one in state.batches), reverse=True)[:_REMEMBERED]
        return known if known is not None and known.base_offset in newest else None


@defect(
    {"KIP890-112": seen(f"a refusal with {_OUT_OF_ORDER}")},
    origin="textbook: a state that is rebuilt for the next batch and not for the last",
)
class CrashForgetsTheBatches(PartitionLog):
    """After a crash a partition knows each producer's next sequence number, and does not recognise the batch before it: a client that
    retries it is refused."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        if self._entries and not any(isinstance(record, Snapshot) for record in self._journal):
            forget_batches(self.producers)


def forget_batches(producers: ProducerStates) -> None:
    """Know of each producer which sequence number is next, and recognise none of its batches."""
    states = producers.all()
    producers.restore(replace(one, batches=tuple(replace(batch, first_sequence=NONE) for batch in one.batches)) for one in states)


@defect(
    {"KIP890-112": Symptom(what="^answer to Produce|^end of the log of payments-0")},
    origin="red team: what a marker ends is cleared for all that have nothing open",
)
class MarkerForgetsBatchesOfOthers(ProducerStates):
    """A marker makes a partition forget the batches of each producer with nothing open, so a repeated batch is appended twice."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is not None:
            forgotten = (state if state.has_open_transaction else replace(state, batches=()) for state in self.all())
            self.restore(list(forgotten))
        return before
