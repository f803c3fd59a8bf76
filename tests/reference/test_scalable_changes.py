"""Splits and merges, crashed at every point and overtaken at every call: each is completed or undone, and nothing is lost."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import DataObject, data, integers, sampled_from
from layout_world import SEED, TOPIC, LayoutWorld

from fencepost.reference.kernel.crash import Crash
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import LayoutRefused
from fencepost.reference.scalable.layout_crash_points import CRASH_POINTS
from fencepost.reference.scalable.layout_flaws import flaws
from fencepost.reference.scalable.layout_records import MalformedLayout
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.names import parse_segment, segment_topic
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.scalable_profile import ScalableProfile

Act = Callable[[ScalableTopics], None]

COMPLETED = ("before-terminate", "after-terminate", "after-layout", "after-told")
"""The crash points from which on a parent may be sealed, so that the change is completed; before them it is undone."""


def split(broker: ScalableTopics) -> None:
    """The first segment of a topic of two."""
    broker.split(TOPIC, 0)


def merge(broker: ScalableTopics) -> None:
    """Both segments of a topic of two."""
    broker.merge(TOPIC, (0, 1))


CHANGES = pytest.mark.parametrize("change", [split, merge])


@pytest.fixture
def world() -> LayoutWorld:
    return _made()


def _made() -> LayoutWorld:
    made = LayoutWorld()
    made.brokers[1].create(TOPIC, 2)
    made.brokers[1].register(TOPIC, "workers")
    return made


def _assert_whole(world: LayoutWorld) -> None:
    """No change is left half done: no note, no topic of a segment outside the layout, and the layout's sealed segments are sealed."""
    assert world.store.note(TOPIC) is None
    assert flaws(world.layout) == []
    assert set(world.segments.messages) == world.names(*world.layout.segments.values())
    assert world.segments.sealed == world.names(*world.layout.sealed)
    assert all(found == {"workers"} for found in world.segments.subscriptions.values())


# --- a controller that dies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", CRASH_POINTS)
@CHANGES
def test_a_crash_leaves_what_the_next_controller_completes_or_undoes(world: LayoutWorld, change: Act, point: str) -> None:
    """Completed from the moment on from which a parent may be sealed; undone before it, without a child left over."""
    world.points.arm(point)
    with pytest.raises(Crash):
        change(world.brokers[1])
    world.crash(1)

    world.brokers[2].sweep()

    is_done = point in COMPLETED
    assert world.layout.epoch == int(is_done)
    assert len(world.reported) == (2 if point == "after-told" else int(is_done)) + 1, "one is of the creation"
    _assert_whole(world)
    if not is_done:
        change(world.brokers[2])
        assert world.layout.epoch == 1
        _assert_whole(world)


@CHANGES
def test_the_numbers_of_a_change_that_was_undone_are_not_given_again(world: LayoutWorld, change: Act) -> None:
    """A topic of that name may have existed, and a client may know it."""
    world.points.arm("after-children")
    with pytest.raises(Crash):
        change(world.brokers[1])
    made = set(world.segments.messages) - world.names(*world.layout.segments.values())
    change(world.brokers[1])

    assert {parse_segment(name).number for name in made}.isdisjoint(world.layout.segments)
    _assert_whole(world)


@pytest.mark.parametrize("first", CRASH_POINTS)
@pytest.mark.parametrize("second", CRASH_POINTS)
def test_a_controller_that_recovers_may_crash_as_well(world: LayoutWorld, first: str, second: str) -> None:
    """At any point; the third one completes or undoes it."""
    world.points.arm(first)
    with pytest.raises(Crash):
        split(world.brokers[1])
    world.crash(1)
    world.points.arm(second)
    with suppress(Crash):
        world.brokers[2].sweep()
    world.crash(2)

    world.brokers[1].sweep()

    assert world.layout.epoch == int(first in COMPLETED)
    _assert_whole(world)


def test_a_subscription_that_comes_during_a_change_is_on_the_children() -> None:
    """Whenever it was created on the parent, until that accepted no more."""
    for at in range(_calls(split)):
        world = _made()

        def subscribe(world: LayoutWorld = world) -> None:
            if segment_topic(TOPIC, world.layout.named(0)) not in world.segments.sealed:
                world.segments.create(world.name(0), ["late"])

        world.between.arm(at, subscribe)
        split(world.brokers[1])
        expected = {"workers"} | world.segments.subscriptions[world.name(0)]
        assert [world.segments.subscriptions[world.name(child)] for child in (2, 3)] == [expected] * 2, at


