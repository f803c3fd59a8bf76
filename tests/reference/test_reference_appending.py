"""Produce: what may be appended to a partition, by the version of the request, by epoch and by sequence number."""

import pytest
from reference_client import TOPIC, Client, Pair

from fencepost.wire.kafka.batches import Batch, Record, encode


def test_a_new_client_adds_as_it_writes() -> None:
    """Produce v12 needs no AddPartitionsToTxn, and the coordinator has the partition."""
    client = Client()
    pair = client.producer("x")

    assert client.error_of_write("x", pair, 1, 0) == 0

    described = client.describe("x")
    assert described.transaction_state == "Ongoing"
    assert [(topic.topic, topic.partitions) for topic in described.topics] == [("t", (1,))]


@pytest.mark.parametrize(("version", "error", "has_message"), [(8, 48, True), (9, 48, True), (10, 48, True), (11, 120, False)])
def test_an_old_client_is_refused_where_it_has_not_announced(version: int, error: int, has_message: bool) -> None:
    """With the errors of the version; nothing is appended; after AddPartitionsToTxn it is accepted."""
    client = Client()
    pair = client.producer("x")
    client.add("x", pair, 0)

    result = client.write("x", pair, 1, 0, version=version)

    assert (result.error_code, result.base_offset, result.log_start_offset) == (error, -1, -1)
    assert (result.error_message is not None) == has_message
    assert client.end_offset(1) == 0
    assert client.error_of_write("x", pair, 0, 0, version=version) == 0


@pytest.mark.parametrize("version", [3, 10, 11, 12])
def test_a_wrong_epoch_is_refused_by_leader_and_coordinator(version: int) -> None:
    """Higher than the coordinator's, or lower: 47 and nothing appended."""
    client = Client()
    _, pair = client.init("x", client.producer("x"))
    client.add("x", pair, 0)

    for wrong in (pair.plus(5), pair.plus(-1)):
        assert client.error_of_write("x", wrong, 0, 0, version=version) == 47
    assert client.end_offset(0) == 0


@pytest.mark.parametrize("version", [3, 11, 12])
def test_a_producer_id_of_another_producer_is_refused(version: int) -> None:
    """49, as for an unknown transactional id."""
    client = Client()
    pair = client.producer("x")

    assert client.error_of_write("x", Pair(pair.producer_id + 1, 0), 0, 0, version=version) == 49
    assert client.error_of_write("y", pair, 0, 0, version=version) == 49


@pytest.mark.parametrize(("version", "error"), [(10, 19), (11, 19), (12, 51)])
def test_a_busy_coordinator_is_reported_in_the_words_of_the_version(version: int, error: int) -> None:
    """Old clients get NOT_ENOUGH_REPLICAS with the cause; new ones CONCURRENT_TRANSACTIONS."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.hold_markers()
    _, bumped = client.end("x", pair, commit=True)

    result = client.write("x", bumped, 1, 0, version=version)

    assert result.error_code == error
    assert version == 12 or "CONCURRENT_TRANSACTIONS" in result.error_message
    assert client.end_offset(1) == 0


def test_records_of_an_ended_transaction_are_fenced() -> None:
    """With the old epoch 47, before and after the next transaction begins there, and not taken for a duplicate."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    _, bumped = client.end("x", pair, commit=True)

    assert client.error_of_write("x", pair, 0, 0) == 47
    assert client.error_of_write("x", pair, 0, 1) == 47
    assert client.error_of_write("x", bumped, 0, 0) == 0
    assert client.error_of_write("x", pair, 0, 1) == 47
    assert client.end_offset(0) == 3


@pytest.mark.parametrize(("version", "error"), [(10, 48), (11, 120)])
def test_a_late_record_of_an_old_client_opens_nothing(version: int, error: int) -> None:
    """The epoch is the same, and still the coordinator knows that no transaction is open."""
    client = Client()
    pair = client.producer("x")
    client.add("x", pair, 0)
    client.write("x", pair, 0, 0, version=version)
    client.end("x", pair, commit=False, version=4)

    assert client.error_of_write("x", pair, 0, 1, version=version) == error
    assert client.end_offset(0, 1) == client.end_offset(0) == 2


def test_further_batches_are_not_verified() -> None:
    """Once the log has the transaction, the leader does not ask the coordinator, even if that would refuse."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)

    assert client.error_of_write("x", pair, 0, 1) == 0

    (known,) = client.known_producers(0)
    assert (known.current_txn_start_offset, known.last_sequence, known.coordinator_epoch) == (0, 1, -1)


def test_a_repeated_batch_is_answered_as_it_was() -> None:
    """The last five are recognised by their sequence numbers; older ones and gaps are out of order."""
    client = Client()
    pair = client.producer("x")
    offsets = [client.write("x", pair, 0, sequence).base_offset for sequence in range(6)]

    repeated = [client.write("x", pair, 0, sequence) for sequence in range(1, 6)]

    assert [(result.error_code, result.base_offset) for result in repeated] == [(0, offset) for offset in offsets[1:]]
    for wrong in (0, 7):
        result = client.write("x", pair, 0, wrong)
        assert (result.error_code, result.base_offset, result.log_start_offset) == (45, -1, 0)
    assert client.end_offset(0) == 6


@pytest.mark.parametrize(
    ("profile", "version", "error"), [("seed", 12, 45), ("kafka-4.0", 12, 0), ("kafka-4.1", 12, 45), ("seed", 11, 0), ("kafka-4.3", 11, 0)]
)
def test_the_first_sequence_of_a_producer_that_is_not_known(profile: str, version: int, error: int) -> None:
    """New clients begin at 0, except on Kafka 4.0; an old client may begin at any number."""
    client = Client(profile)
    pair = client.producer("x")
    client.add("x", pair, 0)

    assert client.error_of_write("x", pair, 0, 5, version=version) == error


def test_a_new_epoch_begins_at_sequence_0() -> None:
    """After a marker that bumped the epoch, and after InitProducerId."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    _, bumped = client.end("x", pair, commit=True)

    assert client.error_of_write("x", bumped, 0, 1) == 45
    assert client.error_of_write("x", bumped, 0, 0) == 0


def test_sequence_numbers_wrap() -> None:
    """After the largest comes 0, and not 1."""
    client = Client()
    _, pair = client.init(None)
    batch = Batch((Record(b"v"),), 0, pair.producer_id, 0, 2_147_483_647)
    data = [{"name": TOPIC, "partition_data": [{"index": 0, "records": encode(batch)}]}]
    client.ask("produce", 12, transactional_id=None, acks=-1, timeout=1000, topic_data=data)

    assert client.error_of_write(None, pair, 0, 1) == 45
    assert client.error_of_write(None, pair, 0, 0) == 0


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
