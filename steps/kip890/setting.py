"""Given: the world as it is before the question."""

import pytest
from pytest_bdd import given, parsers

from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.kafka.values import NO_PRODUCER, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.evidence import Evidence, SetUpFailed
from fencepost.contract.outcomes import Outcome
from fencepost.contract.ports import Session
from fencepost.steps.outcomes import achieved

from .world import Producer, World

SHORT_TIMEOUT_MS = 1_000
LONG_TIMEOUT_MS = 60_000


@pytest.fixture
def world(fencepost_session: Session, fencepost_evidence: Evidence) -> World:
    """The scenario's own world."""
    return World(fencepost_session, fencepost_evidence)


@given(parsers.parse('a topic "{name}" with {count:d} partitions'))
def a_topic(world: World, name: str, count: int) -> None:
    """A new topic of that many partitions, each with a leader."""
    world.topics[name] = world.session.unique(name)
    achieved(world.observer.create_topic(world.topics[name], count), f"creating the topic {name}")
    world.partitions += [TopicPartition(world.topics[name], number) for number in range(count)]


@given(parsers.parse('producer {name:w} with transactional id "{identifier}"'))
def a_producer(world: World, name: str, identifier: str) -> None:
    """A producer that has initialised that transactional id: it has a producer id and an epoch, and no transaction."""
    initialise(world, name, identifier, LONG_TIMEOUT_MS)


@given(parsers.parse('producers {first:w} and {second:w} with transactional ids "{one}" and "{other}"'))
def two_producers(world: World, first: str, second: str, one: str, other: str) -> None:
    """Two producers that have nothing to do with each other."""
    initialise(world, first, one, LONG_TIMEOUT_MS)
    initialise(world, second, other, LONG_TIMEOUT_MS)


@given(parsers.parse('producer {name:w} with transactional id "{identifier}" and a short time-out'))
def a_producer_with_a_short_timeout(world: World, name: str, identifier: str) -> None:
    """The same, and the coordinator may end a transaction of this producer soon after it was begun."""
    initialise(world, name, identifier, SHORT_TIMEOUT_MS)


@given(parsers.parse("producer {successor:w} has taken over the transactional id of {name:w}"))
def has_taken_over(world: World, successor: str, name: str) -> None:
    """A second instance has initialised the same transactional id, and an open transaction of the first one is ended."""
    identifier = world.producer(name).transactional_id
    probe = world.session.client(successor)
    pair = achieved(init(probe, identifier), f"initialising {successor}")
    world.producers[successor] = Producer(successor, identifier, probe, [pair])


@given(parsers.parse("{name:w} has initialised again"))
def has_initialised_again(world: World, name: str) -> None:
    """InitProducerId with the pair that the producer has; it goes on with the pair that is answered."""
    producer = world.producer(name)
    outcome = init(producer.probe, producer.transactional_id, current=producer.pair)
    producer.pairs.append(achieved(outcome, f"initialising {name} again"))


@given(parsers.parse("{name:w} has announced {partition}"))
def has_announced(world: World, name: str, partition: str) -> None:
    """AddPartitionsToTxn, as an old client does before it writes."""
    achieved(announced(world.producer(name), world.partition(partition)), f"announcing {partition}")


@given(parsers.parse('{name:w} has written "{value}" to {partition}'))
def has_written(world: World, name: str, value: str, partition: str) -> None:
    """Produce v12 in the producer's transaction, which begins with its first write."""
    achieved(world.producer(name).write(world.partition(partition), value), f"writing {value} to {partition}")


@given(parsers.parse("{name:w} has committed"))
def has_committed(world: World, name: str) -> None:
    """EndTxn v5, and all markers are written but those held back; the producer goes on with the pair that was answered."""
    has_ended(world, world.producer(name), commit=True)


@given(parsers.parse("{name:w} has aborted"))
def has_aborted(world: World, name: str) -> None:
    """The same for an abort."""
    has_ended(world, world.producer(name), commit=False)


@given(parsers.parse('a plain record "{value}" has been written to {partition}'))
def a_plain_record(world: World, value: str, partition: str) -> None:
    """A record without a producer id, outside of every transaction."""
    achieved(world.write_plain(world.partition(partition), value), f"writing {value} to {partition}")


@given(parsers.parse("the transaction of {name:w} has timed out"))
def has_timed_out(world: World, name: str) -> None:
    """The coordinator has ended the transaction by itself, and all markers are written."""
    outlive_timeout(world, world.producer(name))
    state = achieved(world.observer.settled(world.producer(name).transactional_id), "waiting for the end of the time-out").state
    if state != "CompleteAbort":
        raise SetUpFailed(f"the transaction of {name} was not ended by its time-out: it is {state}")


@given("the broker has crashed and come back")
def has_crashed(world: World) -> None:
    """Killed without warning, started again, and serving transactions."""
    world.session.faults.crash()
    world.session.faults.restart()


def initialise(world: World, name: str, identifier: str, timeout_ms: int) -> None:
    probe = world.session.client(name)
    unique = world.session.unique(identifier)
    pair = achieved(init(probe, unique, timeout_ms=timeout_ms), f"initialising {name}")
    world.producers[name] = Producer(name, unique, probe, [pair])


def init(
    probe: KafkaProbe, identifier: str, *, timeout_ms: int = LONG_TIMEOUT_MS, current: ProducerIdAndEpoch = NO_PRODUCER
) -> Outcome[ProducerIdAndEpoch]:
    """InitProducerId v5, or v4 or v3 where that is the newest: they differ only in errors."""
    return probe.init_producer_id(identifier, timeout_ms=timeout_ms, current=current, version=probe.newest("init_producer_id", 3, 5))


def announced(producer: Producer, partition: TopicPartition) -> Outcome[None]:
    """AddPartitionsToTxn v3, or the newest before it that is offered: the request stays the same."""
    version = producer.probe.newest("add_partitions_to_txn", 0, 3)
    return producer.probe.add_partitions(producer.transactional_id, producer.pair, [partition], version=version)


def outlive_timeout(world: World, producer: Producer) -> None:
    """Let time pass until the coordinator no longer says Ongoing, or patience ends."""
    for _ in world.time.attempts():
        if achieved(world.observer.describe_transaction(producer.transactional_id), "describing the transaction").state != "Ongoing":
            return


def has_ended(world: World, producer: Producer, commit: bool, version: int = 5) -> None:
    """EndTxn, and all markers are written but those held back. From version 5 on, the producer goes on with the pair that is answered."""
    doing = f"ending the transaction of {producer.name}"
    pair = achieved(producer.end(commit, version=version), doing)
    if pair is not None:
        producer.pairs.append(pair)
    elif version >= 5:
        raise SetUpFailed(f"{doing} answered no producer id and epoch")
    producer.written.clear()
    if producer.is_held_back:
        description = achieved(world.observer.describe_transaction(producer.transactional_id), f"describing {producer.name}")
    else:
        description = achieved(world.observer.settled(producer.transactional_id), f"waiting for the markers of {producer.name}")
    if description.state != ("Prepare" if producer.is_held_back else "Complete") + ("Commit" if commit else "Abort"):
        raise SetUpFailed(f"{doing} left the transaction in {description.state}")
