"""Stream consumers of the broker, in raw frames: their assignments, the connections, and what a crash of the controller leaves."""

from typing import Any

import pytest
from scalable_world import ADMIN, EVENTS, RawClient, ScalableWorld

from fencepost.wire.pulsar import messages_pb2 as pb


@pytest.fixture
def world() -> ScalableWorld:
    return ScalableWorld(segments=3)


def controller(world: ScalableWorld) -> RawClient:
    """A new connection to the node that every node names as the controller."""
    reported = [_controller_url(world, node) for node in (1, 2) if world.broker.connect(node) is not None]
    assert len(set(reported)) == 1
    return world.raw(int(reported[0][-1]) + 1)


def _controller_url(world: ScalableWorld, node: int) -> str:
    return str(world.raw(node).ask(pb.CommandScalableTopicLookup(session_id=1, topic=EVENTS)).dag.controller_broker_url)


def join(client: RawClient, name: str, topic: str = EVENTS, kind: Any = pb.STREAM) -> Any:
    """The answer to the registration."""
    command = pb.CommandScalableTopicSubscribe(
        request_id=1, topic=topic, subscription="workers", consumer_name=name, consumer_id=7, consumer_type=kind
    )
    return client.ask(command)


def numbers(reported: Any) -> list[int]:
    """The segments of an assignment."""
    return [one.segment_id for one in reported.assignment.segments]


def updates(client: RawClient) -> list[list[int]]:
    """The assignments that the consumer received since the last call."""
    return [numbers(frame.body) for frame in client.heard() if frame.name == "SCALABLE_TOPIC_ASSIGNMENT_UPDATE"]


def test_a_consumer_is_notified_of_its_segments_and_of_each_change(world: ScalableWorld) -> None:
    """With names and hashes, as of which epoch; and again when another one joins or leaves for good."""
    first, second = controller(world), controller(world)
    answer = join(first, "c1")
    assert next((one.segment_topic, one.hash_start) for one in answer.assignment.segments) == (world.names()[0], 0)
    assert (numbers(answer), answer.assignment.layout_epoch) == ([0, 1, 2], 0)

    assert numbers(join(second, "c2")) == [1]
    assert updates(first) == [[0, 2]]
    second.connection.close()
    world.broker.advance(59_000)
    assert updates(first) == []
    world.broker.advance(2_000)
    assert updates(first) == [[0, 1, 2]]


def test_children_are_reported_when_their_parent_is_drained(world: ScalableWorld) -> None:
    """A delivered message there is not drained, an acknowledged one is; the subscription is on the children."""
    consumer, parent = controller(world), world.names()[0]
    join(consumer, "c1")
    there = world.at(parent)
    there.produce(parent)
    there.send("p1")
    there.subscribe(parent, "workers")
    (message,) = there.received()
    world.call("POST", f"{ADMIN}/split/0")
    world.broker.advance(5_000)
    assert updates(consumer) == [[0, 1, 2]]

    there.acknowledge(message)
    world.broker.advance(1_000)
    assert updates(consumer) == [[3, 4, 1, 2]]
    child = world.names()[3]
    at_child = world.at(child)
    at_child.produce(child)
    at_child.send("p2")
    at_child.subscribe(child, "workers", number=2)
    assert len(at_child.received()) == 1


def test_the_next_controller_has_the_consumers(world: ScalableWorld) -> None:
    """They reconnect within a grace period, and keep their segments."""
    first, second = controller(world), controller(world)
    join(first, "c1")
    join(second, "c2")
    node = int(_controller_url(world, 1)[-1]) + 1
    world.broker.crash(node)
    world.broker.advance(30_000)

    again = controller(world)
    assert numbers(join(again, "c2")) == [1]
    assert updates(again) == []
    world.broker.advance(60_000)
    assert updates(again) == [[0, 1, 2]]


def test_what_is_asked_in_the_wrong_place_is_answered(world: ScalableWorld) -> None:
    """The other node names the controller; a missing topic, and an invalid name, are refused."""
    other = world.raw(3 - (int(_controller_url(world, 1)[-1]) + 1))

    assert join(other, "c1").error == pb.ServiceNotReady
    assert join(other, "c1", "topic://public/default/none").error == pb.TopicNotFound
    assert join(other, "c1", "a b").error == pb.InvalidTopicName


def test_a_checkpoint_consumer_registers_as_well(world: ScalableWorld) -> None:
    """It gets sealed segments too."""
    world.call("POST", f"{ADMIN}/split/0")
    assert sorted(numbers(join(controller(world), "c1", kind=pb.CHECKPOINT))) == [0, 1, 2, 3, 4]
