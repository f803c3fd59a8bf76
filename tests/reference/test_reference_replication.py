"""A reference whose second node has a replica: while that node is paused, what the first one appends is not replicated."""

from typing import Any

import pytest
from reference_client import TOPIC, UNCOMMITTED, Client

from fencepost.reference.kafka import Profile, ReferenceKafka, Settings
from fencepost.wire.kafka.batches import Batch, MarkerType, Record, encode

FIRST, SECOND = 1, 2
BOTH = 0
"""The partition that both nodes have."""


class Replicated(Client):
    """A client of the first of two nodes, which leads the one partition of the topic; the second follows."""

    def __init__(self) -> None:
        self.broker = ReferenceKafka(Profile.load("seed"), settings=Settings(clean_up_interval_ms=200), nodes=2)
        assignments = [{"partition_index": BOTH, "broker_ids": [FIRST, SECOND]}]
        wanted = {"name": TOPIC, "num_partitions": -1, "replication_factor": -1, "assignments": assignments, "configs": []}
        self.made = self.ask("create_topics", 7, topics=[wanted]).topics[0]
        self.pair = self.producer("x")

    def write_next(self, sequence: int) -> tuple[int, int]:
        """Error and base offset."""
        result = self.write("x", self.pair, BOTH, sequence)
        return int(result.error_code), int(result.base_offset)

    def ends(self) -> tuple[int, int]:
        """The high watermark and the last stable offset."""
        result = self.fetch(BOTH)
        return int(result.high_watermark), int(result.last_stable_offset)


@pytest.fixture
def client() -> Replicated:
    return Replicated()


def test_an_assignment_says_who_has_replicas(client: Replicated) -> None:
    """CreateTopics and Metadata show them."""
    (reported,) = client.ask("metadata", 7, topics=[{"name": TOPIC}], allow_auto_topic_creation=False).topics[0].partitions

    assert (client.made.error_code, client.made.replication_factor) == (0, 2)
    assert (reported.leader_id, list(reported.replica_nodes), list(reported.isr_nodes)) == (FIRST, [FIRST, SECOND], [FIRST, SECOND])


def test_acks_of_the_leader_alone_are_answered_at_once(client: Replicated) -> None:
    """Readers wait for the follower all the same."""
    batch = Batch((Record(b"v", timestamp=1),), 0, -1, -1, -1)
    client.broker.pause(SECOND)

    data = [{"name": TOPIC, "partition_data": [{"index": BOTH, "records": encode(batch)}]}]
    answer = client.ask("produce", 12, transactional_id=None, acks=1, timeout=1000, topic_data=data)

    assert int(answer.responses[0].partition_responses[0].error_code) == 0
    assert client.end_offset(BOTH) == 0


@pytest.mark.parametrize("crashes", [False, True])
def test_a_marker_that_a_follower_lacks_decides_nothing(client: Replicated, crashes: bool) -> None:
    """The transaction stays prepared and its records unread, over a crash as well, until the follower catches up."""
    assert client.write_next(0) == (0, 0)

    client.broker.pause(SECOND)
    assert client.end("x", client.pair, commit=True) == (0, client.pair.plus(1))
    if crashes:
        client.broker.crash()
        client.broker.restart()
    client.broker.advance(10_000)
    assert client.state("x")[0] == "PrepareCommit"
    assert (client.ends(), client.end_offset(BOTH, UNCOMMITTED)) == ((1, 0), 1)

    client.broker.resume(SECOND)
    client.broker.advance(1_000)
    assert client.state("x")[0] == "CompleteCommit"
    high_watermark, last_stable_offset = client.ends()
    assert high_watermark == last_stable_offset
    assert {kind for kind, _, _ in client.markers(BOTH)} == {MarkerType.COMMIT}


def test_a_partition_that_was_moved_has_one_replica(client: Replicated) -> None:
    """No request waits for a node without a replica."""
    wanted: list[dict[str, Any]] = [{"name": TOPIC, "partitions": [{"partition_index": BOTH, "replicas": [FIRST]}]}]
    client.ask("alter_partition_reassignments", 0, topics=wanted, timeout=1000)

    client.broker.pause(SECOND)
    assert client.write_next(0) == (0, 0)
