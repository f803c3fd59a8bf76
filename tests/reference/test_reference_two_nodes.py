"""A reference of two nodes: each answers for the partitions that it leads, and nothing new enters a transaction without the coordinator."""

from typing import Any

import pytest
from reference_client import TOPIC, Client

from fencepost.reference.kafka import Profile, ReferenceKafka, Settings
from fencepost.wire.kafka.entities import request

NOT_LEADER, NOT_ENOUGH_REPLICAS, BAD_ASSIGNMENT = 6, 19, 39
FIRST, SECOND = 1, 2
ON_FIRST, ON_SECOND = 0, 1


class TwoNodes(Client):
    """A client of two nodes, with the topic's partition 0 on the first and 1 on the second; it asks the node that is its `turn`."""

    def __init__(self) -> None:
        self.turn = FIRST
        self.broker = ReferenceKafka(Profile.load("seed"), settings=Settings(clean_up_interval_ms=200), nodes=2)
        assert self.assign(TOPIC, {0: [FIRST], 1: [SECOND]}) == 0

    def send(self, api: str, version: int, **fields: Any) -> Any:
        return self.broker.handle(request(api, version, **fields), number=self.turn)

    def assign(self, name: str, assigned: dict[int, list[int]]) -> int:
        assignments = [{"partition_index": number, "broker_ids": nodes} for number, nodes in assigned.items()]
        wanted = {"name": name, "num_partitions": -1, "replication_factor": -1, "assignments": assignments, "configs": []}
        return int(self.ask("create_topics", 7, topics=[wanted]).topics[0].error_code)

    def at(self, node: int) -> "TwoNodes":
        self.turn = node
        return self


@pytest.fixture
def nodes() -> TwoNodes:
    return TwoNodes()


def listed(nodes: TwoNodes, partition: int) -> int:
    wanted = [{"name": TOPIC, "partitions": [{"partition_index": partition, "timestamp": -1}]}]
    answer = nodes.ask("list_offsets", 7, topics=wanted, replica_id=-1, isolation_level=0)
    return int(answer.topics[0].partitions[0].error_code)


def described(nodes: TwoNodes, partition: int) -> int:
    answer = nodes.ask("describe_producers", 0, topics=[{"name": TOPIC, "partition_indexes": [partition]}])
    return int(answer.topics[0].partitions[0].error_code)


def marked(nodes: TwoNodes, partition: int) -> int:
    marker = {"producer_id": 7, "producer_epoch": 0, "transaction_result": True, "coordinator_epoch": 0}
    answer = nodes.ask("write_txn_markers", 1, markers=[{**marker, "topics": [{"name": TOPIC, "partition_indexes": [partition]}]}])
    return int(answer.markers[0].topics[0].partitions[0].error_code)


@pytest.mark.parametrize("ask", [listed, described, marked])
def test_a_node_answers_for_the_partitions_that_it_leads(nodes: TwoNodes, ask: Any) -> None:
    """The other one answers that it is not the leader."""
    assert (ask(nodes.at(FIRST), ON_FIRST), ask(nodes.at(SECOND), ON_SECOND)) == (0, 0)
    assert (ask(nodes.at(FIRST), ON_SECOND), ask(nodes.at(SECOND), ON_FIRST)) == (NOT_LEADER, NOT_LEADER)


def test_a_producer_writes_where_the_leader_is(nodes: TwoNodes) -> None:
    """Its transaction spans both, and the wrong node appends nothing."""
    pair = nodes.producer("x")

    assert nodes.error_of_write("x", pair, ON_SECOND, 0) == NOT_LEADER
    assert nodes.at(SECOND).error_of_write("x", pair, ON_SECOND, 0) == 0
    assert nodes.at(FIRST).error_of_write("x", pair, ON_FIRST, 0) == 0
    assert nodes.end("x", pair, commit=True) == (0, pair.plus(1))


def test_metadata_reports_the_nodes_apart(nodes: TwoNodes) -> None:
    """Two addresses, the assigned leaders, and alternating ones if none were assigned; both nodes answer the same."""
    nodes.create("turns", 3)

    answers = [
        nodes.at(node).ask("metadata", 7, topics=[{"name": TOPIC}, {"name": "turns"}], allow_auto_topic_creation=False)
        for node in (FIRST, SECOND)
    ]

    assert answers[0] == answers[1]
    assert [broker.node_id for broker in answers[0].brokers] == [FIRST, SECOND]
    assert len({(broker.host, broker.port) for broker in answers[0].brokers}) == 2
    assert [[entry.leader_id for entry in topic.partitions] for topic in answers[0].topics] == [[FIRST, SECOND], [FIRST, SECOND, FIRST]]


@pytest.mark.parametrize("assigned", [{0: [3]}, {0: [1, 3]}, {0: [1, 1]}, {0: []}, {1: [1]}, {0: [1], 2: [1]}, {0: [1], 1: [1, 2]}])
def test_an_assignment_that_cannot_be_is_refused(nodes: TwoNodes, assigned: dict[int, list[int]]) -> None:
    """A missing node, or one twice; no replica, or different numbers of them; a missing partition: and no topic is created."""
    assert nodes.assign("odd", assigned) == BAD_ASSIGNMENT
    assert nodes.assign("odd", {0: [SECOND]}) == 0


@pytest.mark.parametrize("node", [0, 1, 3])
def test_the_first_node_and_what_there_is_not_are_never_paused(nodes: TwoNodes, node: int) -> None:
    """It is an error of the caller."""
    with pytest.raises(ValueError, match=f"node {node} cannot be paused: the reference has 2"):
        nodes.broker.pause(node)


def moved(nodes: TwoNodes, topic: str, partition: int, replicas: list[int]) -> int:
    wanted = [{"name": topic, "partitions": [{"partition_index": partition, "replicas": replicas}]}]
    answer = nodes.at(FIRST).ask("alter_partition_reassignments", 0, topics=wanted, timeout=1000)
    return int(answer.responses[0].partitions[0].error_code)


def test_while_the_coordinators_node_is_paused_nothing_new_enters_a_transaction(nodes: TwoNodes) -> None:
    """A transaction that is open in a partition continues there; for anything else the leader would have to ask the coordinator."""
    pair, other = nodes.producer("x"), nodes.producer("y")
    nodes.at(FIRST).ask("find_coordinator", 4, key_type=1, coordinator_keys=["x"])
    assert nodes.at(FIRST).error_of_write("x", pair, ON_FIRST, 0) == 0
    assert moved(nodes, "__transaction_state", 0, [SECOND]) == 0

    nodes.broker.pause(SECOND)
    assert nodes.at(FIRST).error_of_write("x", pair, ON_FIRST, 1) == 0
    assert nodes.at(FIRST).error_of_write("y", other, ON_FIRST, 0) == NOT_ENOUGH_REPLICAS
    nodes.broker.resume(SECOND)
    assert nodes.at(FIRST).error_of_write("y", other, ON_FIRST, 0) == 0
