"""Disturbances of requests in flight: the client gets one possible answer, and no request is made at a wrong moment."""

from typing import Any

import pytest
from disturbed_wire import END, Wire, code_of, numbered, on, produce
from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.twins.kafka_after_end import AfterTheEnd
from fencepost.adapters.twins.kafka_entries import Reordered, Split, each, entries_of, joined, reversed_entries
from fencepost.adapters.twins.kafka_form import Compressed, OneBatch
from fencepost.adapters.twins.kafka_overtaken import Overtaken
from fencepost.adapters.twins.kafka_repeat import AnswerLost, Late, NewConnection, Twice, may_be_repeated
from fencepost.adapters.twins.kafka_way import RequestPerformer
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.batches import Batch, Record, decode, encode
from fencepost.wire.kafka.entities import request, response

ADD = request(
    "add_partitions_to_txn",
    3,
    v3_and_below_transactional_id="t",
    v3_and_below_producer_id=7,
    v3_and_below_producer_epoch=0,
    v3_and_below_topics=[{"name": "a", "partitions": [0, 1]}, {"name": "b", "partitions": [0]}],
)


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
