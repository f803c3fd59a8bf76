"""Markers in partitions, how far committed data may be read, and which transactions were aborted."""

import pytest
from reference_client import COMMITTED, UNCOMMITTED, Client, Pair

from fencepost.reference.kafka.markers import MarkerAnswer
from fencepost.wire.kafka.batches import MarkerType


def aborted(client: Client, partition: int, offset: int = 0) -> list[tuple[int, int]]:
    found = client.fetch(partition, COMMITTED, offset).aborted_transactions
    return [(int(entry.producer_id), int(entry.first_offset)) for entry in found]


def test_committed_data_ends_where_the_oldest_open_transaction_begins() -> None:
    """The last stable offset grows only when the oldest one ends, whichever ends first."""
    client = Client()
    a, b = client.producer("a"), client.producer("b")
    client.plain(0, "p")
    client.write("a", a, 0, 0, "a1")
    client.write("b", b, 0, 0, "b1")
    assert (client.end_offset(0, COMMITTED), client.end_offset(0, UNCOMMITTED)) == (1, 3)

    client.end("b", b, commit=True)
    assert client.end_offset(0, COMMITTED) == 1
    assert client.values(0, COMMITTED) == ["p"]
    assert client.values(0, UNCOMMITTED) == ["p", "a1", "b1"]

    client.end("a", a, commit=True)
    assert client.end_offset(0, COMMITTED) == client.end_offset(0, UNCOMMITTED) == 5
    assert client.values(0, COMMITTED) == ["p", "a1", "b1"]


def test_fetch_and_list_offsets_report_the_same_ends() -> None:
    """The last stable offset and the high watermark of a Fetch are the latest offsets of the two isolation levels."""
    client = Client()
    client.plain(0)
    client.write("a", client.producer("a"), 0, 0)

    fetched = client.fetch(0, COMMITTED)

    assert (fetched.last_stable_offset, fetched.high_watermark) == (client.end_offset(0, COMMITTED), client.end_offset(0, UNCOMMITTED))


def test_aborted_transactions_are_listed_and_their_records_are_sent() -> None:
    """With producer id and first offset, ordered by it, if they overlap the page; committed ones are not listed."""
    client = Client()
    pairs = {name: client.producer(name) for name in "abc"}
    for name, pair in pairs.items():
        client.write(name, pair, 0, 0, name)
    client.end("b", pairs["b"], commit=False)
    client.end("c", pairs["c"], commit=True)
    client.end("a", pairs["a"], commit=False)

    assert client.values(0, COMMITTED) == ["a", "b", "c"]
    assert aborted(client, 0) == [(pairs["a"].producer_id, 0), (pairs["b"].producer_id, 1)]
    assert aborted(client, 0, offset=5) == [(pairs["a"].producer_id, 0)]
    assert client.fetch(0, UNCOMMITTED).aborted_transactions is None


@pytest.mark.parametrize(("offset", "error"), [(-1, 1), (0, 0), (1, 0), (2, 1)])
def test_only_offsets_of_the_log_can_be_fetched(offset: int, error: int) -> None:
    """From the start to the end, where there is no record yet."""
    client = Client()
    client.plain(0)

    assert client.fetch(0, offset=offset).error_code == error


def test_every_partition_gets_one_marker() -> None:
    """Of one type and epoch, also if nothing was written; and it takes one offset."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.write("x", pair, 1, 0)
    client.add("x", pair, 2)

    client.end("x", pair, commit=True)

    assert [client.markers(partition) for partition in range(3)] == [[(MarkerType.COMMIT, pair.plus(1), 0)]] * 3
    assert [client.end_offset(partition) for partition in range(3)] == [2, 2, 1]
    (marker,) = [batch for batch in client.batches(0) if batch.control]
    assert (marker.transactional, marker.base_sequence, len(marker.records)) == (True, -1, 1)


def test_a_late_marker_does_not_end_the_next_transaction() -> None:
    """WriteTxnMarkers v2 with transaction version 2: the epoch must be newer than the open transaction's."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    _, bumped = client.end("x", pair, commit=True)
    client.write("x", bumped, 0, 0)

    assert client.mark(bumped, 0, commit=True, transaction_version=2) == 47
    assert client.mark(pair, 0, commit=True) == 47

    assert client.state("x")[0] == "Ongoing"
    assert client.end_offset(0, COMMITTED) == 2


