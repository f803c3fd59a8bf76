"""How long a transaction was open, by the clock of the client that looks, and what is used while something else expires."""

from dataclasses import dataclass

from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.kafka.adding import add_first
from fencepost.steps.kafka.armed_faults import pass_while_down
from fencepost.steps.kafka.idling import active_in, is_unknown, outlive_id, outlive_timeout
from fencepost.steps.kafka.initialising import HALF_OF_A_SHORT_TIMEOUT, SHORT_TIMEOUT_MS, TIMEOUTS_MS, initialise, initialised_again
from fencepost.steps.kafka.kafka_context import TRANSACTION, KafkaContext
from fencepost.steps.kafka.kafka_sentence_types import COMMITS
from fencepost.steps.kafka.producer import ProducerInstance
from fencepost.steps.kafka.requests import restart
from fencepost.steps.sentence import brings_down, compares
from fencepost.steps.step_outcomes import achieved

from .vocabulary import KIP890, Busy, CommitsTo, Initialises


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
def writes_and_leaves_open(context: KafkaContext, lifetime: Lifetime, producer: str, value: str, partition: str) -> None:
    """Produce of one record, which begins the transaction; then time passes until the coordinator no longer shows Ongoing."""
    one, where = context.turn_of(producer), context.partition(partition)
    lifetime.began = context.time.now_ms()
    achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {partition}")
    outlive_timeout(context, one)
    lifetime.ended = context.time.now_ms()


HALF_TIME = KIP890.act(
    given="a transaction with half of a short timeout has timed out at the coordinator of {producer}",
    when="a transaction with half of a short timeout times out at the coordinator of {producer}",
    meaning="A new producer with that coordinator and half of a short timeout begins it with one record in a new topic. Then time passes"
    " until it is over, with all markers. What was overdue before is over by then too: the coordinator looks for both at once.",
)


@HALF_TIME.given
def half_of_the_time_has_passed(context: KafkaContext, producer: str) -> None:
    name = f"half-{len(context.producers)}"
    where = TopicPartition(context.session.unique(name), 0)
    achieved(context.observer.create_topic(where.topic, 1), f"creating the topic {where.topic}")
    initialise(context, name, name, HALF_OF_A_SHORT_TIMEOUT, near=context.producers[producer])
    one = context.producers[name]
    achieved(add_first(context, one, where), f"adding {where}")
    achieved(one.write(where, ["half"], version=context.version(one, "produce")), f"writing to {where}")
    outlive_timeout(context, one)
    achieved(context.completed(one), "waiting for the end of half of a short timeout")


@HALF_TIME.when
def half_of_the_time_passes(context: KafkaContext, producer: str) -> None:
    context.turn_of(producer)
    half_of_the_time_has_passed(context, producer)


@KIP890.when("{producer} writes to one partition of {topic} after the other, two fifths of its timeout apart")
def writes_now_and_then(context: KafkaContext, producer: str, topic: str) -> None:
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
def was_open_for(context: KafkaContext, lifetime: Lifetime, producer: str, timeout: str) -> None:
    """From before its first record was sent until it was seen that it is no longer open, at least this time has passed."""
    due, seen = TIMEOUTS_MS[timeout], lifetime.ended - lifetime.began
    state = context.describe(context.producers[producer]).state
    context.evidence.expect(
        seen >= due, f"{due} ms or more", f"no longer open {seen:.0f} ms after it began, now {state}", what=f"timeout of {producer}"
    )


@KIP890.then("the start time of {producer} is {change}")
@compares(TRANSACTION, of="producer")
def began_when(context: KafkaContext, producer: str, change: str) -> None:
    """DescribeTransactions shows a start time: the one that it showed before the When, or a later one than it showed before the When of the
    transaction before."""
    one = context.producers[producer]
    before, seen = context.before.transactions[one.transactional_id].start_time, context.describe(one).start_time
    holds, due = (seen == before >= 0, f"start time {before}") if change == "unchanged" else (seen > before, f"a start time after {before}")
    context.evidence.expect(holds, due, f"start time {seen}", what=f"start time of {producer}")


@dataclass
class Expiry:
    """How long a transactional id was kept after its last use, and how long of that after a crash. In ms of the system's time."""

    kept_ms: float = 0
    since_restart_ms: float = 0


@KIP890.state
def expiry_of_the_when() -> Expiry:
    """The expiry of the When's transactional id."""
    return Expiry()


