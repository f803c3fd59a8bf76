"""The leaders of partitions, where a step needs one node for both."""

from fencepost.adapters.kafka.values import TopicPartition
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext


def let_one_node_lead(context: ScenarioContext, here: TopicPartition, there: TopicPartition) -> None:
    """Let the leader of the first partition lead the second too, for a client sends one request to one node."""
    nodes = [
        achieved(context.observer.leader_nodes(where.topic), f"looking for the leader of {where}").get(where.partition)
        for where in (here, there)
    ]
    if nodes[0] is not None and nodes[0] != nodes[1]:
        achieved(context.observer.move_partition(there, nodes[0]), f"moving {there} to the node of {here}")
