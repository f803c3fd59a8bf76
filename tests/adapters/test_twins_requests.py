"""Disturbances of requests in flight: the client gets one possible answer, and no request is made at a wrong moment."""

from collections.abc import Callable
from typing import Any

import pytest
from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.adapters.twins.kafka_after_end import AfterTheEnd
from fencepost.adapters.twins.kafka_compaction import CompactionTwin
from fencepost.adapters.twins.kafka_entries import Reordered, Split, each, entries_of, joined, reversed_entries
from fencepost.adapters.twins.kafka_form import Compressed, OneBatch
from fencepost.adapters.twins.kafka_overtaken import Overtaken
from fencepost.adapters.twins.kafka_repeat import AnswerLost, Late, NewConnection, Twice, may_be_repeated
from fencepost.adapters.twins.kafka_way import RequestPerformer
from fencepost.adapters.twins.performer import Undisturbed
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.batches import Batch, Record, decode, encode
from fencepost.wire.kafka.entities import api_of, request, response

END = request("end_txn", 4, transactional_id="t", producer_id=7, producer_epoch=0, committed=True)
ADD = request(
    "add_partitions_to_txn",
    3,
    v3_and_below_transactional_id="t",
    v3_and_below_producer_id=7,
    v3_and_below_producer_epoch=0,
    v3_and_below_topics=[{"name": "a", "partitions": [0, 1]}, {"name": "b", "partitions": [0]}],
)


