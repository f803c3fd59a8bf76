"""Scenarios whose one request is about several partitions: on a cluster, a request goes to the node that leads them."""

from types import SimpleNamespace
from typing import Any

from fencepost.adapters.kafka.kafka_values import ProducerIdentity, TopicPartition
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.kafka.operator_markers import reaches

HERE, THERE, MISSING = TopicPartition("payments", 0), TopicPartition("accounts", 0), TopicPartition("payments", 99)


class Cluster:
    """Node 1 leads payments-0, node 2 accounts-0."""

    def __init__(self) -> None:
        self.leaders = {HERE: 1, THERE: 2}
        self.led_at_the_marker: list[int | None] = []

    def leader_nodes(self, topic: str) -> Outcome[dict[int, int]]:
        return Done({one.partition: node for one, node in self.leaders.items() if one.topic == topic})

    def move_partition(self, where: TopicPartition, node: int) -> Outcome[None]:
        self.leaders[where] = node
        return Done(None)

    def write_markers(self, where: tuple[TopicPartition, ...], *_: object, **__: object) -> Outcome[dict[TopicPartition, Done[None]]]:
        self.led_at_the_marker = [self.leaders.get(one) for one in where]
        return Done({})


def test_a_marker_for_several_partitions_goes_to_the_leader_of_each_that_exists() -> None:
    """With three nodes KIP890-131 was a false red: the second topic's leader was another node."""
    cluster = Cluster()
    producer = SimpleNamespace(current=ProducerIdentity(7, 0), transactional_id="transfer")
    context: Any = SimpleNamespace(
        observer=cluster, turn_of=lambda _: producer, where=lambda _: (HERE, THERE, MISSING), keep=lambda *_: None
    )

    reaches(context, "an ABORT marker", "A", (), None, 0, None)

    assert cluster.led_at_the_marker == [1, 1, None]
