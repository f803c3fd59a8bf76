"""The reference of PIP-31: where the text and the shipped buffer differ, and one outcome at every crash point."""

import pytest
from pulsar_reference_client import OTHER, TOPIC, World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import TxnAction
from fencepost.contract.outcomes import Refused, Unknown
from fencepost.reference.pulsar import CRASH_POINTS

BUFFERS = ["seed", "pulsar-4.0"]
COMMIT, ABORT = TxnAction.COMMIT, TxnAction.ABORT


def code(outcome: object) -> int:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


@pytest.fixture(params=BUFFERS)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


@pytest.mark.parametrize(("profile", "seen"), [("seed", ["before", "behind"]), ("pulsar-4.0", ["before"])])
def test_an_open_transaction_holds_up_others_only_where_the_topic_is_the_buffer(profile: str, seen: list[str]) -> None:
    """The text keeps its messages elsewhere; the shipped buffer stops readers at the first of them."""
    world = World(profile)
    orders, consumer = world.producer(), world.consumer()
    world.send(orders, "before")
    txn = world.begin(TOPIC)
    world.send(orders, "open", txn)

    world.send(orders, "behind")

    assert world.values(consumer) == seen


@pytest.mark.parametrize(("profile", "order"), [("seed", ["b", "a"]), ("pulsar-4.0", ["a", "b"])])
def test_transactions_are_shown_in_the_order_of_their_commits_or_of_their_messages(profile: str, order: list[str]) -> None:
    """The sidecar's order is that of the markers; the topic's is its own."""
    world = World(profile)
    orders, consumer = world.producer(), world.consumer()
    first, second = world.begin(TOPIC), world.begin(TOPIC)
    world.send(orders, "a", first)
    world.send(orders, "b", second)

    world.end(second, COMMIT)
    world.end(first, COMMIT)

    assert world.values(consumer) == order


@pytest.mark.parametrize(("profile", "again", "opposite"), [("seed", None, 21), ("pulsar-4.0", 24, 24)])
def test_ending_again(profile: str, again: int | None, opposite: int) -> None:
    """The text answers the same end with success; the shipped broker has forgotten the transaction."""
    world = World(profile)
    txn = world.begin()
    world.end(txn, COMMIT)

    repeated, reversed_ = world.probe().end(txn, COMMIT), world.probe().end(txn, ABORT)

    assert (code(repeated) if isinstance(repeated, Refused) else None) == again
    assert code(reversed_) == opposite


@pytest.mark.parametrize("action", [COMMIT, ABORT])
@pytest.mark.parametrize("point", sorted(CRASH_POINTS))
def test_a_crash_at_any_point_leaves_one_outcome(world: World, point: str, action: TxnAction) -> None:
    """All of the transaction is seen or nothing, on every topic, and nothing stays open."""
    probe = world.probe()
    world.broker.crash_at(point)
    began = probe.new_transaction()
    if isinstance(began, Unknown):
        world.broker.restart()
        began = probe.new_transaction()
    txn = value_of(began)
    for topic, value in ((TOPIC, "a"), (OTHER, "b")):
        for ask in (
            lambda topic=topic: probe.add_topics(txn, [topic]),
            lambda topic=topic, value=value: probe.send(value_of(probe.producer(topic)), value, transaction=txn),
        ):
            if isinstance(ask(), Unknown):
                world.broker.restart()
    probe.end(txn, action, retry=False)
    world.broker.advance(500)
    world.broker.restart()
    world.broker.advance(500)
    again = probe.end(txn, action)
    world.broker.advance(500)

    seen = [set(world.values(world.consumer(topic, "after"))) for topic in (TOPIC, OTHER)]

    assert not isinstance(again, Unknown)
    expected = ({"a"}, {"b"}) if action is COMMIT else (set(), set())
    assert tuple(seen) == expected
    assert [value_of(probe.buffer_stats(topic)).ongoing for topic in (TOPIC, OTHER)] == [0, 0]


def test_the_shipped_buffer_takes_a_late_message_and_then_hides_what_was_committed() -> None:
    """The grave one: above the low watermark it is accepted, and the next end below it makes the whole transaction aborted."""
    world = World("pulsar-4.0")
    orders = world.producer()
    older, txn = world.begin(TOPIC), world.begin(TOPIC)
    world.send(orders, "committed", txn)
    world.end(txn, COMMIT)
    seen = world.values(world.consumer())
    world.send(orders, "late", txn)
    value_of(world.probe().end(older, COMMIT))

    newer = world.begin(TOPIC)
    world.send(orders, "newer", newer)
    world.end(newer, COMMIT)

    assert seen == ["committed"]
    assert world.values(world.consumer(subscription="new")) == ["newer"]
