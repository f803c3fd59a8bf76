"""Nothing is done until something has expired or was forgotten.

A look-up does not count as use. When patience ends first, the sentence that follows judges the state at that time; as a Given, the question
cannot be put.
"""

from fencepost.adapters.kafka.kafka_values import ActiveProducer
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Outcome, Refused
from fencepost.steps.settling import pass_until_just_before
from fencepost.steps.step_outcomes import achieved, observed

from .judging import reported
from .kafka_context import KafkaContext
from .producer import ProducerInstance
from .vocabulary import KAFKA

_UNKNOWN = "TRANSACTIONAL_ID_NOT_FOUND"

LEAVE_OPEN = KAFKA.act(
    given="{producer} has left its transaction open past its timeout",
    when="{producer} leaves its transaction open past its timeout",
    meaning="Time passes until the coordinator no longer says Ongoing; as a Given, it has aborted the transaction, with all markers.",
)


@LEAVE_OPEN.given
def has_left_open(context: KafkaContext, producer: str) -> None:
    one = context.producers[producer]
    outlive_timeout(context, one)
    state = achieved(context.completed(one), "waiting for the end of the timeout")
    if state == "CompleteCommit":
        raise SetUpFailed(f"the transaction of {producer} was not ended by its timeout: it is {state}")


@LEAVE_OPEN.when
def leaves_open(context: KafkaContext, producer: str) -> None:
    outlive_timeout(context, context.turn_of(producer))


EXPIRE = KAFKA.act(
    given="{producer} has stayed idle until its transactional id expired",
    when="{producer} stays idle until its transactional id expires",
    meaning="Time passes until DescribeTransactions answers TRANSACTIONAL_ID_NOT_FOUND.",
)


@EXPIRE.given
def has_expired(context: KafkaContext, producer: str) -> None:
    outcome = _outlive_id(context, context.producers[producer])
    if not is_unknown(outcome):
        raise SetUpFailed(f"the transactional id of {producer} is still known: {reported(outcome)}")


@EXPIRE.when
def expires(context: KafkaContext, producer: str) -> None:
    one = context.turn_of(producer)
    context.keep(one, _outlive_id(context, one), "DescribeTransactions")


FORGET = KAFKA.act(
    given="{producer} has stayed idle until {partition} forgot it",
    when="{producer} stays idle until {partition} forgets it",
    meaning="Nothing is written there, and time passes until DescribeProducers for the partition no longer lists the producer's id.",
)


@FORGET.given
def was_forgotten(context: KafkaContext, producer: str, partition: str) -> None:
    if entries := _outlive_state(context, partition, context.producers[producer]):
        raise SetUpFailed(f"{partition} still knows {producer}: {entries}")


@FORGET.when
def is_forgotten(context: KafkaContext, producer: str, partition: str) -> None:
    _outlive_state(context, partition, context.turn_of(producer))


def outlive_timeout(context: KafkaContext, producer: ProducerInstance) -> None:
    """Let time pass until the transaction is no longer open, or patience ends."""
    if context.can_describe and (seen := context.describe(producer)).state == "Ongoing":
        pass_until_just_before(context.time, seen.start_time + seen.timeout_ms)
    for _ in context.time.attempts():
        if not context.is_open(producer):
            return


def is_unknown(outcome: Outcome[object]) -> bool:
    """Whether the coordinator answers that it does not know a transactional id."""
    return isinstance(outcome, Refused) and outcome.error == _UNKNOWN


def active_in(context: KafkaContext, partition: str, producer: ProducerInstance) -> list[ActiveProducer]:
    """The entries of a producer's id in DescribeProducers for a partition."""
    active = observed(context.observer.describe_producers(context.partition(partition)), f"describing the producers of {partition}")
    return [entry for entry in active if entry.producer.producer_id == producer.current.producer_id]


def _outlive_id(context: KafkaContext, producer: ProducerInstance) -> Outcome[object]:
    began = context.time.now_ms()
    outcome = outlive_id(context, producer)
    producer.idle_ms = context.time.now_ms() - began
    return outcome


def outlive_id(context: KafkaContext, producer: ProducerInstance) -> Outcome[object]:
    """Let time pass until the coordinator does not know the transactional id, or patience ends. Returns its last answer."""
    for _ in context.time.attempts():
        outcome = context.observer.describe_transaction(producer.transactional_id)
        producer.is_forgotten = is_unknown(outcome)
        if producer.is_forgotten:
            break
    return outcome


def _outlive_state(context: KafkaContext, partition: str, producer: ProducerInstance) -> list[ActiveProducer]:
    for _ in context.time.attempts():
        entries = active_in(context, partition, producer)
        if not entries:
            break
    return entries
