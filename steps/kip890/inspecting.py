"""Details of the answers of DescribeTransactions, DescribeProducers, FindCoordinator and polls."""

from fencepost.adapters.kafka.kafka_values import IsolationLevel, TransactionDescription
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done
from fencepost.steps.kafka.idling import active_in
from fencepost.steps.kafka.judging import answer_of, judge_answer
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.step_outcomes import observed

from .vocabulary import KIP890, Described, EmptyTransactionOf, TransactionIn

_LOOKED_FOR_IN = (1, 3, 4)
"""Versions of FindCoordinator: one key in the fields, the same with compact strings, keys in a batch."""


@KIP890.state
def coordinators() -> list[int]:
    """The nodes that FindCoordinator named to clients."""
    return []


@KIP890.then("the answer describes {described}")
def the_answer_describes(context: KafkaContext, described: Described) -> None:
    """DescribeTransactions answers these partitions, and no other; or the state Empty, no partition, a start time of -1, and the producer
    id and epoch of InitProducerId.
    """
    answer, description = _description(context)
    match described:
        case TransactionIn(partitions):
            due, seen = (" and ".join(map(str, sorted(where))) for where in (context.where(partitions), description.partitions))
            judge_answer(context, seen == due, due, answer, seen or "no partition")
        case EmptyTransactionOf(producer):
            _judge_empty(context, producer)


def _judge_empty(context: KafkaContext, producer: str) -> None:
    answer, description = _description(context)
    seen = (description.state, len(description.partitions), description.start_time)
    in_words = f"{seen[0]} with {seen[1]} partitions, start time {seen[2]}"
    judge_answer(context, seen == ("Empty", 0, -1), "Empty with 0 partitions, start time -1", answer, in_words)
    current = context.producers[producer].current
    judge_answer(context, description.producer == current, str(current), answer, str(description.producer))


def _description(context: KafkaContext) -> tuple[Done[object], TransactionDescription]:
    match answer_of(context):
        case Done(TransactionDescription() as description) as answer:
            return answer, description
        case other:
            judge_answer(context, False, "a description", other)
            raise AssertionError("an answer that describes nothing was judged")


@KIP890.then("DescribeProducers of {partition} shows {producer} with last sequence {sequence} and {coordinator_epoch}")
def shows_the_producer(context: KafkaContext, partition: str, producer: str, sequence: int, coordinator_epoch: str) -> None:
    """DescribeProducers shows the producer once, with this last sequence, once no marker is in flight. Its coordinator epoch is -1, or
    that of its last marker in the log of the partition.
    """
    context.await_markers()
    entries = active_in(context, partition, context.producers[producer])
    seen = [(entry.last_sequence, entry.coordinator_epoch) for entry in entries]
    due = (sequence, -1 if coordinator_epoch == "no coordinator epoch" else _epoch_of_last_marker(context, partition, producer))
    context.evidence.expect(
        seen == [due],
        _in_words(due),
        "; ".join(map(_in_words, seen)) or "no such producer",
        what=f"state of {producer} in {partition}",
    )


def _epoch_of_last_marker(context: KafkaContext, partition: str, producer: str) -> int:
    batches = context.read(context.partition(partition), IsolationLevel.READ_UNCOMMITTED).batches
    producer_id = context.producers[producer].current.producer_id
    epochs = [batch.marker.coordinator_epoch for batch in batches if batch.marker and batch.producer_id == producer_id]
    if not epochs:
        raise Violation("a marker", "none", what=f"markers of {producer} in {partition}")
    return epochs[-1]


def _in_words(state: tuple[int, int]) -> str:
    return f"last sequence {state[0]}, coordinator epoch {state[1]}"


@KIP890.then("{partition} has {number_of_states} of {producer}")
def has_state(context: KafkaContext, partition: str, number_of_states: str, producer: str) -> None:
    """DescribeProducers for the partition lists the producer's id, or does not."""
    entries = active_in(context, partition, context.producers[producer])
    what = f"state of {producer} in {partition}"
    if number_of_states == "no state":
        context.evidence.expect(not entries, "none", str(entries), what=what)
    else:
        context.evidence.expect(bool(entries), "one", str(entries or "none"), what=what)


@KIP890.when("FindCoordinator for {producer} is sent {sent_to}")
def look_for_the_coordinator(context: KafkaContext, coordinators: list[int], producer: str, sent_to: str) -> None:
    """FindCoordinator for the producer's transactional id in versions 1, 3 and 4: from each of three clients, retried while it is away; or
    to both nodes of the cluster.
    """
    one = context.turn_of(producer)
    if sent_to == "to each of two nodes":
        coordinators += [
            observed(context.observer.coordinator_id(one.transactional_id, version, asked=node), f"asking node {node} for it")
            for node in (1, 2)
            for version in _LOOKED_FOR_IN
        ]
        return
    coordinators += [
        observed(context.session.client(f"client-{version}-{number}").coordinator_id(one.transactional_id, version), "looking for it")
        for number in range(3)
        for version in _LOOKED_FOR_IN
    ]


@KIP890.then("every client is sent to one node, and so is the next one to ask for {producer}")
def every_client_is_sent_to_one_node(context: KafkaContext, coordinators: list[int], producer: str) -> None:
    """Every answer of FindCoordinator names the same node, and one of the cluster; and asked once more, it names that node."""
    nodes = set(coordinators)
    context.evidence.expect(len(nodes) == 1 and min(nodes) >= 0, "one node for all clients", f"{sorted(nodes)}", what="coordinator")
    identifier = context.producers[producer].transactional_id
    node = observed(context.observer.coordinator_id(identifier, max(_LOOKED_FOR_IN)), "looking for the coordinator")
    context.evidence.expect(nodes == {node}, f"node {coordinators[:1]}", f"node {node}", what="coordinator, asked for again")


@KIP890.then("the first poll of {partition} showed {values}")
def the_first_poll_showed(context: KafkaContext, partition: str, values: tuple[str, ...]) -> None:
    """A consumer of committed data, reading that partition from the start while a node was paused, received just these values."""
    seen = tuple(context.polled[context.partition(partition)][0].values())
    context.evidence.expect(seen == values, str(values), str(seen), what=f"first poll of {partition}")