def test_a_release_gives_the_children_what_is_registered_and_nothing_else() -> None:
    """Not a subscription of the parent alone."""
    world = LayoutWorld(ScalableProfile.load("pulsar-5.0"))
    world.brokers[1].create(TOPIC, 2)
    world.brokers[1].register(TOPIC, "workers")
    world.segments.create(world.name(0), ["alone"])
    split(world.brokers[1])
    assert [world.segments.subscriptions[world.name(child)] for child in (2, 3)] == [{"workers"}] * 2


# --- two controllers ------------------------------------------------------------------------------------------------------------


def _calls(change: Act) -> int:
    """The number of a change's calls of store and segments, so that a test can act before each."""
    world = _made()
    world.between.arm(-1, lambda: None)
    change(world.brokers[1])
    return world.between.calls


def _replace(world: LayoutWorld, *acts: Act) -> None:
    """The first controller's session ends, which it does not know; the second one leads, and makes these changes."""
    world.brokers[1].close()
    for act in (lambda broker: broker.controller_of(TOPIC), *acts):
        act(world.brokers[2])


OTHERS = {
    "leads": (),
    "makes the same change": (split,),
    "makes another change": (lambda broker: broker.split(TOPIC, 1),),
    "makes one over both": (merge,),
    "makes two": (lambda broker: broker.split(TOPIC, 1), lambda broker: broker.merge(TOPIC, broker.layout(TOPIC).named(1).children)),
    "prunes": (lambda broker: broker.sweep(),),
}


def _error(act: Act, broker: ScalableTopics) -> ServerError | LayoutRefused | None:
    try:
        act(broker)
    except CommandRefused as refused:
        return refused.error
    except LayoutRefused as refused:
        return refused
    return None


@pytest.mark.parametrize("other", OTHERS)
@CHANGES
def test_of_two_controllers_at_once_no_change_is_lost_or_half_made(change: Act, other: str) -> None:
    """Before any call of the first one the second one may act: the layout has exactly the changes that were answered. The overtaken one has
    either ended before, or fails, and then its change is completed or undone.
    """
    for at in range(_calls(change)):
        world = _made()
        answered: list[str] = []

        def come(world: LayoutWorld = world, answered: list[str] = answered) -> None:
            with suppress(LayoutRefused):  # the first one's change may leave the second one nothing to do
                _replace(world)
                for act in OTHERS[other]:
                    before = world.layout.epoch
                    act(world.brokers[2])
                    answered += ["second"] * (world.layout.epoch - before)

        world.between.arm(at, come)
        error = _error(change, world.brokers[1])
        assert error in (None, ServerError.SERVICE_NOT_READY) or (isinstance(error, LayoutRefused) and answered), at
        answered += ["first"] * (error is None)
        _assert_whole(world)
        assert world.layout.epoch - len(answered) in ((0,) if error is None else (0, 1)), at


@CHANGES
def test_a_topic_that_is_deleted_during_a_change_leaves_nothing(change: Act) -> None:
    """Before any call of the change: neither topics of segments nor records, except that of the leader, until its session ends."""
    for at in range(_calls(change)):
        world = _made()
        world.between.arm(at, lambda world=world: _replace(world, lambda broker: broker.delete(TOPIC)))
        with pytest.raises(CommandRefused) as refused:
            change(world.brokers[1])
        assert refused.value.error in (ServerError.SERVICE_NOT_READY, ServerError.TOPIC_NOT_FOUND), at
        world.crash(1)
        world.crash(2)
        assert (world.segments.messages, world.records) == ({}, []), at


def test_a_note_that_was_left_behind_by_a_deleted_topic_goes() -> None:
    """With its children, by a sweep, or when a topic of that name is created again."""
    note = ChangeNote(parents=(0,), children=(2, 3), ranges=((0, 9), (10, 19)), subscriptions=(), step="sealing")
    for clear in (lambda broker: broker.sweep(), lambda broker: broker.create(TOPIC, 2)):
        world = LayoutWorld()
        world.store.put_note(TOPIC, note)
        world.segments.create("segment://public/default/orders/0000-0009-2", ())
        clear(world.brokers[2])
        assert world.store.note(TOPIC) is None
        assert world.segments.messages == {}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"{", "Invalid JSON"),
        (b"{}", "Field required"),
        (b'{"parents": [0], "children": [2, 3], "ranges": [[0, 9]], "subscriptions": []}', "children with a range each"),
        (b'{"parents": [], "children": [], "ranges": [], "subscriptions": []}', "expected parents"),
        (b'{"parents": [7], "children": [2], "ranges": [[0, 9]], "subscriptions": [], "step": "sealing"}', "expected active segments"),
        (b'{"parents": [0], "children": [5], "ranges": [[0, 9]], "subscriptions": [], "step": "sealing"}', "numbers from 2 on"),
        (b'{"parents": [0], "children": [2], "ranges": [[0, 9]], "subscriptions": [], "step": "done"}', "making-children"),
    ],
)
def test_a_note_that_is_none_is_reported_and_changes_nothing(world: LayoutWorld, value: bytes, why: str) -> None:
    """One of another layout, of none, or no JSON: with its key, and what was expected."""
    world.connect().put(paths.change(TOPIC), value)
    before = world.layout

    with pytest.raises(MalformedLayout, match=paths.change(TOPIC)) as reported:
        split(world.brokers[1])

    assert why in str(reported.value)
    assert (world.layout, world.segments.sealed) == (before, set())
    _sweep_quietly(world)
    assert world.layout == before


