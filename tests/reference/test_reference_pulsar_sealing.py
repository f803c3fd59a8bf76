"""Sealed segments in raw frames: what producers get, and what the end of a transaction writes there."""

import pytest
from scalable_world import ScalableWorld

from fencepost.wire.pulsar import messages_pb2 as pb

SEGMENT = "segment://public/default/events/0000-ffff-0"
TERMINATE = "/admin/v2/segments/public/default/events/0000-ffff-0/terminate"
UNASKED = 2**64 - 1


@pytest.fixture
def world() -> ScalableWorld:
    return ScalableWorld()


def seal(world: ScalableWorld) -> None:
    assert world.call("POST", TERMINATE).status == 204


def test_a_producer_of_a_sealed_segment_is_closed_and_its_messages_are_refused(world: ScalableWorld) -> None:
    """Its number stays in use until the client reuses it; no other producer is accepted."""
    client = world.at(SEGMENT)
    client.produce(SEGMENT)
    client.send("before")

    seal(world)

    (closed,) = client.heard()
    assert (closed.body.producer_id, closed.body.request_id) == (1, UNASKED)
    assert isinstance(closed.body, pb.CommandCloseProducer)
    late = client.send("late")
    assert isinstance(late, pb.CommandSendError)
    assert late.error == pb.TopicTerminatedError
    assert client.produce(SEGMENT).error == pb.TopicTerminatedError
    reader = world.at(SEGMENT)
    reader.subscribe(SEGMENT)
    assert [frame.payload.data for frame in reader.received() if frame.payload] == [b"before"]


def test_a_message_after_a_close_is_not_answered(world: ScalableWorld) -> None:
    """Nor is one of a number that was never a producer's."""
    client = world.at(SEGMENT)
    client.produce(SEGMENT)
    seal(world)
    client.ask(pb.CommandCloseProducer(producer_id=1, request_id=5))
    client.heard()

    client.say(pb.CommandSend(producer_id=1, sequence_id=1))

    assert client.reported() == []


@pytest.mark.parametrize(("action", "seen"), [(pb.COMMIT, [b"in"]), (pb.ABORT, [])])
def test_a_transaction_ends_in_a_sealed_segment(world: ScalableWorld, action: int, seen: list[bytes]) -> None:
    """Its messages follow its outcome, no consumer is notified of the end before, and nothing is written there for it."""
    client = world.at(SEGMENT)
    txn = world.raw(1).begin()
    client.produce(SEGMENT)
    client.send("in", txn=txn)
    client.subscribe(SEGMENT)
    seal(world)
    assert client.reported() == ["CLOSE_PRODUCER"]

    assert not world.raw(1).end(txn, action).HasField("error")

    heard = client.heard()
    messages = [frame for frame in heard if frame.name == "MESSAGE"]
    assert [frame.payload.data for frame in messages if frame.payload] == seen
    for message in messages:
        client.acknowledge(message)
    assert "REACHED_END_OF_TOPIC" in [frame.name for frame in heard] + client.reported()
    assert entries(world) == 1


def entries(world: ScalableWorld) -> int:
    """The number of entries in the segment's ledger."""
    return len(list(world.broker._machine.disk.journal(f"ledger {SEGMENT}")))
