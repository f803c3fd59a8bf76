"""A Pulsar reference of two nodes: each owns topics and coordinators, crashes by itself, and leaves what it owned to the other."""

from urllib.parse import urlsplit

import pytest
from pulsar_reference_client import World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus, TxnAction
from fencepost.contract.outcomes import Refused, Unknown
from fencepost.reference.kernel.clock import FIRST_NODE
from fencepost.reference.pulsar.ownership import coordinator_topic
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import frame_of

SECOND = FIRST_NODE + 1
THERE, HERE = "persistent://public/default/there", "persistent://public/default/here"
"""Topics of the second node, and of the first, which has the coordinator."""

SERVICE_NOT_READY, NO_COORDINATOR = 6, 20


def owner(world: World, topic: str, asked: int) -> int:
    """The node that a node names as the owner of a topic."""
    connection = world.broker.connect(number=asked)
    assert connection is not None
    connection.handle(frame_of(pb.CommandLookupTopic(topic=topic, request_id=1)))
    answer = connection.take()
    assert answer is not None
    return (urlsplit(answer.body.broker_service_url).port or 0) - 6650 + FIRST_NODE


def error(world: World, node: int, command: pb.CommandProducer | pb.CommandTcClientConnectRequest) -> int:
    """The error in a node's answer."""
    connection = world.broker.connect(number=node)
    assert connection is not None
    connection.handle(frame_of(command))
    answer = connection.take()
    assert answer is not None
    return int(answer.body.error)


@pytest.fixture
def world() -> World:
    world = World(nodes=2)
    for topic in (THERE, HERE):
        value_of(world.probe().create_topic(topic))
    assert [owner(world, topic, FIRST_NODE) for topic in (coordinator_topic(0), THERE, HERE)] == [FIRST_NODE, SECOND, FIRST_NODE]
    return world


def at(world: World, node: int) -> World:
    """New clients begin at that node."""
    world.service = node
    return world


def test_a_topic_has_one_owner_whichever_node_is_asked(world: World) -> None:
    """The other node redirects its clients, and so does the one that does not have the coordinator."""
    assert [owner(world, topic, SECOND) for topic in (THERE, HERE)] == [SECOND, FIRST_NODE]
    assert error(world, FIRST_NODE, pb.CommandProducer(topic=THERE, producer_id=1, request_id=1)) == SERVICE_NOT_READY
    assert error(world, SECOND, pb.CommandTcClientConnectRequest(tc_id=0, request_id=1)) == NO_COORDINATOR


@pytest.mark.parametrize(("action", "seen"), [(TxnAction.COMMIT, [["h"], ["t"]]), (TxnAction.ABORT, [[], []])])
def test_a_transaction_ends_on_both_nodes(world: World, action: TxnAction, seen: list[list[str]]) -> None:
    """Its coordinator is on one of them."""
    txn = world.begin(HERE, THERE)
    readers = [world.consumer(topic) for topic in (HERE, THERE)]
    world.send(world.producer(HERE), "h", txn)
    world.send(world.producer(THERE), "t", txn)

    world.end(txn, action)

    assert [world.values(reader) for reader in readers] == seen


def test_a_crash_of_one_node_is_nothing_to_the_other(world: World) -> None:
    """Its clients stay connected and go on, in open transactions too; those of the crashed node are disconnected."""
    ours, theirs = (world.broker.connect(number=node) for node in (FIRST_NODE, SECOND))
    txn = world.begin(HERE)
    producer, reader = world.producer(HERE), world.consumer(HERE)
    world.send(producer, "before", txn)

    world.broker.crash(SECOND)
    world.send(producer, "behind", txn)
    world.end(txn, TxnAction.COMMIT)

    assert ours is not None
    assert theirs is not None
    assert (ours.is_open, theirs.is_open) == (True, False)
    assert world.broker.connect(number=SECOND) is None
    assert world.values(reader) == ["before", "behind"]


def test_what_a_dead_node_owned_moves_with_all_that_was_stored(world: World) -> None:
    """Topic, subscription and coordinator: a transaction continues, and no id is given out twice."""
    txn = world.begin(HERE)
    world.send(world.producer(HERE), "h", txn)
    world.consumer(HERE)

    world.broker.crash(FIRST_NODE)
    at(world, SECOND).broker.advance(200)
    other = world.probe("other")
    value_of(other.end(txn, TxnAction.COMMIT))

    assert owner(world, HERE, SECOND) == SECOND
    assert world.values(world.consumer(HERE, name="other"), "other") == ["h"]
    assert value_of(other.new_transaction()).sequence == txn.sequence + 1


