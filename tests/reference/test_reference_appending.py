"""Produce: first batches by release, plain batches of transactional producers, and requests that are odd."""

import pytest
from reference_client import TOPIC, Client

from fencepost.wire.kafka.batches import Batch, Record, encode


@pytest.mark.parametrize(
    ("profile", "version", "error"), [("seed", 12, 45), ("kafka-4.0", 12, 0), ("kafka-4.1", 12, 45), ("seed", 11, 0), ("kafka-4.3", 11, 0)]
)
def test_the_first_sequence_of_a_producer_that_is_not_known(profile: str, version: int, error: int) -> None:
    """New clients begin at 0, except on Kafka 4.0; an old client may begin at any number."""
    client = Client(profile)
    pair = client.producer("x")
    client.add("x", pair, 0)

    assert client.error_of_write("x", pair, 0, 5, version=version) == error


def test_an_older_epoch_is_fenced_without_a_transaction_too() -> None:
    """A plain batch of a producer whose epoch was bumped by a marker: the log refuses it with 47."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.end("x", pair, commit=True)

    result = client.write(None, pair, 0, 1)

    assert (result.error_code, result.log_start_offset) == (47, 0)


def test_outside_of_its_transaction_a_producer_writes_nothing_there() -> None:
    """A plain batch of a producer with an open transaction in that partition: 48, and elsewhere it is accepted."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)

    assert client.error_of_write(None, pair, 0, 1) == 48
    assert client.error_of_write(None, pair, 1, 0) == 0


def test_what_is_wrong_with_the_request_is_reported_for_each_partition() -> None:
    """Two producers in one request 49; transactional records without a transactional id 53."""
    client = Client()
    pairs = [client.producer("x"), client.producer("y")]
    records = [encode(Batch((Record(b"v"),), 0, pair.producer_id, 0, 0, transactional=True)) for pair in pairs]
    data = [{"name": TOPIC, "partition_data": [{"index": index, "records": one} for index, one in enumerate(records)]}]

    errors = []
    for name in ("x", None):
        answer = client.ask("produce", 12, transactional_id=name, acks=-1, timeout=1000, topic_data=data)
        errors.append([int(result.error_code) for result in answer.responses[0].partition_responses])

    assert errors == [[49, 49], [53, 53]]
    assert client.end_offset(0) == 0


@pytest.mark.parametrize(
    ("records", "error"),
    [
        (None, 87),
        (b"\0" * 70, 2),
        (encode(Batch((Record(b"v"),))) * 2, 87),
        (encode(Batch((Record(b"v"),), control=True)), 87),
        (encode(Batch((Record(b"v"),), base_offset=3)), 87),
        (encode(Batch((Record(b"v"),), producer_id=1, producer_epoch=0)), 87),
    ],
    ids=["nothing", "not a batch", "two batches", "a control batch", "a base offset", "no sequence number"],
)
def test_what_is_no_valid_batch_is_refused(records: bytes | None, error: int) -> None:
    """And nothing of it is appended."""
    client = Client()
    data = [{"name": TOPIC, "partition_data": [{"index": 0, "records": records}]}]

    answer = client.ask("produce", 12, transactional_id=None, acks=-1, timeout=1000, topic_data=data)

    assert answer.responses[0].partition_responses[0].error_code == error
    assert client.end_offset(0) == 0


def test_bytes_after_a_batch_that_are_no_batch_are_cut_off() -> None:
    """As in Apache Kafka; the batch is appended as if those bytes were not there."""
    client = Client()
    whole = encode(Batch((Record(b"v"),)))
    data = [{"name": TOPIC, "partition_data": [{"index": 0, "records": whole + b"rest"}]}]

    answer = client.ask("produce", 12, transactional_id=None, acks=-1, timeout=1000, topic_data=data)

    assert answer.responses[0].partition_responses[0].error_code == 0
    assert client.end_offset(0) == 1
    assert client.values(0) == ["v"]


def test_no_client_writes_to_the_brokers_own_topics() -> None:
    """17, also if the rest is right."""
    client = Client()
    client.send("find_coordinator", 4, key_type=0, coordinator_keys=["g"])
    pair = client.producer("x")

    assert client.error_of_write("x", pair, 0, 0, topic="__consumer_offsets") == 17
    assert client.error_of_write("x", pair, 0, 0, topic="nowhere") == 3


def test_topics_are_named_by_their_ids_from_v13_on() -> None:
    """Produce v13 and Fetch v13 agree with Metadata; an unknown id gets its own error."""
    client = Client()
    topic_id = (
        client.ask("metadata", 12, topics=[{"topic_id": None, "name": "t"}], include_topic_authorized_operations=False).topics[0].topic_id
    )
    batch = encode(Batch((Record(b"v"),)))

    def errors(wanted: object) -> tuple[int, int]:
        data = [{"topic_id": wanted, "partition_data": [{"index": 0, "records": batch}]}]
        produced = client.ask("produce", 13, transactional_id=None, acks=-1, timeout=1000, topic_data=data)
        asked = [{"topic_id": wanted, "partitions": [{"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1000}]}]
        fetched = client.ask("fetch", 13, max_wait=0, min_bytes=0, max_bytes=1000, topics=asked, forgotten_topics_data=[])
        return int(produced.responses[0].partition_responses[0].error_code), int(fetched.responses[0].partitions[0].error_code)

    assert errors(topic_id) == (0, 0)
    assert errors(type(topic_id)(int=999)) == (100, 100)
