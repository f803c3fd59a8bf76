"""The leaders of partitions, where a step needs one node for both."""

from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.steps.step_outcomes import achieved

from .kafka_context import KafkaContext


def let_one_node_lead(context: KafkaContext, here: TopicPartition, *others: TopicPartition) -> None:
    """Let the leader of the first partition lead the others too, for a client sends one request to one node.

    A partition that does not exist has no leader, and is left out.
    """
    first, *nodes = [
        achieved(context.observer.leader_nodes(where.topic), f"looking for the leader of {where}").get(where.partition)
        for where in (here, *others)
    ]
    for there, node in zip(others, nodes, strict=True):
        if first is not None and node is not None and first != node:
            achieved(context.observer.move_partition(there, first), f"moving {there} to the node of {here}")
