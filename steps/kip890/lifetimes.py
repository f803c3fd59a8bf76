"""How long a transaction was open, by the clock of the client that looks, and what is used while something else expires."""

from dataclasses import dataclass

from fencepost.adapters.kafka.values import TopicPartition
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.kafka.context import ScenarioContext
from fencepost.steps.kafka.idling import active_in, is_unknown, outlive_timeout
from fencepost.steps.kafka.initialising import SHORT_TIMEOUT_MS, TIMEOUTS_MS, initialised_again
from fencepost.steps.kafka.producer import Producer
from fencepost.steps.kafka.values import COMMITS
from fencepost.steps.outcomes import achieved

from .vocabulary import KIP890


@dataclass
class Lifetime:
    """A moment before the transaction began and one after it was no longer open, in ms of the system's time."""

    began: float = 0
    ended: float = 0


@KIP890.state
def lifetime() -> Lifetime:
    """The lifetime of the When's transaction."""
    return Lifetime()


@KIP890.when("{producer} writes {value} to {partition} and leaves its transaction open past its timeout")
def writes_and_leaves_open(context: ScenarioContext, lifetime: Lifetime, producer: str, value: str, partition: str) -> None:
    """Produce of one record, which begins the transaction; then time passes until the coordinator no longer shows Ongoing."""
    one, where = context.turn_of(producer), context.partition(partition)
    lifetime.began = context.time.now_ms()
    achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {partition}")
    outlive_timeout(context, one)
    lifetime.ended = context.time.now_ms()


@KIP890.when("{producer} writes to one partition of {topic} after the other, two fifths of its timeout apart")
def writes_now_and_then(context: ScenarioContext, producer: str, topic: str) -> None:
    """Produce of one record to the next partition whenever two fifths of a short timeout have passed since the last one was answered.

    It goes on until the coordinator no longer shows Ongoing, or partitions or patience end. No write is due when the timeout passes, and
    the coordinator is asked before each, so none follows the abort of a coordinator that is prompt. An answer that takes a fifth of the
    timeout is outdated when it arrives, and the coordinator is asked again.
    """
    one, due = context.turn_of(producer), 0.0
    rest = [partition for partition in context.partitions if partition.topic == context.topics[topic]]
    for _ in context.time.attempts():
        asked = context.time.now_ms()
        if due and context.describe(one).state != "Ongoing":
            break
        if context.time.now_ms() >= due and context.time.now_ms() - asked <= SHORT_TIMEOUT_MS / 5:
            if not rest or not isinstance(one.write(rest.pop(0), ["now"], version=context.version(one, "produce")), Done):
                break
            due = context.time.now_ms() + SHORT_TIMEOUT_MS * 2 / 5


@KIP890.then("the transaction of {producer} was open for at least {timeout}")
def was_open_for(context: ScenarioContext, lifetime: Lifetime, producer: str, timeout: str) -> None:
    """From before its first record was sent until it was seen that it is no longer open, at least this time has passed."""
    due, seen = TIMEOUTS_MS[timeout], lifetime.ended - lifetime.began
    state = context.describe(context.producers[producer]).state
    context.evidence.expect(
        seen >= due, f"{due} ms or more", f"no longer open {seen:.0f} ms after it began, now {state}", what=f"timeout of {producer}"
    )


@KIP890.then("the start time of {producer} is {change}")
def began_when(context: ScenarioContext, producer: str, change: str) -> None:
    """DescribeTransactions shows a start time: the one that it showed before the When, or a later one than it showed before the When of the
    transaction before."""
    one = context.producers[producer]
    before, seen = context.before.transactions[one.transactional_id].start_time, context.describe(one).start_time
    holds, due = (seen == before >= 0, f"start time {before}") if change == "unchanged" else (seen > before, f"a start time after {before}")
    context.evidence.expect(holds, due, f"start time {seen}", what=f"start time of {producer}")


@KIP890.given("{producer} has {ended} {count:number} transactions in {partition}")
def has_ended_so_many(context: ScenarioContext, producer: str, ended: str, count: int, partition: str) -> None:
    """One record each, one transaction after the other."""
    one = context.turn_of(producer)
    for _ in range(count):
        achieved(_ended(context, one, context.partition(partition), commit=COMMITS[ended]), f"a transaction of {producer}")


@KIP890.when("{producer} initialises again and again until the transactional id of {other:producer} has expired")
def initialises_until(context: ScenarioContext, producer: str, other: str) -> None:
    """Until DescribeTransactions does not know the other one's transactional id, or patience ends.

    InitProducerId has the producer's latest producer id and epoch, and is sent once more at the end; an answer with another producer id
    ends it as well.
    """
    one, idle = context.turn_of(producer), context.producers[other]
    outcome = initialised_again(context, one)
    for _ in context.time.attempts():
        if idle.is_forgotten or not isinstance(outcome, Done) or outcome.value.producer_id != one.current.producer_id:
            break
        one.given.append(outcome.value)
        idle.is_forgotten = is_unknown(context.observer.describe_transaction(idle.transactional_id))
        outcome = initialised_again(context, one)
    context.keep(one, outcome, "InitProducerId")


@KIP890.when("{producer} commits to {partition} again and again until {expiry} of {other:producer} has expired")
def commits_until(context: ScenarioContext, producer: str, partition: str, expiry: str, other: str) -> None:
    """Transactions of one record, until DescribeTransactions does not know the other one's transactional id, or DescribeProducers for the
    partition does not list its producer id, or patience ends.

    The first refusal ends it as well: the last answer is the When's. All markers are written when the other one is looked up.
    """
    one, idle = context.turn_of(producer), context.producers[other]

    def is_over() -> bool:
        if expiry == "the state":
            return not active_in(context, partition, idle)
        idle.is_forgotten = is_unknown(context.observer.describe_transaction(idle.transactional_id))
        return idle.is_forgotten

    outcome = _ended(context, one, context.partition(partition))
    for _ in context.time.attempts():
        if is_over() or not isinstance(outcome, Done):
            break
        outcome = _ended(context, one, context.partition(partition))
    context.keep(one, outcome, "Produce and EndTxn")


def _ended(context: ScenarioContext, producer: Producer, partition: TopicPartition, *, commit: bool = True) -> Outcome[object]:
    written = producer.write(partition, ["again"], version=context.version(producer, "produce"))
    if not isinstance(written, Done):
        return written
    ended = producer.end(commit, version=context.version(producer, "end_txn"))
    if isinstance(ended, Done):
        producer.given.append(ended.value or producer.current)
        context.completed(producer)
    return ended
