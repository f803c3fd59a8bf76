"""Disturbances of batches: late ones, strays, overtaken ones, and those of compacted topics."""

from collections.abc import Callable
from typing import Any

import pytest
from disturbed_wire import END, Wire, on, produce
from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.twins.kafka_after_end import AfterTheEnd
from fencepost.adapters.twins.kafka_compaction import CompactionTwin
from fencepost.adapters.twins.kafka_overtaken import Overtaken
from fencepost.contract.evidence import Violation
from fencepost.wire.kafka.batches import Batch, Record, decode, encode
from fencepost.wire.kafka.entities import api_of, request, response


def written(version: int, sequence: int = 5) -> RequestPayload:
    """A transactional batch of two records of producer 7 to partition 0 of t."""
    records = encode(Batch((Record(b"a"), Record(b"b")), producer_id=7, producer_epoch=0, base_sequence=sequence, transactional=True))
    return request(
        "produce",
        version,
        transactional_id="t",
        acks=-1,
        timeout=1_000,
        topic_data=[{"name": "t", "partition_data": [{"index": 0, "records": records}]}],
    )


def broker(state: str, codes: list[int]) -> Callable[[RequestPayload], ResponsePayload]:
    """Answers each Produce with one of these error codes, and describes every transaction as being in this state."""

    def answer(asked: RequestPayload) -> ResponsePayload:
        fields: Any = asked
        if type(asked).__name__.startswith("Produce"):
            part = {"index": 0, "error_code": codes.pop(0), "base_offset": 0, "record_errors": []}
            return response(asked, throttle_time=0, responses=[{"name": "t", "partition_responses": [part]}])
        if type(asked).__name__.startswith("DescribeTransactions"):
            one = {"error_code": 0, "transactional_id": fields.transactional_ids[0], "transaction_state": state}
            one |= {"transaction_timeout": 1, "transaction_start_time": -1, "producer_id": 7, "producer_epoch": 0, "topics": []}
            return response(asked, throttle_time=0, transaction_states=[one])
        return response(asked, throttle_time=0, error_code=0)

    return answer


@pytest.mark.parametrize(
    ("state", "version", "expected"),
    [
        pytest.param("CompleteCommit", 11, [7], id="when it is over"),
        pytest.param("PrepareCommit", 11, [], id="not before"),
        pytest.param("CompleteCommit", 12, [], id="not of a client that begins its next transaction so"),
    ],
)
def test_a_batch_that_was_held_up_arrives_after_the_end(state: str, version: int, expected: list[int]) -> None:
    """With the next sequence number, so that it is no duplicate; the leader refuses it."""
    wire, way = on(AfterTheEnd, broker(state, [0, 48]))

    way.call(written(version), 1.0)
    way.call(END, 1.0)

    late = [one for one in wire.sent[1:] if type(one).__name__.startswith("Produce")]
    assert [decode(one.topic_data[0].partition_data[0].records)[0].base_sequence for one in late] == expected  # type: ignore[union-attr]


def test_a_batch_that_is_taken_after_the_end_is_a_violation() -> None:
    """No client will ever end what it begins."""
    _, way = on(AfterTheEnd, broker("CompleteCommit", [0, 0]))

    way.call(written(11), 1.0)
    with pytest.raises(Violation, match=r"answer to a Produce to t-0 that comes when its transaction is over: expected a refusal") as error:
        way.call(END, 1.0)

    assert error.value.requirement == "KIP890-095", "an old client's, in a partition that is in no transaction"


def _sent_to(wire: Wire) -> list[tuple[int, int]]:
    """The partition and the sequence number of each batch that was sent."""
    sent: list[Any] = [one for one in wire.sent if not isinstance(one, str) and api_of(one) == "produce"]
    parts = [one.topic_data[0].partition_data[0] for one in sent]
    return [(part.index, decode(part.records)[0].base_sequence) for part in parts]