@KIP890.when("{producer} stays idle through a crash[ that lasts as long as {other:producer} was idle], until its transactional id expires")
@brings_down("crash")
def stays_idle_through_a_crash(context: KafkaContext, expiry_of_the_when: Expiry, producer: str, other: str | None) -> None:
    """InitProducerId for the last time. Then the system is killed without warning, and started again: at once, or after the time that the
    other one was idle before its transactional id expired. Then time passes until the coordinator does not know this one.
    """
    one, expiry = context.turn_of(producer), expiry_of_the_when
    used = context.time.now_ms()
    one.given.append(achieved(initialised_again(context, one), f"initialising {producer} again"))
    context.faults.crash()
    if other is not None:
        pass_while_down(context, context.producers[other].idle_ms)
    restart(context)
    restarted = context.time.now_ms()
    outlive_id(context, one)
    expiry.kept_ms, expiry.since_restart_ms = context.time.now_ms() - used, context.time.now_ms() - restarted


@KIP890.then("the transactional id of {producer} was kept about as long as that of {other:producer}")
def was_kept_as_long(context: KafkaContext, expiry_of_the_when: Expiry, producer: str, other: str) -> None:
    """The coordinator does not know it any more. It kept it for at least half as long as the other one's, and after a crash that lasted
    longer than that, for three fifths of that at most.
    """
    expiry, usual_ms = expiry_of_the_when, context.producers[other].idle_ms
    is_overdue = expiry.kept_ms - expiry.since_restart_ms >= usual_ms
    holds = context.producers[producer].is_forgotten and expiry.kept_ms >= usual_ms / 2
    seen = f"{'kept' if context.producers[producer].is_forgotten else 'still known after'} {expiry.kept_ms:.0f} ms"
    if is_overdue:
        holds = holds and expiry.since_restart_ms <= usual_ms * 3 / 5
        seen += f", of these {expiry.since_restart_ms:.0f} ms after the restart"
    context.evidence.expect(holds, f"about {usual_ms:.0f} ms", seen, what=f"transactional id of {producer}")


@KIP890.given("{producer} has {ended} {count:number} transactions in {partition}")
def has_ended_so_many(context: KafkaContext, producer: str, ended: str, count: int, partition: str) -> None:
    """One record each, one transaction after the other."""
    one = context.producers[producer]
    for _ in range(count):
        achieved(_ended(context, one, context.partition(partition), commit=COMMITS[ended]), f"a transaction of {producer}")


@KIP890.when("{producer} {busy} again and again until {expiry} of {other:producer} has expired")
def is_busy_until(context: KafkaContext, producer: str, busy: Busy, expiry: str, other: str) -> None:
    """Until DescribeTransactions does not know the other one's transactional id, or DescribeProducers for the partition does not list its
    producer id, or patience ends.

    InitProducerId has the producer's latest producer id and epoch, and is sent once more at the end; an answer with another producer id
    ends it as well. Transactions have one record; the first refusal ends them as well: the last answer is the When's. All markers are
    written when the other one is looked up.
    """
    match busy:
        case Initialises():
            _initialise_until(context, producer, other)
        case CommitsTo(partition):
            _commit_until(context, producer, partition, expiry, other)


def _initialise_until(context: KafkaContext, producer: str, other: str) -> None:
    one, idle = context.turn_of(producer), context.producers[other]
    outcome = initialised_again(context, one)
    for _ in context.time.attempts():
        if idle.is_forgotten or not isinstance(outcome, Done) or outcome.value.producer_id != one.current.producer_id:
            break
        one.given.append(outcome.value)
        idle.is_forgotten = is_unknown(context.observer.describe_transaction(idle.transactional_id))
        outcome = initialised_again(context, one)
    context.keep(one, outcome, "InitProducerId")


def _commit_until(context: KafkaContext, producer: str, partition: str, expiry: str, other: str) -> None:
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


def _ended(context: KafkaContext, producer: ProducerInstance, partition: TopicPartition, *, commit: bool = True) -> Outcome[object]:
    written = producer.write(partition, ["again"], version=context.version(producer, "produce"))
    if not isinstance(written, Done):
        return written
    ended = producer.end(commit, version=context.version(producer, "end_txn"))
    if isinstance(ended, Done):
        producer.given.append(ended.value or producer.current)
        context.completed(producer)
    return ended