def _sweep_quietly(world: LayoutWorld) -> None:
    """A sweep skips what cannot be read."""
    world.brokers[1].sweep()


def test_a_refused_change_leaves_no_trace(world: LayoutWorld) -> None:
    """A segment that is unknown, sealed or of one hash, and segments that are no neighbours."""
    broker = world.brokers[1]
    split(broker)
    for _ in range(14):
        broker.split(TOPIC, world.layout.active[0].number)
    before, topics = world.records, dict(world.segments.messages)
    acts = [
        lambda: split(broker),
        lambda: broker.split(TOPIC, 99),
        lambda: broker.split(TOPIC, world.layout.active[0].number),
        lambda: broker.merge(TOPIC, (world.layout.active[0].number, 1)),
        lambda: broker.merge(TOPIC, (1, 1)),
    ]
    for refused in acts:
        with pytest.raises(LayoutRefused, match=r"expected|only|split one with two"):
            refused()

    assert (world.records, world.segments.messages) == (before, topics)


# --- any order of all of it -----------------------------------------------------------------------------------------------------


class Machine(RuleBasedStateMachine):
    """Producers write to the active segments of the layout, while segments are split, merged, pruned, and controllers crash."""

    def __init__(self) -> None:
        super().__init__()
        self.world = LayoutWorld()
        self.accepted: list[int] = []
        self.parent_of_message: dict[int, str] = {}

    @initialize(segments=integers(1, 4))
    def create(self, segments: int) -> None:
        self.world.brokers[1].create(TOPIC, segments)
        self.world.brokers[1].register(TOPIC, "workers")

    @rule(given=data(), broker=sampled_from((1, 2)), point=sampled_from((None, *CRASH_POINTS)))
    def change(self, given: DataObject, broker: int, point: str | None) -> None:
        active = self.world.layout.active
        at = given.draw(integers(0, len(active) - 1))
        is_split = given.draw(sampled_from((True, False)))
        if point:
            self.world.points.arm(point)
        try:
            leader = self.world.brokers[self.world.brokers[broker].controller_of(TOPIC)]
            if is_split:
                leader.split(TOPIC, active[at].number)
            else:
                leader.merge(TOPIC, [one.number for one in active[at : at + 2]])
        except Crash as crash:
            self.world.crash(crash.node)
        except LayoutRefused:
            pass

    @rule(given=data())
    def write(self, given: DataObject) -> None:
        segment = given.draw(sampled_from(self.world.layout.active))
        message = len(self.parent_of_message)
        name = segment_topic(TOPIC, segment)
        self.parent_of_message[message] = name
        if self.world.segments.write(name, message):
            self.accepted.append(message)

    @rule()
    @precondition(lambda self: self.world.layout.sealed)
    def drain_and_wait(self) -> None:
        gone = self.world.layout.sealed[0]
        name = segment_topic(TOPIC, gone)
        self.world.segments.acknowledged.add((name, "workers"))
        self.accepted = [message for message in self.accepted if self.parent_of_message[message] != name]
        self.world.now += SEED.sealed_retention_ms

    @rule()
    def sweep(self) -> None:
        for number in (1, 2, 1, 2):  # the first two may crash in the unfinished change
            try:
                self.world.brokers[number].sweep()
            except Crash as crash:
                self.world.crash(crash.node)
        parents_of_active = set(self.world.segments.messages) - self.world.names(*self.world.layout.segments.values())
        assert parents_of_active == set(), "a child of a change that was undone, or a pruned segment, is still there"

    @invariant()
    def nothing_is_lost_or_there_twice(self) -> None:
        stored = list(self._readable())
        assert len(stored) == len(set(stored))
        assert set(self.accepted) <= set(stored)

    @invariant()
    def the_layout_is_sound(self) -> None:
        if (layout := self.world.brokers[1].find(TOPIC)) is not None:
            assert flaws(layout) == []
            for name in self.world.segments.sealed:
                assert parse_segment(name).number in layout.segments

    def _readable(self) -> Iterator[int]:
        return chain.from_iterable(self.world.segments.messages.values())


TestMachine = Machine.TestCase
TestMachine.settings = settings(stateful_step_count=30)
