"""transaction.version moved up and down by an administrator, and what that does to transactions.

The broker is thrown away after the scenario, so nobody puts the level back.
"""

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.probe import Offer
from fencepost.adapters.kafka.values import Isolation, TopicPartition
from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.evidence import SetUpFailed, Violation
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed

from .answers import answer_of, told
from .setting import has_ended
from .world import World

_FEATURE = "transaction.version"
_NEWEST = 4
"""The version of ApiVersions that tells most about features."""


@pytest.fixture
def features_before() -> list[Offer]:
    """What ApiVersions told just before the level was changed."""
    return []


@given(parsers.parse("transaction.version has been set to {level:d}"))
def has_been_set(world: World, level: int) -> None:
    """UpdateFeatures was accepted, and ApiVersions tells the new level."""
    achieved(_set(world, level), f"setting {_FEATURE} to {level}")
    offer = _await_level(world, level)
    if _level(offer) != level:
        raise SetUpFailed(f"{_FEATURE} was set to {level}, and ApiVersions still tells {_level(offer)}")


@given(parsers.parse("the commit of {name:w} is decided, and held back until the broker starts again"))
def is_held_back_until_a_start(world: World, name: str) -> None:
    """EndTxn v5 was accepted and the transaction is in PrepareCommit.

    One more partition is in the transaction, of a topic made for this alone. It knows the producer from a marker of the coordinator
    epoch that comes next, so it refuses the marker of the coordinator that is in office now, and takes that of its next life.
    """
    producer = world.producer(name)
    partition = TopicPartition(world.session.unique(f"holding-{name}"), 0)
    achieved(world.observer.create_topic(partition.topic, 1), f"creating the topic {partition.topic}")
    following = _coordinator_epoch(world, partition) + 1
    achieved(producer.probe.add_partitions(producer.transactional_id, producer.pair, [partition]), f"announcing {partition}")
    marker = world.observer.write_marker(partition, producer.pair, commit=False, coordinator_epoch=following)
    achieved(marker, f"telling {partition} of coordinator epoch {following}")
    producer.is_held_back = True
    has_ended(world, producer, commit=True)
    producer.is_held_back = False


@when(parsers.parse("transaction.version is set to {level:d}"))
def is_set(world: World, features_before: list[Offer], level: int) -> None:
    """UpdateFeatures, as an upgrade or a safe downgrade."""
    world.note()
    features_before.append(achieved(world.observer.api_versions(_NEWEST), "asking for the features"))
    world.ask(None, _set(world, level))


@when(parsers.parse("transaction.version is set to {level:d}, and the broker crashes and comes back"))
def is_set_before_a_crash(world: World, level: int) -> None:
    """UpdateFeatures is accepted and shows in ApiVersions; the broker is killed, started again, and answers."""
    world.note()
    has_been_set(world, level)
    world.session.faults.crash()
    due = "a broker that comes back from its restart"
    try:
        world.session.faults.restart()
    except SystemUnreachable as error:
        raise Violation(due, str(error).splitlines()[0]) from error  # the rest is the broker's log
    match world.observer.api_versions(_NEWEST):
        case Done():
            pass
        case Unknown(reason=reason):
            raise Violation(due, reason)
        case Refused() as refusal:
            raise Violation(due, told(refusal))


@then(parsers.parse("clients are soon told transaction.version {level:d}, under a larger epoch of the features"))
def are_told(world: World, features_before: list[Offer], level: int) -> None:
    """UpdateFeatures answered no error, and ApiVersions comes to tell that level, 0 by leaving it out, with a larger epoch than before."""
    answer, before = answer_of(world), features_before[-1].finalized_epoch
    offer = _await_level(world, level)
    world.evidence.expect(
        answer == Done(None) and _level(offer) == level and offer.finalized_epoch > before,
        f"{_FEATURE} at {level} in an epoch above {before}",
        f"{_level(offer)} in epoch {offer.finalized_epoch}; the change was answered with {told(answer)}",
    )


def _set(world: World, level: int) -> Outcome[None]:
    now = _level(achieved(world.observer.api_versions(_NEWEST), "asking for the features"))
    return world.observer.update_feature(_FEATURE, level, lower=level < now)


def _await_level(world: World, level: int) -> Offer:
    """What ApiVersions tells: once it is that level, or when patience ends."""
    for _ in world.time.attempts():
        offer = observed(world.observer.api_versions(_NEWEST), "asking for the features")
        if _level(offer) == level:
            break
    return offer


def _level(offer: Offer) -> int:
    return offer.finalized.get(_FEATURE, 0)


def _coordinator_epoch(world: World, partition: TopicPartition) -> int:
    """The epoch of the coordinator in office, from the marker of a transaction that is made for this alone."""
    identifier = world.session.unique("coordinator-epoch")
    pair = achieved(world.observer.init_producer_id(identifier), "initialising a producer")
    outcome = world.observer.produce(partition, ["in passing"], producer=pair, transactional_id=identifier, sequence=0)
    achieved(outcome, f"writing to {partition}")
    achieved(world.observer.end_txn(identifier, pair, commit=True), "ending a transaction")
    achieved(world.observer.settled(identifier), "waiting for a marker")
    batches = observed(world.observer.read(partition, Isolation.READ_UNCOMMITTED), f"reading {partition}").batches
    epochs = [batch.marker.coordinator_epoch for batch in batches if batch.marker]
    if not epochs:
        raise SetUpFailed(f"a transaction in {partition} was ended, and there is no marker")
    return epochs[-1]