class Wire:
    """A transport that answers at once by a function, and notes what is sent and when it is closed."""

    def __init__(self, answer: Callable[[RequestPayload], ResponsePayload]) -> None:
        self._answer = answer
        self.sent: list[RequestPayload | str] = []

    def send(self, asked: RequestPayload, deadline_s: float) -> Callable[[], Done[ResponsePayload] | Unknown]:  # noqa: ARG002
        self.sent.append(asked)
        return lambda: Done(self._answer(asked))

    def call(self, asked: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        return self.send(asked, deadline_s)()

    def is_listened_to(self) -> bool:
        return True

    def close(self) -> None:
        self.sent.append("closed")


class SessionOf:
    """A session with what these performers use: `way` is the wrapped transport of a client."""

    def __init__(self, wire: Wire) -> None:
        self.way: KafkaTransport = wire

    def between(self, wrap: Callable[[str, KafkaTransport], KafkaTransport]) -> None:
        self.way = wrap("A", self.way)

    time: object = None


def on(performer: type[RequestPerformer], answer: Callable[[RequestPayload], ResponsePayload]) -> tuple[Wire, KafkaTransport]:
    """A wire, and the transport that this disturbance makes of it."""
    wire = Wire(answer)
    session: Any = SessionOf(wire)
    performer(session, Undisturbed()).begin()
    return wire, session.way


def numbered(codes: list[int]) -> Callable[[RequestPayload], ResponsePayload]:
    """Answers to EndTxn with these error codes, one after the other."""
    return lambda asked: response(asked, throttle_time=0, error_code=codes.pop(0))


def code_of(heard: Done[ResponsePayload] | Unknown) -> int:
    assert isinstance(heard, Done)
    fields: Any = heard.value
    return int(fields.error_code)


def test_a_request_that_arrives_twice_is_answered_once() -> None:
    """With its first answer."""
    wire, way = on(Twice, numbered([0, 48]))

    assert code_of(way.call(END, 1.0)) == 0
    assert wire.sent == [END, END]


@pytest.mark.parametrize(("second", "heard"), [(48, 48), (0, 0), (51, 47)])
def test_a_lost_answer_is_asked_for_again_on_a_new_connection(second: int, heard: int) -> None:
    """The second answer counts, except an error that asks to wait: then the client gets the first."""
    wire, way = on(AnswerLost, numbered([47, second]))

    assert code_of(way.call(END, 1.0)) == heard
    assert wire.sent == [END, "closed", END]


@pytest.mark.parametrize("performer", [Twice, AnswerLost])
def test_what_the_client_sends_again_itself_is_not_repeated(performer: type[RequestPerformer]) -> None:
    """An answer that asks it to retry later means that nothing was done yet."""
    wire, way = on(performer, numbered([51]))

    assert code_of(way.call(END, 1.0)) == 51
    assert wire.sent == [END]


@pytest.mark.parametrize(("sent", "codec"), [("none", "gzip"), ("zstd", "zstd")])
def test_a_batch_comes_compressed(sent: str, codec: str) -> None:
    """With the same records; a compressed batch keeps its codec, and bytes that cannot be read as a batch are sent unchanged."""
    batch = Batch(records=(Record(b"a1"),), compression=sent)
    wire, way = on(Compressed, lambda asked: response(asked, responses=[], throttle_time=0))
    for records in (encode(batch), b"damaged"):
        partition = {"index": 0, "records": records}
        way.call(request("produce", 9, acks=-1, timeout=1_000, topic_data=[{"name": "t", "partition_data": [partition]}]), 1.0)

    good, damaged = (one.topic_data[0].partition_data[0].records for one in wire.sent if not isinstance(one, str))

    assert [(one.compression, one.records) for one in decode(good)] == [(codec, batch.records)]
    assert damaged == b"damaged"


def test_a_late_end_comes_after_the_next_one() -> None:
    """Once, and not if it was refused."""
    wire, way = on(Late, numbered([0, 47, 51, 0]))
    first, second, third = (
        request("end_txn", 5, transactional_id="t", producer_id=7, producer_epoch=epoch, committed=True) for epoch in range(3)
    )

    assert [code_of(way.call(end, 1.0)) for end in (first, second, third)] == [0, 47, 0]
    assert wire.sent == [first, second, first, third]


def test_nothing_is_asked_between_requests_that_are_in_flight_together() -> None:
    """Answers come in the order of the requests, so a repetition would be read as the answer to the next."""
    wire, way = on(Twice, numbered([0, 0, 0]))

    first, second = way.send(END, 1.0), way.send(END, 1.0)
    assert (code_of(first()), wire.sent) == (0, [END, END])
    assert (code_of(second()), wire.sent) == (0, [END, END, END])


def test_each_request_has_its_own_connection() -> None:
    """Also one that may not be repeated."""
    wire, way = on(NewConnection, numbered([0, 0]))

    way.call(END, 1.0)
    way.call(END, 1.0)

    assert wire.sent == [END, "closed", END]


def produce(batch: Batch) -> RequestPayload:
    entry = {"index": 0, "records": encode(batch)}
    return request("produce", 9, transactional_id=None, acks=-1, timeout=1, topic_data=[{"name": "a", "partition_data": [entry]}])


def test_what_may_be_repeated() -> None:
    """What a client library repeats: no step to the next epoch, no batch without a sequence number, no creation."""
    init = {"transactional_id": "t", "transaction_timeout": 1}
    record = (Record(b"v"),)

    assert may_be_repeated(END)
    assert may_be_repeated(request("init_producer_id", 4, **init, producer_id=7, producer_epoch=0))
    assert not may_be_repeated(request("init_producer_id", 4, **init, producer_id=-1, producer_epoch=-1))
    assert not may_be_repeated(request("init_producer_id", 1, **init))
    assert may_be_repeated(produce(Batch(record, producer_id=7, producer_epoch=0, base_sequence=0)))
    assert not may_be_repeated(produce(Batch(record)))
    assert not may_be_repeated(request("delete_groups", 1, groups_names=["g"]))


def test_entries_are_taken_apart_and_put_together() -> None:
    """The parts have one entry each; joined they are the whole, each topic once; two reversals change nothing."""
    where = entries_of(ADD)
    assert where is not None

    parts = list(each(ADD, where.asked))

    assert [[(topic.name, topic.partitions) for topic in part.v3_and_below_topics] for part in parts] == [
        [("a", (0,))],
        [("a", (1,))],
        [("b", (0,))],
    ]
    assert joined(parts, where.asked) == ADD
    assert reversed_entries(reversed_entries(ADD, where.asked), where.asked) == ADD
    assert [topic.name for topic in reversed_entries(ADD, where.asked).v3_and_below_topics] == ["b", "a"]
    assert entries_of(END) is None


def added(asked: RequestPayload) -> ResponsePayload:
    """AddPartitionsToTxn of all these partitions."""
    fields: Any = asked
    results = [
        {"name": topic.name, "results_by_partition": [{"partition_index": one, "partition_error_code": 0} for one in topic.partitions]}
        for topic in fields.v3_and_below_topics
    ]
    return response(asked, throttle_time=0, results_by_topic_v3_and_below=results)


def test_a_request_is_split_and_answered_as_one() -> None:
    """One request for each entry; a request with one entry, or none, is sent unchanged."""
    wire, way = on(Split, added)

    heard = way.call(ADD, 1.0)

    assert isinstance(heard, Done)
    assert (len(wire.sent), heard.value) == (3, added(ADD))
    wire, way = on(Split, numbered([0]))
    assert code_of(way.call(END, 1.0)) == 0
    assert wire.sent == [END]


def test_entries_come_in_the_reverse_order() -> None:
    """Other requests stay the same."""
    wire, way = on(Reordered, added)

    way.call(ADD, 1.0)

    sent: Any = wire.sent[0]
    assert [(topic.name, topic.partitions) for topic in sent.v3_and_below_topics] == [("b", (0,)), ("a", (1, 0))]


def test_fetch_asks_for_one_batch() -> None:
    """In each partition and in all."""
    partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1_000, "log_start_offset": -1, "current_leader_epoch": -1}
    topics = [{"topic": "a", "partitions": [{**partition, "last_fetched_epoch": -1}]}]
    fields = {
        "replica_id": -1,
        "max_wait": 0,
        "min_bytes": 0,
        "max_bytes": 1_000,
        "isolation_level": 1,
        "session_id": 0,
        "session_epoch": -1,
    }
    fetch = request("fetch", 12, **fields, topics=topics, forgotten_topics_data=[], rack_id="")
    wire, way = on(OneBatch, lambda asked: response(asked, throttle_time=0, error_code=0, session_id=0, responses=[]))

    way.call(fetch, 1.0)

    sent: Any = wire.sent[0]
    assert (sent.max_bytes, sent.topics[0].partitions[0].partition_max_bytes) == (1, 1)


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
    with pytest.raises(Violation, match=r"answer to a Produce to t-0 that comes when its transaction is over: expected a refusal"):
        way.call(END, 1.0)


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