def test_an_administrator_ends_a_transaction_with_an_old_marker() -> None:
    """Version 1 with the open epoch ends it; the same again is accepted, and takes an offset."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)

    assert client.mark(pair, 0, commit=False) == 0
    assert client.end_offset(0, COMMITTED) == 2

    assert client.mark(pair, 0, commit=False) == 0
    assert client.end_offset(0, COMMITTED) == 3
    assert aborted(client, 0) == [(pair.producer_id, 0)]


def test_a_marker_of_an_older_coordinator_is_fenced() -> None:
    """52 if a newer one has written; the same coordinator may write again."""
    client = Client()
    pair = Pair(77, 0)

    assert [client.mark(pair, 0, commit=True, coordinator_epoch=epoch) for epoch in (1, 1, 2, 1)] == [0, 0, 0, 52]
    assert client.mark(pair, 9, commit=True) == 3


def test_a_partition_that_fences_the_coordinator_holds_the_transaction() -> None:
    """Its id stays in PrepareCommit, with that partition left; the others are complete."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.add("x", pair, 1)
    client.mark(pair, 1, commit=True, coordinator_epoch=1000)

    client.end("x", pair, commit=True)
    client.broker.advance(60_000)

    described = client.describe("x")
    assert (described.transaction_state, described.topics[0].partitions) == ("PrepareCommit", (1,))
    assert client.end_offset(0, COMMITTED) == 2
    assert client.init("x")[0] == 51


def test_lost_markers_are_sent_again() -> None:
    """A marker whose connection is lost is sent again with the next clean-up, however often it is lost."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.hold_markers()
    client.end("x", pair, commit=True)

    for _ in range(3):
        client.broker.network.drop(lambda _: True)
        assert client.broker.network.in_flight == ()
        client.broker.advance(200)
    client.release_markers()

    assert client.state("x")[0] == "CompleteCommit"
    assert len(client.markers(0)) == 1


def test_a_lost_answer_brings_a_second_marker() -> None:
    """The marker was written, but the coordinator got no answer: it is written again, with the same epoch, and that is accepted."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.broker.network.hold(lambda content: isinstance(content, MarkerAnswer))
    client.end("x", pair, commit=True)
    assert client.state("x")[0] == "PrepareCommit"
    client.broker.network.drop(lambda _: True)
    client.release_markers()

    client.broker.advance(200)

    assert client.state("x")[0] == "CompleteCommit"
    assert client.markers(0) == [(MarkerType.COMMIT, pair.plus(1), 0)] * 2


def test_a_duplicate_marker_completes_once() -> None:
    """A marker that the network doubles is in the log twice, ends nothing twice, and completes the transaction."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.end("x", pair, commit=True)

    client.broker.network.duplicate(lambda _: True)

    assert client.state("x") == ("CompleteCommit", pair.plus(1))
    assert {marker[:2] for marker in client.markers(0)} == {(MarkerType.COMMIT, pair.plus(1))}


def test_a_point_in_time_in_undecided_data_is_not_found() -> None:
    """ListOffsets by timestamp: -1 for readers of committed data."""
    client = Client()
    client.write("x", client.producer("x"), 0, 0)

    def look_up(isolation: int, timestamp: int) -> int:
        wanted = {"partition_index": 0, "timestamp": timestamp}
        answer = client.ask("list_offsets", 7, replica_id=-1, isolation_level=isolation, topics=[{"name": "t", "partitions": [wanted]}])
        return int(answer.topics[0].partitions[0].offset)

    assert (look_up(COMMITTED, 1), look_up(UNCOMMITTED, 1)) == (-1, 0)
    assert (look_up(COMMITTED, -2), look_up(UNCOMMITTED, -3), look_up(UNCOMMITTED, -5), look_up(UNCOMMITTED, 99)) == (0, 0, -1, -1)


def test_a_fetch_is_cut_at_its_size_but_never_empty() -> None:
    """The first batch is returned whole, the next only within the limit."""
    client = Client()
    for _ in range(3):
        client.plain(0)
    wanted = {"partition": 0, "fetch_offset": 1, "partition_max_bytes": 1}

    answer = client.ask("fetch", 4, max_wait=0, min_bytes=0, max_bytes=1000, topics=[{"topic": "t", "partitions": [wanted]}])

    assert len(answer.responses[0].partitions[0].records) == len(client.fetch(0).records) // 3
