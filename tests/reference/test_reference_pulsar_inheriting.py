"""Children's knowledge of their parents' producers: nothing is stored twice, and nothing is wrongly taken for stored."""

import pytest
from scalable_world import ADMIN, ScalableWorld

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest
from fencepost.wire.pulsar.frames import Payload
from fencepost.wire.pulsar.numbers import MINUS_ONE


@pytest.fixture
def world() -> ScalableWorld:
    made = ScalableWorld(segments=2)
    made.broker.admin(AdminRequest("POST", "/admin/v2/namespaces/public/default/deduplication", {}, b"true"))
    return made


def stored(world: ScalableWorld, segment: str, sequence: int, producer: str = "shop") -> bool:
    """Whether a message with that sequence id was stored, and not recognised."""
    client = world.at(segment)
    client.ask(pb.CommandProducer(topic=segment, producer_id=1, request_id=1, producer_name=producer))
    metadata = pb.MessageMetadata(producer_name=producer, sequence_id=sequence, publish_time=1)
    answer = client.ask(pb.CommandSend(producer_id=1, sequence_id=sequence), Payload(metadata, b"v"))
    client.connection.close()
    return bool(answer.message_id.ledger_id != MINUS_ONE)


def test_children_of_a_split_know_the_producers_of_their_parent(world: ScalableWorld) -> None:
    """Each child by itself, also messages that it never got; new ones, and those of other producers, are stored."""
    left = world.names()[0]
    assert stored(world, left, 7)
    world.call("POST", f"{ADMIN}/split/0")
    low, high = world.names()[2:]

    assert [stored(world, child, 7) for child in (low, high)] == [False, False]
    assert [stored(world, child, 8) for child in (low, high)] == [True, True]
    assert stored(world, low, 7, "other")


def test_the_child_of_a_merge_knows_what_all_parents_have_stored(world: ScalableWorld) -> None:
    """Above the lower of the two, a message may have gone to only one parent, and none may be lost."""
    left, right = world.names()
    assert [stored(world, left, 5), stored(world, right, 7), stored(world, right, 9, "other")] == [True] * 3
    world.call("POST", f"{ADMIN}/merge/0/1")
    whole = world.names()[2]

    assert not stored(world, whole, 5)
    assert stored(world, whole, 6)
    assert stored(world, whole, 9, "other")


def test_what_was_inherited_is_known_after_a_crash(world: ScalableWorld) -> None:
    """And passed on at the next split."""
    assert stored(world, world.names()[0], 7)
    world.call("POST", f"{ADMIN}/split/0")
    for node in (1, 2):
        world.broker.crash(node)
        world.broker.restart()
        world.broker.advance(2_000)
    world.call("POST", f"{ADMIN}/split/2")

    assert [stored(world, world.names()[number], 7) for number in (3, 4, 5)] == [False] * 3
