"""The messages: every offered version is answered by an entity that can be encoded."""

import io
import uuid
from typing import Any

import pytest
from kio.index import load_request_schema
from kio.serial import entity_reader, entity_writer
from message_fields import FIELDS, fitting
from reference_client import Client

from fencepost.reference.kafka import Profile, ReferenceKafka
from fencepost.wire.kafka.entities import API_KEYS, request

OFFERED = [(api, version) for api, (lowest, highest) in sorted(Profile.load("seed").apis.items()) for version in range(lowest, highest + 1)]


@pytest.mark.parametrize(("api", "version"), OFFERED)
def test_every_offered_version_is_answered(api: str, version: int) -> None:
    """The answer is the entity of that version, and it is the same after encoding and decoding."""
    client = Client()
    client.producer("x")

    answer = client.send(api, version, **fitting(load_request_schema(API_KEYS[api], version), FIELDS[api]))

    assert answer is not None
    assert (int(answer.__api_key__), int(answer.__version__)) == (API_KEYS[api], version)
    buffer = io.BytesIO()
    entity_writer(type(answer))(buffer, answer)
    assert entity_reader(type(answer))(buffer.getvalue(), 0)[0] == answer


def test_what_is_not_offered_closes_the_connection() -> None:
    """Another version, or an API that the broker does not have."""
    client = Client("kafka-4.0")

    assert client.send("write_txn_markers", 2, markers=[]) is None
    assert client.send("list_groups", 0) is None


def test_a_version_of_api_versions_that_is_not_offered_is_answered_all_the_same() -> None:
    """With 35, in version 0, and with the offered versions: a client must be able to find out."""
    profile = Profile.load("seed")
    broker = ReferenceKafka(profile.model_copy(update={"apis": {**profile.apis, "api_versions": (0, 2)}}))

    answer: Any = broker.handle(request("api_versions", 3, client_software_name="test", client_software_version="1"))

    assert (int(answer.__version__), int(answer.error_code)) == (0, 35)
    assert len(answer.api_keys) == len(profile.apis)


def test_topics_can_be_looked_up_by_their_ids() -> None:
    """Metadata v12: the same topic, and 100 for an unknown id."""
    client = Client()

    def look(**wanted: Any) -> tuple[int, Any, int]:
        topic = client.ask("metadata", 12, topics=[{"topic_id": None, "name": None, **wanted}], include_topic_authorized_operations=False)
        return int(topic.topics[0].error_code), topic.topics[0].topic_id, len(topic.topics[0].partitions)

    error, topic_id, partitions = look(name="t")

    assert (error, partitions) == (0, 3)
    assert look(topic_id=topic_id) == (0, topic_id, 3)
    assert look(topic_id=uuid.UUID(int=999))[0] == 100


def test_an_unknown_partition_has_no_offsets() -> None:
    """ListOffsets: 3, and the other partition is answered."""
    client = Client()
    partitions = [{"partition_index": index, "timestamp": -1} for index in (0, 9)]

    answer = client.ask("list_offsets", 7, replica_id=-1, isolation_level=0, topics=[{"name": "t", "partitions": partitions}])

    assert [(int(one.error_code), int(one.offset)) for one in answer.topics[0].partitions] == [(0, 0), (3, -1)]


def test_the_first_look_for_a_coordinator_makes_it() -> None:
    """15, and then always the one node; an unknown key type is no valid request."""
    client = Client()

    def look(key_type: int) -> list[tuple[int, int]]:
        answer = client.ask("find_coordinator", 4, key_type=key_type, coordinator_keys=["a", "b"])
        return [(int(one.error_code), int(one.node_id)) for one in answer.coordinators]

    assert [look(1), look(1), look(0), look(0)] == [[(15, -1)] * 2, [(0, 1)] * 2, [(15, -1)] * 2, [(0, 1)] * 2]
    assert look(2) == [(42, -1)] * 2
    topics = client.ask("metadata", 12, topics=None, include_topic_authorized_operations=False).topics
    assert {str(topic.name): bool(topic.is_internal) for topic in topics} == {
        "t": False,
        "__transaction_state": True,
        "__consumer_offsets": True,
    }


@pytest.mark.parametrize(("name", "partitions", "error"), [("t", 1, 36), ("no/name", 1, 17), ("..", 1, 17), ("u", 0, 37), ("u", -1, 0)])
def test_which_topics_can_be_made(name: str, partitions: int, error: int) -> None:
    """A new valid name, with a number of partitions, or with the broker's default."""
    assert Client().create(name, partitions) == error


def test_a_topic_can_be_tried_and_has_one_replica() -> None:
    """validate_only creates nothing; there is no second broker for a second replica."""
    client = Client()

    def create(**changed: Any) -> Any:
        wanted = {"name": "u", "num_partitions": 2, "replication_factor": 1, "assignments": [], "configs": [], **changed}
        validate_only = wanted.pop("validate_only", False)
        return client.ask("create_topics", 7, topics=[wanted], validate_only=validate_only).topics[0]

    assert create(replication_factor=3).error_code == 38
    assert create(validate_only=True).error_code == 0
    assert create().error_code == 0
    assert create().error_code == 36


def test_transactions_are_described_in_the_order_of_the_question() -> None:
    """Known ones, unknown ones (105), and no id at all (42)."""
    client = Client()
    pair = client.producer("x", timeout_ms=1234)

    states = client.ask("describe_transactions", 0, transactional_ids=["y", "x", ""]).transaction_states

    assert [(str(state.transactional_id), int(state.error_code)) for state in states] == [("y", 105), ("x", 0), ("", 42)]
    assert (states[1].transaction_timeout.total_seconds(), states[1].producer_id) == (1.234, pair.producer_id)


def test_a_producer_is_described_as_its_partition_knows_it() -> None:
    """Sequence and start of its open transaction, the coordinator's epoch after the marker; 3 for a missing partition."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.write("x", pair, 0, 1)

    (known,) = client.known_producers(0)
    assert (known.producer_epoch, known.last_sequence, known.coordinator_epoch, known.current_txn_start_offset) == (0, 1, -1, 0)

    client.end("x", pair, commit=True)
    (known,) = client.known_producers(0)
    assert (known.producer_epoch, known.last_sequence, known.coordinator_epoch, known.current_txn_start_offset) == (1, -1, 0, -1)
    answer = client.ask("describe_producers", 0, topics=[{"name": "t", "partition_indexes": [9]}])
    assert answer.topics[0].partitions[0].error_code == 3
