"""Two nodes: a transaction that is decided on node 1 while node 2, which leads a partition of it, does nothing.

Such a node has not crashed: what is sent to it waits, and is done when the node goes on. So this is a hold that ends.
Nobody asks a paused node, which would be waiting for nothing; the world is noted before the pause.
"""

from collections.abc import Callable

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import Isolation, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered

from .answers import told
from .setting import LONG_TIMEOUT_MS, initialise
from .world import Producer, World

_ENDS = {"commits": True, "aborts": False}
_END = rf"(?P<name>\w+) (?P<verb>{'|'.join(_ENDS)}) while node (?P<node>\d) is paused"
_AGAIN = r"and again when node (?P<node>\d) goes on"


@given(
    parsers.re(
        r'producer (?P<name>\w+) with transactional id "(?P<identifier>[^"]*)" has written'
        r' "(?P<first>[^"]*)" to (?P<topic>\w+)-0 on node 1 and "(?P<second>[^"]*)" to (?P=topic)-1 on node 2'
    )
)
def has_written_on_both(world: World, name: str, identifier: str, first: str, topic: str, second: str) -> None:
    """A new topic of two partitions with these leaders, a producer that node 1 coordinates, and a record of its transaction in each."""
    world.topics[topic] = world.session.unique(topic)
    achieved(world.observer.create_topic(world.topics[topic], 2, leaders=(1, 2)), f"creating the topic {topic}")
    world.partitions += [TopicPartition(world.topics[topic], number) for number in range(2)]
    initialise(world, name, identifier, LONG_TIMEOUT_MS)
    producer = world.producer(name)
    version = world.observer.newest("find_coordinator", 1, 6)
    node = achieved(world.observer.coordinator_node(producer.transactional_id, version), f"looking for the coordinator of {name}")
    if node != 1:
        raise SetUpFailed(f"the coordinator of {name} is on node {node}; expected node 1, which was there first")
    for number, value in enumerate((first, second)):
        achieved(producer.write(TopicPartition(world.topics[topic], number), value), f"writing {value} to {topic}-{number}")


@given(parsers.re(r"(?P<name>\w+) has (?P<verb>committed|aborted) while node (?P<node>\d) is paused"))
def has_ended(world: World, name: str, verb: str, node: str) -> None:
    """The node is paused, then EndTxn v5 succeeds; only the partitions of that node wait for their marker, and it stays paused."""
    _end(world, name, verb == "committed", int(node))
    _adopt(world, world.producer(name))


@when(parsers.re(_END))
def ends(world: World, name: str, verb: str, node: str) -> None:
    """The node is paused, then EndTxn v5 is sent; the other partitions get their markers, and the node stays paused."""
    _end(world, name, _ENDS[verb], int(node))


@when(parsers.re(rf"{_END}, and node (?P=node) goes on"))
def ends_and_goes_on(world: World, name: str, verb: str, node: str) -> None:
    """The same, and then the node goes on. Readers of committed data look at the other partitions before that, and at all after it."""
    _end(world, name, _ENDS[verb], int(node))
    _look(world, [partition for partition in _of_both_nodes(world) if partition.partition + 1 != int(node)])
    _goes_on(world, name, int(node))
    world.history.append(world.describe(world.producer(name)).state)
    _look(world, _of_both_nodes(world))


@when(
    parsers.re(
        rf"{_END}, the coordinator crashes and comes back before node (?P=node) goes on,"
        r' and (?P=name) commits "(?P<value>[^"]*)" in (?P<partition>\S+)'
    )
)
def ends_and_crashes(world: World, name: str, verb: str, node: str, value: str, partition: str) -> None:
    """The same, but node 1, with the coordinator, is killed and started again while the other node is paused.

    Then the producer commits another transaction, with a record in that partition.
    """
    _end(world, name, _ENDS[verb], int(node))
    world.session.faults.crash()
    world.session.faults.restart()
    _goes_on(world, name, int(node))
    world.history.append(world.describe(world.producer(name)).state)
    producer, where = world.producer(name), world.partition(partition)
    _adopt(world, producer)
    observed(producer.write(where, value), f"writing {value} to {partition} after the crash")
    observed(producer.end(commit=True), f"committing {value} after the crash")


@when(parsers.re(rf'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+), {_AGAIN}'))
def writes_again(world: World, name: str, value: str, partition: str, node: str) -> None:
    """Produce v12 once, and, when the paused node has gone on, until it is not told to wait."""
    producer, where = world.producer(name), world.partition(partition)
    _ask_twice(world, producer, int(node), lambda retry: producer.write(where, value, retry=retry))


@when(parsers.re(rf"(?P<name>\w+) (?P<verb>{'|'.join(_ENDS)}), {_AGAIN}"))
def ends_again(world: World, name: str, verb: str, node: str) -> None:
    """The same for EndTxn v5."""
    producer = world.producer(name)
    _ask_twice(world, producer, int(node), lambda retry: producer.end(_ENDS[verb], retry=retry))