@pytest.mark.parametrize(("version", "expected"), [(11, [(0, 5), (1, 7)]), (12, [(0, 5)])], ids=["of an old client", "not of a new one"])
def test_a_batch_of_an_open_transaction_strays(version: int, expected: list[tuple[int, int]]) -> None:
    """It comes to a partition that the transaction does not have, which a new client's batch would add."""
    inner = broker("Ongoing", [0, 48])
    wire, way = on(
        AfterTheEnd, lambda asked: response(asked, throttle_time=0, topics=[]) if api_of(asked) == "create_topics" else inner(asked)
    )
    topic = {"name": "t", "num_partitions": 2, "replication_factor": 1, "assignments": [], "configs": []}

    way.call(request("create_topics", 5, topics=[topic], timeout=1, validate_only=False), 1.0)
    way.call(written(version), 1.0)

    assert _sent_to(wire) == expected


def test_a_batch_is_overtaken_by_the_one_that_follows() -> None:
    """It is refused. A batch with another sequence number than the next, such as a repetition, is not overtaken: the batch after it could
    be the next.
    """
    wire, way = on(Overtaken, broker("Ongoing", [45, 0, 0, 45, 0]))

    for sequence in (0, 0, 2):
        way.call(written(12, sequence), 1.0)

    assert _sent_to(wire) == [(0, 2), (0, 0), (0, 0), (0, 4), (0, 2)]


def deleted(name: str) -> RequestPayload:
    """DeleteTopics of one topic, by its name."""
    return request("delete_topics", 5, topic_names=[name], timeout=1)


@pytest.mark.parametrize(("topic", "overtakes"), [("other", False), ("t", True)])
def test_what_is_due_is_known_until_its_topic_is_deleted(topic: str, *, overtakes: bool) -> None:
    """A repetition after the deletion of another topic is still a repetition; the first batch of a new topic is due again."""
    inner = broker("Ongoing", [45, 0, 45, 0] if overtakes else [45, 0, 0])

    def answer(asked: RequestPayload) -> ResponsePayload:
        if api_of(asked) == "delete_topics":
            return response(asked, throttle_time=0, responses=[{"name": topic, "error_code": 0, "error_message": None}])
        return inner(asked)

    wire, way = on(Overtaken, answer)
    for one in (written(12, 0), deleted(topic), written(12, 0)):
        way.call(one, 1.0)

    assert _sent_to(wire) == [(0, 2), (0, 0), *[(0, 2)] * overtakes, (0, 0)]


def test_a_batch_that_is_taken_out_of_order_is_a_violation() -> None:
    """The one before it is lost then."""
    _, way = on(Overtaken, broker("Ongoing", [0, 0]))

    with pytest.raises(Violation, match="answer to a batch that comes before the one that is due: expected a refusal") as error:
        way.call(written(12, 0), 1.0)

    assert error.value.requirement == "KIP890-113"


def test_records_get_keys_that_no_other_has() -> None:
    """After the end of a transaction one has the bytes of its marker's key. A key of the scenario stays, and so does what is no batch."""
    wire, way = on(CompactionTwin, broker("Ongoing", [0] * 5))

    def keys() -> list[bytes | None]:
        sent: Any = wire.sent[-1]
        return [record.key for record in decode(sent.topic_data[0].partition_data[0].records)[0].records]

    way.call(written(12), 1.0)
    assert keys() == [b"key 1", b"key 2"]
    way.call(END, 1.0)
    way.call(written(12), 1.0)
    assert keys() == [bytes([0, 0, 0, 1]), b"key 3"]
    way.call(produce(Batch((Record(b"v", b"own"),))), 1.0)
    assert keys() == [b"own"]


def test_topics_become_compacted_ones() -> None:
    """Unless the scenario says itself whether they are; other configurations stay."""
    wire, way = on(CompactionTwin, lambda asked: response(asked, throttle_time=0, topics=[]))
    topics = [
        {"name": name, "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": configs}
        for name, configs in (
            ("a", [{"name": "min.insync.replicas", "value": "1"}, {"name": "segment.ms", "value": "7"}]),
            ("b", [{"name": "cleanup.policy", "value": "delete"}]),
        )
    ]

    way.call(request("create_topics", 5, topics=topics, timeout=1, validate_only=False), 1.0)

    sent: Any = wire.sent[0]
    first, second = ({one.name: one.value for one in topic.configs} for topic in sent.topics)
    assert {"min.insync.replicas": "1", "cleanup.policy": "compact", "segment.ms": "1"}.items() <= first.items()
    assert second == {"cleanup.policy": "delete"}
