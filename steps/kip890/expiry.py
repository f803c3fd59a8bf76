"""Waiting until something is forgotten: a transactional id by its coordinator, a producer by a partition.

Nothing is asked of the producer meanwhile, and to look does not count as use. When patience ends first, the sentence that follows
judges what there is; as a Given it is then inconclusive.
"""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import ActiveProducer, ProducerIdAndEpoch
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import observed, unanswered

from .answers import answer_of, told
from .world import Producer, World

_UNKNOWN = "TRANSACTIONAL_ID_NOT_FOUND"


@given(parsers.parse("{name:w} has stayed idle for longer than its transactional id is kept"))
def has_expired(world: World, name: str) -> None:
    """DescribeTransactions answered TRANSACTIONAL_ID_NOT_FOUND."""
    outcome = _outlive_id(world, world.producer(name))
    if not _is_unknown(outcome):
        raise SetUpFailed(f"the transactional id of {name} is still known: {told(outcome)}")


@given(parsers.parse("{partition} has forgotten {name:w}"))
def has_been_forgotten(world: World, partition: str, name: str) -> None:
    """DescribeProducers for the partition no longer lists the producer's id."""
    if entries := _outlive_state(world, partition, world.producer(name)):
        raise SetUpFailed(f"{partition} still knows {name}: {entries}")


@when(parsers.parse("{name:w} stays idle for longer than its transactional id is kept"))
def stays_idle(world: World, name: str) -> None:
    """Time passes until DescribeTransactions answers TRANSACTIONAL_ID_NOT_FOUND, or patience ends."""
    producer = world.turn_of(name)
    world.ask(producer, _outlive_id(world, producer))


@when(parsers.parse("nothing is written to {partition} for longer than it remembers {name:w}"))
def nothing_is_written(world: World, partition: str, name: str) -> None:
    """Time passes until DescribeProducers for the partition no longer lists the producer's id, or patience ends."""
    _outlive_state(world, partition, world.turn_of(name))


@when("the broker crashes and comes back")
def crashes(world: World) -> None:
    """Killed without warning, started again, and serving transactions."""
    world.note()
    world.session.faults.crash()
    world.session.faults.restart()


@then(parsers.parse("the coordinator knows nothing of {name:w}"))
def knows_nothing(world: World, name: str) -> None:
    """DescribeTransactions answers TRANSACTIONAL_ID_NOT_FOUND."""
    outcome = _answered(world.observer.describe_transaction(world.producer(name).transactional_id), f"describing {name}")
    world.evidence.expect(_is_unknown(outcome), f"nothing known of {name}'s transactional id", told(outcome))


@then(parsers.parse("a commit of {name:w} is refused with {error:w}"))
def a_commit_is_refused(world: World, name: str, error: str) -> None:
    """The producer's EndTxn v5, sent now, is answered with this error."""
    outcome = _answered(world.producer(name).end(commit=True), f"ending the transaction of {name}")
    world.evidence.expect(isinstance(outcome, Refused) and outcome.error == error, f"a refusal with {error}", told(outcome))


@then(parsers.parse("the answer is success, with a producer id other than that of {name:w} and epoch 0"))
def success_with_another_id(world: World, name: str) -> None:
    """InitProducerId answers no error, epoch 0, and not the producer id that the first instance had."""
    answer, old = answer_of(world), world.producer(name).pair
    match answer:
        case Done(ProducerIdAndEpoch(producer_id=producer_id, epoch=0)):
            holds = producer_id >= 0 and producer_id != old.producer_id
        case _:
            holds = False
    world.evidence.expect(holds, f"success with a producer id other than {old.producer_id}, and epoch 0", told(answer))


@then(parsers.parse("{partition} no longer lists {name:w} among its producers"))
def is_not_listed(world: World, partition: str, name: str) -> None:
    """DescribeProducers for the partition does not list the producer's id."""
    entries = _known(world, partition, world.producer(name))
    world.evidence.expect(not entries, f"{partition} without a state of {name}", str(entries))


def _outlive_id(world: World, producer: Producer) -> Outcome[object]:
    for _ in world.time.attempts():
        outcome = world.observer.describe_transaction(producer.transactional_id)
        producer.is_forgotten = _is_unknown(outcome)
        if producer.is_forgotten:
            break
    return outcome


def _outlive_state(world: World, partition: str, producer: Producer) -> list[ActiveProducer]:
    for _ in world.time.attempts():
        entries = _known(world, partition, producer)
        if not entries:
            break
    return entries


def _known(world: World, partition: str, producer: Producer) -> list[ActiveProducer]:
    active = observed(world.observer.describe_producers(world.partition(partition)), f"describing the producers of {partition}")
    return [entry for entry in active if entry.producer.producer_id == producer.pair.producer_id]


def _answered(outcome: Outcome[object], doing: str) -> Done[object] | Refused:
    """What was answered; without an answer there is nothing to judge."""
    return unanswered(outcome, doing) if isinstance(outcome, Unknown) else outcome


def _is_unknown(outcome: Outcome[object]) -> bool:
    return isinstance(outcome, Refused) and outcome.error == _UNKNOWN