def test_a_batch_that_is_taken_out_of_order_is_a_violation() -> None:
    """The one before it is lost then."""
    _, way = on(Overtaken, broker("Ongoing", [0, 0]))

    with pytest.raises(Violation, match="answer to a batch that comes before the one that is due: expected a refusal"):
        way.call(written(12, 0), 1.0)


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


def _performer(kind: type[RequestPerformer], codes: list[int]) -> tuple[RequestPerformer, Wire, Any]:
    made: list[RequestPerformer] = []

    class Kept(kind):  # type: ignore[misc, valid-type]
        def begin(self) -> None:
            super().begin()
            made.append(self)

    wire, way = on(Kept, numbered(codes))
    return made[0], wire, way


@pytest.mark.parametrize("kind", [AfterTheEnd, Overtaken, Split, Reordered, OneBatch, Compressed, NewConnection, Late])
def test_a_request_that_gives_no_occasion_is_no_act(kind: type[RequestPerformer]) -> None:
    """One EndTxn has no entries, no batch, nothing before it on its connection, and nothing after it."""
    performer, _, way = _performer(kind, [0, 0])

    way.call(END, 1.0)

    assert not performer.acts
    assert performer.idle


@pytest.mark.parametrize("kind", [Twice, AnswerLost])
def test_a_repetition_without_an_answer_is_no_act(kind: type[RequestPerformer]) -> None:
    """It may have been lost; one that was answered has arrived."""
    performer, wire, way = _performer(kind, [0, 0])
    way.call(END, 1.0)
    assert performer.acts == {("repeated", "request"): 1}

    performer, wire, way = _performer(kind, [0])
    wire.call = lambda *_: Unknown("lost")  # type: ignore[method-assign]
    way.send(END, 1.0)()
    assert not performer.acts
