"""Given: a transaction on two nodes."""

from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done
from fencepost.steps.step_outcomes import achieved

from .end_txn import finish
from .initialising import initialise
from .kafka_context import KafkaContext
from .producer import ProducerInstance
from .vocabulary import KAFKA


@KAFKA.given(
    "producer {producer} has {done} {first:value} to {here:partition} on node 1 and {second:value} to {there:partition} on node 2"
    "[, with {timeout}]"
)
def has_written_on_two_nodes(
    context: KafkaContext, producer: str, done: str, first: str, here: str, second: str, there: str, timeout: str | None
) -> None:
    """A new topic of two partitions with these leaders, a producer that node 1 coordinates, and a transaction with a record in each."""
    topic = here.rpartition("-")[0]
    context.topics[topic] = context.session.unique(topic)
    achieved(context.observer.create_topic(context.topics[topic], 2, leaders=(1, 2)), f"creating the topic {topic}")
    both = [context.partition(here), context.partition(there)]
    context.partitions += both
    context.leaders = dict(zip(both, (1, 2), strict=True))
    initialise(context, producer, "transfer", timeout)
    one = context.producers[producer]
    let_first_node_coordinate(context, one)
    for where, value in zip(both, (first, second), strict=True):
        achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {where}")
    if done == "committed":
        finish(context, one, commit=True)


def let_first_node_coordinate(context: KafkaContext, producer: ProducerInstance) -> None:
    """Node 1 coordinates the producer; where another scenario has moved its coordinator, the step moves it back."""
    version = context.observer.newest("find_coordinator", 1, 6)
    looking = f"looking for the coordinator of {producer.name}"
    node = achieved(context.observer.coordinator_node(producer.transactional_id, version), looking)
    if node != 1:
        achieved(context.observer.move_coordinator(producer.transactional_id, 1), f"moving the coordinator of {producer.name} back")
        _await_coordinator(context, producer, 1)
        producer.probe.forget_coordinator(producer.transactional_id)  # else it asks the node that may be paused next
        node = achieved(context.observer.coordinator_node(producer.transactional_id, version), looking)
    if node != 1:
        raise SetUpFailed(f"the coordinator of {producer.name} is on node {node}; expected node 1, which was there first")


MOVE = KAFKA.act(
    given="{partition} has moved to node {node}",
    when="{partition} moves to node {node}",
    meaning="AlterPartitionReassignments: another node gets a copy of the log, leads, and is the only one that has it.",
)


MOVE_COORDINATOR = KAFKA.act(
    given="the coordinator of {producer} has moved to node {node}",
    when="the coordinator of {producer} moves to node {node}",
    meaning="AlterPartitionReassignments of the partition of __transaction_state that the transactional id belongs to. As a Given, "
    "FindCoordinator names that node; after the When, what was blocked until then need not wait any longer.",
)


@MOVE.given
def has_moved(context: KafkaContext, partition: str, node: int) -> None:
    where = context.partition(partition)
    achieved(context.observer.move_partition(where, node), f"moving {partition} to node {node}")
    context.leaders[where] = node


@MOVE.when
def moves(context: KafkaContext, partition: str, node: int) -> None:
    context.begin()
    has_moved(context, partition, node)


@MOVE_COORDINATOR.given
def coordinator_has_moved(context: KafkaContext, producer: str, node: int) -> None:
    one = context.producers[producer]
    achieved(context.observer.move_coordinator(one.transactional_id, node), f"moving the coordinator of {producer} to node {node}")
    _await_coordinator(context, one, node)


def _await_coordinator(context: KafkaContext, producer: ProducerInstance, node: int) -> None:
    version = context.observer.newest("find_coordinator", 1, 6)
    last: object = "no request was sent"
    for _ in context.time.attempts():
        last = context.observer.coordinator_node(producer.transactional_id, version)
        if last == Done(node):
            return
    raise SetUpFailed(f"the coordinator of {producer.name} was to be on node {node}: {last}")
