"""Then: what the coordinator reports of a transaction, and the leaders of partitions of a producer."""

from fencepost.adapters.kafka.kafka_values import OFFSETS, IsolationLevel, ProducerIdentity, TransactionDescription
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.sentence import compares
from fencepost.steps.step_outcomes import achieved, observed

from .idling import active_in, is_unknown
from .initialising import TIMEOUTS_MS
from .judging import answer_of, answered, judge_answer, reported
from .kafka_context import TRANSACTION, KafkaContext
from .kafka_sentence_types import OVER
from .vocabulary import KAFKA


@KAFKA.then("the producer id and epoch of {producer} are {known}")
@compares(TRANSACTION, of="producer", known="unchanged")
def the_identity_is(context: KafkaContext, producer: str, known: str) -> None:
    """DescribeTransactions shows the producer id and epoch that it showed before the When, of the answer, or that were given first."""
    one = context.producers[producer]
    if known == "those of the answer":
        match answer_of(context):
            case Done(ProducerIdentity() as due):
                pass
            case other:
                judge_answer(context, False, "an answer with a producer id and an epoch", other)
                return
    elif known == "unchanged":
        due = context.before.transactions[one.transactional_id].producer
    else:
        due = one.given[0]
    seen = context.describe(one).producer
    context.evidence.expect(seen == due, str(due), str(seen), what=f"producer id and epoch of {producer}")


@KAFKA.then("the transaction of {producer} is {state}[ in {place}][, and waits for {awaited:place} only]")
def the_transaction_is(context: KafkaContext, producer: str, state: str, place: str | None, awaited: str | None) -> None:
    """DescribeTransactions shows this state, once no marker is in flight; with a place, exactly these partitions as well. It comes to show
    exactly the partition for which the transaction waits.
    """
    if awaited is not None:
        _judge_wait(context, producer, state, awaited)
        return
    if place is None:
        context.await_markers()
    description = context.describe(context.producers[producer])
    if place is None:
        holds = description.is_settled if state == OVER else description.state == state
        expected, seen = state, description.state
    else:
        holds, expected, seen = (
            description.state == state and _is_in(context, description, place),
            f"{state} in {place}",
            _where(description),
        )
    context.evidence.expect(holds, expected, seen, what=f"transaction of {producer}")


def _judge_wait(context: KafkaContext, producer: str, state: str, place: str) -> None:
    one = context.producers[producer]
    for _ in context.time.attempts():
        description = context.describe(one)
        if _is_in(context, description, place):
            break
    holds = description.state == state and _is_in(context, description, place)
    context.evidence.expect(holds, f"{state} in {place}", _where(description), what=f"transaction of {producer}")


@KAFKA.then("the transaction of {producer} is unchanged")
@compares(TRANSACTION, of="producer")
def the_transaction_is_unchanged(context: KafkaContext, producer: str) -> None:
    """DescribeTransactions shows the state, producer id, epoch, partitions, start and timeout that it showed before the When.

    If the transaction is being ended, partitions that were waiting for their marker may have got it.
    """
    one = context.producers[producer]
    before, now = context.before.transactions[one.transactional_id], context.describe(one)
    context.evidence.expect(_is_unchanged(before, now), _shown(before), _shown(now), what=f"transaction of {producer}")


@KAFKA.then("the transaction timeout of {producer} is {timeout}")
def the_timeout_is(context: KafkaContext, producer: str, timeout: str) -> None:
    """DescribeTransactions shows this timeout."""
    due, seen = TIMEOUTS_MS[timeout], context.describe(context.producers[producer]).timeout_ms
    context.evidence.expect(seen == due, f"{due} ms", f"{seen} ms", what=f"timeout of {producer}")