@when(parsers.re(rf"(?P<name>\w+) initialises again, {_AGAIN}"))
def initialises_again(world: World, name: str, node: str) -> None:
    """The same for InitProducerId with the producer id and epoch that the producer has."""
    producer = world.producer(name)

    def ask(retry: bool) -> Outcome[object]:
        return producer.probe.init_producer_id(
            producer.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=producer.pair, version=5, retry=retry
        )

    _ask_twice(world, producer, int(node), ask)


@then(parsers.re(r"the transaction of (?P<name>\w+) is (?P<state>\w+), and waits for (?P<partition>\S+) only"))
def waits_for(world: World, name: str, state: str, partition: str) -> None:
    """DescribeTransactions shows this state, and sooner or later just this partition."""
    producer, due = world.producer(name), {world.partition(partition)}
    for _ in world.time.attempts():
        seen = world.describe(producer)
        if seen.partitions == due:
            break
    told_of = f"{seen.state} with {', '.join(map(str, sorted(seen.partitions))) or 'no partition'}"
    world.evidence.expect(seen.state == state and seen.partitions == due, f"{state} with {partition} and nothing else", told_of)


@then(parsers.re(r"the transaction of (?P<name>\w+) was (?P<before>\w+) while node \d was paused, and is (?P<after>\w+)"))
def was_and_is(world: World, name: str, before: str, after: str) -> None:
    """What DescribeTransactions showed when only the paused node's partitions lacked their markers, and when it had gone on."""
    seen = " and then ".join(world.history)
    world.evidence.expect(world.history == [before, after], f"a transaction of {name} that was {before} and then {after}", seen)


@then(parsers.re(r"(?P<name>\w+) was told (?P<error>[A-Z_]+) while node \d was paused, and success when it had gone on"))
def told_and_then_success(world: World, name: str, error: str) -> None:
    """The first answer is a refusal with this error; the request succeeds once the node is there again."""
    if isinstance(world.answer, Unknown):
        unanswered(world.answer, f"the request of {name} was put again")
    seen = [refusal.error for refusal in world.refusals]
    world.evidence.expect(
        seen == [error] and isinstance(world.answer, Done),
        f"{error}, and then success",
        f"{', '.join(seen) or 'no refusal'}, and then {told(world.answer)}",
    )


@then(parsers.re(r'readers of committed data saw "(?P<value>[^"]*)" in (?P<partition>\S+) while node \d was paused'))
def saw_meanwhile(world: World, value: str, partition: str) -> None:
    """A consumer of committed data, reading that partition from the start during the pause, was handed just this value."""
    seen = world.watched[world.partition(partition)][0].values()
    world.evidence.expect(seen == [value], f'"{value}" in {partition}', ", ".join(f'"{one}"' for one in seen) or "nothing")


@then(parsers.re(r"the coordinator epochs of the markers in (?P<partition>\S+) never fall, and the last is larger than those before"))
def epochs_never_fall(world: World, partition: str) -> None:
    """In the order of the log; before means before the When. A marker that was under way in the crash may arrive, under its old epoch."""
    where = world.partition(partition)
    markers = [batch for batch in world.read(where, Isolation.READ_UNCOMMITTED).batches if batch.marker]
    epochs = [batch.marker.coordinator_epoch for batch in markers if batch.marker]
    before = [epoch for batch, epoch in zip(markers, epochs, strict=True) if batch.base_offset < world.noted().ends[where]]
    holds = bool(before) and epochs == sorted(epochs) and epochs[-1] > max(before)
    world.evidence.expect(holds, f"coordinator epochs that never fall, and in the end one above {before}", str(epochs))


def _end(world: World, name: str, commit: bool, node: int) -> None:
    """EndTxn with the node paused; then the partitions of the other nodes are waited for."""
    producer = world.turn_of(name)
    world.session.faults.pause(node)
    producer.is_held_back = True
    world.ask(producer, producer.end(commit))
    for _ in world.time.attempts():
        seen = world.describe(producer)
        if all(partition.partition + 1 == node for partition in seen.partitions):
            break
    world.history = [seen.state]


def _adopt(world: World, producer: Producer) -> None:
    """The producer goes on with the pair that EndTxn v5 answered."""
    match world.answer:
        case Done(ProducerIdAndEpoch() as pair):
            producer.pairs.append(pair)
        case other:
            raise SetUpFailed(f"ending the transaction of {producer.name} while a node was paused: {told(other)}")


def _goes_on(world: World, name: str, node: int) -> None:
    world.session.faults.resume(node)
    world.producer(name).is_held_back = False
    world.await_markers()


def _ask_twice(world: World, producer: Producer, node: int, ask: Callable[[bool], Outcome[object]]) -> None:
    first = ask(False)
    if isinstance(first, Unknown):
        unanswered(first, f"{producer.name} asked while node {node} was paused")
    if isinstance(first, Refused):
        world.refusals.append(first)
    _goes_on(world, producer.name, node)
    world.ask(producer, ask(True))


def _of_both_nodes(world: World) -> list[TopicPartition]:
    """The partitions of the topic that was made for two nodes: number 0 on node 1, and number 1 on node 2."""
    return world.partitions[-2:]


def _look(world: World, partitions: list[TopicPartition]) -> None:
    for partition in partitions:
        view = observed(world.observer.read(partition, Isolation.READ_COMMITTED), f"reading {partition}")
        world.watched.setdefault(partition, []).append(view)
