"""Users and their rights, at a system where nobody may do anything that was not allowed to them.

Rights are to names that only this scenario has, so that scenarios do not disturb each other; what a role may do to the whole cluster
is always the same. A user whose right to change something was taken away may still look, so that what is refused is the request that
the scenario is about, and not the way to it.
"""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.probe import Addition
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.outcomes import achieved
from fencepost.wire.kafka.acls import CLUSTER, Operation, Resource, ResourceKind, Right, principal_of

from .adding import PARTITIONS, partitions_of
from .answers import answer_of, told
from .setting import LONG_TIMEOUT_MS, initialise
from .world import World

_USERS = {"an ordinary user": "ordinary", "an operator": "operator", "another broker": "peer"}
_OF_ROLES = {"operator": Operation.ALTER, "peer": Operation.CLUSTER_ACTION}
"""What a role may do to the cluster."""

_RIGHTS = r'write under its transactional id|write to \w+|read \w+|read group "[^"]*"'


@given(
    parsers.re(
        r'producer (?P<name>\w+) with transactional id "(?P<identifier>[^"]*)"(?: and group "(?P<group>[^"]*)")?, '
        rf"logged in as (?P<role>{'|'.join(_USERS)})"
    )
)
def a_producer_of_a_user(world: World, name: str, identifier: str, group: str | None, role: str) -> None:
    """A producer whose connections are those of a user that may do all that a producer does, and has initialised.

    That is to write under the transactional id, to write to and read every topic, and to read the group. To the cluster, an ordinary
    user may do nothing, an operator ALTER, and another broker CLUSTER_ACTION.
    """
    user = _USERS[role]
    if user in _OF_ROLES:
        _grant(world, user, _OF_ROLES[user], CLUSTER)
    resources: dict[Resource, tuple[Operation, ...]] = {
        Resource(ResourceKind.TRANSACTIONAL_ID, world.session.unique(identifier)): (Operation.WRITE,)
    }
    resources |= {Resource(ResourceKind.TOPIC, topic): (Operation.READ, Operation.WRITE) for topic in world.topics.values()}
    if group is not None:
        resources[Resource(ResourceKind.GROUP, world.session.unique(group))] = (Operation.READ,)
    for resource, operations in resources.items():
        for operation in (Operation.DESCRIBE, *operations):
            _grant(world, user, operation, resource)
    world.session.client(name).log_in_as(user)
    world.users[name] = user
    initialise(world, name, identifier, LONG_TIMEOUT_MS)


@given(parsers.re(rf"the user of (?P<name>\w+) may no longer (?P<right>{_RIGHTS})"))
def may_no_longer(world: World, name: str, right: str) -> None:
    """That right is taken away, and only that: the user may still describe what it may no longer write or read."""
    match right.split(" ", 2):
        case ["write", "under", _]:
            operation, resource = Operation.WRITE, Resource(ResourceKind.TRANSACTIONAL_ID, world.producer(name).transactional_id)
        case ["write", "to", topic]:
            operation, resource = Operation.WRITE, Resource(ResourceKind.TOPIC, world.topics[topic])
        case ["read", "group", group]:
            operation, resource = Operation.READ, Resource(ResourceKind.GROUP, world.session.unique(group.strip('"')))
        case [_, topic]:
            operation, resource = Operation.READ, Resource(ResourceKind.TOPIC, world.topics[topic])
    taken = Right(principal_of(world.users[name]), operation, resource)
    achieved(world.observer.revoke(taken), f"taking away: {taken}")


@when(parsers.re(rf"(?P<name>\w+) adds (?P<partitions>{PARTITIONS}) to its transaction as a broker would"))
def adds_as_a_broker(world: World, name: str, partitions: str) -> None:
    """AddPartitionsToTxn v4 with one entry, sent by the producer itself."""
    producer = world.turn_of(name)
    addition = Addition(producer.transactional_id, producer.pair, tuple(partitions_of(world, partitions)))
    match producer.probe.add_partitions_batched([addition]):
        case Done(results):
            world.ask(producer, Done(results[producer.transactional_id]))
        case trouble:
            world.ask(producer, trouble)


@when(
    parsers.re(
        rf"(?P<name>\w+) (?P<verb>adds|verifies) (?P<partitions>{PARTITIONS}) for itself and for (?P<other>\w+)"
        r" in AddPartitionsToTxn v(?P<version>\d+)"
    )
)
def adds_for_two(world: World, name: str, verb: str, partitions: str, other: str, version: str) -> None:
    """One request of that version with an entry for each of the two, sent by the first."""
    producer = world.turn_of(name)
    where = tuple(partitions_of(world, partitions))
    additions = [
        Addition(one.transactional_id, one.pair, where, verify_only=verb == "verifies") for one in (producer, world.producer(other))
    ]
    world.ask(producer, producer.probe.add_partitions_batched(additions, version=int(version)))


@when(parsers.re(r"(?P<name>\w+) itself sends an ABORT marker for its transaction to (?P<partition>\S+)"))
def sends_a_marker(world: World, name: str, partition: str) -> None:
    """WriteTxnMarkers v1 with the producer's own epoch, from coordinator epoch 0, sent by the producer."""
    producer = world.turn_of(name)
    world.ask(producer, producer.probe.write_marker(world.partition(partition), producer.pair, commit=False, coordinator_epoch=0))


@then(parsers.parse("the request is refused as a whole with {error:w}"))
def refused_as_a_whole(world: World, error: str) -> None:
    """The answer carries this error for all of the request, and no result for any part of it."""
    answer = answer_of(world)
    results = answer.fields.get("results") if isinstance(answer, Refused) else None
    world.evidence.expect(
        isinstance(answer, Refused) and answer.error == error and results == 0,
        f"a refusal of the whole request with {error}, without results",
        f"{told(answer)}, with {'the' if results is None else results} results",
    )


def _grant(world: World, user: str, operation: Operation, resource: Resource) -> None:
    right = Right(principal_of(user), operation, resource)
    achieved(world.observer.grant(right), f"granting: {right}")
