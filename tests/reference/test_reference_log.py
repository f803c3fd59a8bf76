"""Markers that the network loses or doubles, and how far committed data may be read."""

from reference_client import COMMITTED, UNCOMMITTED, Client

from fencepost.reference.kafka.markers import MarkerAnswer
from fencepost.wire.kafka.batches import MarkerType


def test_fetch_and_list_offsets_report_the_same_ends() -> None:
    """The last stable offset and the high watermark of a Fetch are the latest offsets of the two isolation levels."""
    client = Client()
    client.plain(0)
    client.write("a", client.producer("a"), 0, 0)

    fetched = client.fetch(0, COMMITTED)

    assert (fetched.last_stable_offset, fetched.high_watermark) == (client.end_offset(0, COMMITTED), client.end_offset(0, UNCOMMITTED))


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