def test_a_decision_whose_coordinator_died_is_carried_out_by_the_next(world: World) -> None:
    """It is in the log; the participant on the other node has not received it before."""
    txn = world.begin(THERE)
    reader, producer = world.consumer(THERE), world.producer(THERE)
    world.send(producer, "t", txn)
    world.broker.crash_at("after-decision-logged")

    outcome = world.probe().end(txn, TxnAction.COMMIT)
    world.broker.advance(200)

    assert isinstance(outcome, Unknown)
    assert world.broker.connect() is None
    assert world.values(reader) == ["t"]
    assert value_of(at(world, SECOND).probe("other").transaction(txn)).status is ReportedStatus.COMMITTED


def test_a_participant_that_crashes_at_its_end_is_notified_again(world: World) -> None:
    """The coordinator lives, and got no answer; the message is shown once, on the topic's new node."""
    txn = world.begin(THERE)
    world.send(world.producer(THERE), "t", txn)
    world.broker.crash_at("after-marker-written", SECOND)

    world.end(txn, TxnAction.COMMIT)
    world.broker.advance(200)

    assert world.broker.connect(number=SECOND) is None
    assert owner(world, THERE, FIRST_NODE) == FIRST_NODE
    assert world.values(world.consumer(THERE, name="other"), "other") == ["t"]
    assert value_of(world.probe().transaction(txn)).status is ReportedStatus.COMMITTED


def test_a_crash_point_may_wait_for_one_node(world: World) -> None:
    """The other node passes it."""
    world.broker.crash_at("after-message-stored", SECOND)

    world.send(world.producer(HERE), "h")
    lost = world.probe().send(world.producer(THERE), "t")

    assert isinstance(lost, Unknown)
    assert world.broker.connect() is not None


def test_a_node_that_comes_back_owns_what_is_asked_for_next(world: World) -> None:
    """What has moved stays on its new node."""
    world.broker.crash(SECOND)
    world.producer(THERE)
    moved = owner(world, THERE, FIRST_NODE)
    world.broker.restart(SECOND)

    assert moved == FIRST_NODE
    assert owner(world, THERE, SECOND) == FIRST_NODE
    assert owner(world, "persistent://public/default/new", SECOND) == SECOND


def test_a_coordinator_that_has_moved_stays_where_it_is(world: World) -> None:
    """One number has never two: no id is given out twice, and one of two opposite ends wins, whichever node clients ask first."""
    txn = world.begin(HERE)
    world.broker.crash(FIRST_NODE)
    at(world, SECOND).broker.advance(200)
    beside = world.probe("beside")
    value_of(beside.new_transaction())
    world.broker.restart(FIRST_NODE)

    returned = at(world, FIRST_NODE).probe("returned")
    given = [value_of(client.new_transaction()).sequence for client in (beside, returned, beside, returned)]
    value_of(beside.end(txn, TxnAction.COMMIT))
    other_way = returned.end(txn, TxnAction.ABORT)

    assert given == sorted(set(given))
    assert isinstance(other_way, Refused)


def test_all_nodes_crash_and_start_together(world: World) -> None:
    """As one node does, with what it stored."""
    world.send(world.producer(THERE), "t")

    world.broker.crash()
    down = world.broker.is_up
    world.broker.restart()

    assert not down
    assert world.values(world.consumer(THERE, name="again"), "again") == ["t"]


def test_admin_calls_are_answered_by_any_node(world: World) -> None:
    """On any node, the call is about the owner's topic, and each coordinator is found on its node."""
    world.send(world.producer(THERE), "t")
    value_of(world.probe().set_coordinators(2))
    world.broker.advance(200)

    value_of(world.probe().unload_topic(THERE))
    asked_elsewhere = at(world, SECOND).probe("other")

    assert [owner(world, coordinator_topic(number), FIRST_NODE) for number in (0, 1)] == [FIRST_NODE, SECOND]
    assert [value_of(asked_elsewhere.coordinator_stats(number)).low_watermark for number in (0, 1)] == [-1, -1]
    assert value_of(asked_elsewhere.log_stats(THERE)).entries == 1