@KAFKA.then("the coordinator does not know {producer}")
def the_coordinator_does_not_know(context: KafkaContext, producer: str) -> None:
    """DescribeTransactions answers TRANSACTIONAL_ID_NOT_FOUND."""
    outcome = answered(context.observer.describe_transaction(context.producers[producer].transactional_id), f"describing {producer}")
    context.evidence.expect(is_unknown(outcome), "TRANSACTIONAL_ID_NOT_FOUND", reported(outcome), what=f"transaction of {producer}")


@KAFKA.then("the open transaction of {producer} in {partition} starts at {value}")
def the_open_transaction_starts_at(context: KafkaContext, producer: str, partition: str, value: str) -> None:
    """DescribeProducers shows that the producer's transaction in this partition started at the offset of this record."""
    where = context.partition(partition)
    offset = context.read(where, IsolationLevel.READ_UNCOMMITTED).offset_of(value)
    active = observed(context.observer.describe_producers(where), f"describing the producers of {partition}")
    starts = [entry.transaction_start for entry in active if entry.producer == context.producers[producer].current]
    context.evidence.expect(
        offset is not None and starts == [offset],
        f"offset {offset}",
        f"{starts or 'no such producer'}",
        what=f"start of the transaction of {producer} in {partition}",
    )


@KAFKA.then("{partition} has no open transaction of {producer}")
def has_no_open_transaction(context: KafkaContext, partition: str, producer: str) -> None:
    """DescribeProducers shows no transaction start for the producer's id in this partition, once no marker is in flight."""
    context.await_markers()
    starts = [entry.transaction_start for entry in active_in(context, partition, context.producers[producer])]
    seen = f"offset {max(starts)}" if any(start >= 0 for start in starts) else f"none; starts {starts}"
    context.evidence.expect(
        all(start == -1 for start in starts), "none", seen, what=f"start of the transaction of {producer} in {partition}"
    )


@KAFKA.then("{producer} has records in every partition of its transaction")
def has_records_everywhere(context: KafkaContext, producer: str) -> None:
    """DescribeProducers of each partition that the coordinator names shows this producer, with its epoch and an open transaction. A broker
    may refuse it for an internal topic that clients do not see.
    """
    one = context.producers[producer]
    partitions = sorted(context.describe(one).partitions)
    without = []
    for partition in partitions:
        answer = context.observer.describe_producers(partition)
        if partition.topic == OFFSETS and isinstance(answer, Refused):
            achieved(context.observer.partition_of("", OFFSETS), f"looking for {OFFSETS}")
        active = observed(answer, f"describing the producers of {partition}")
        if not any(entry.producer == one.current and entry.transaction_start >= 0 for entry in active):
            without.append(str(partition))
    context.evidence.expect(
        bool(partitions) and not without,
        "one in every partition that the coordinator names",
        f"none in {', '.join(without)}" if without else f"one in {', '.join(map(str, partitions)) or 'no partition'}",
        what=f"open transactions of {producer}",
    )


def _is_in(context: KafkaContext, description: TransactionDescription, place: str) -> bool:
    if place == "a partition of __consumer_offsets":
        is_there = [partition.topic for partition in description.partitions] == [OFFSETS]
        if not is_there:
            achieved(context.observer.partition_of("", OFFSETS), f"looking for {OFFSETS}")
        return is_there
    if place == "the blocked partition":
        return len(description.partitions) == 1 and not description.partitions & set(context.partitions)
    return description.partitions == set(context.where(place.split(" and ")))


def _is_unchanged(before: TransactionDescription, now: TransactionDescription) -> bool:
    same = (before.state, before.producer, before.timeout_ms, before.start_time) == (
        now.state,
        now.producer,
        now.timeout_ms,
        now.start_time,
    )
    if before.state.startswith("Prepare"):
        return same and now.partitions <= before.partitions
    return same and now.partitions == before.partitions


def _where(description: TransactionDescription) -> str:
    return f"{description.state} in {', '.join(map(str, sorted(description.partitions))) or 'no partition'}"


def _shown(description: TransactionDescription) -> str:
    return f"{_where(description)} of {description.producer}, begun at {description.start_time}, timeout {description.timeout_ms}"
