"""Stream consumers join, are lost and reconnect while segments change and controllers crash: each segment has one reader."""

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import DataObject, data, integers, sampled_from
from stream_consumers import GRACE, TOPIC, World

from fencepost.reference.scalable.assigning import readable
from fencepost.reference.scalable.sessions import ConsumerSession


class Machine(RuleBasedStateMachine):
    """Consumers of one subscription join, are lost and reconnect, while segments change and controllers crash."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.connected: dict[str, ConsumerSession] = {}
        self.lost_at: dict[str, int] = {}

    @initialize(segments=integers(1, 4))
    def create(self, segments: int) -> None:
        self.world = World(segments)

    @rule(name=sampled_from(("a", "b", "c")))
    def join(self, name: str) -> None:
        was_there, others = name in self.world.registered, self.assigned()
        self.connected[name] = self.world.join(name)
        self.lost_at.pop(name, None)
        if was_there:
            others.pop(name, None)
            assert {other: held for other, held in self.assigned().items() if other in others} == others

    @rule(name=sampled_from(("a", "b", "c")))
    @precondition(lambda self: self.connected)
    def lose(self, name: str) -> None:
        if name in self.connected:
            others = self.assigned()
            self.connected.pop(name).close()
            self.lost_at[name] = self.world.now
            others.pop(name)
            assert self.assigned() == others

    @rule(ms=sampled_from((1, 1_000, GRACE // 2, GRACE)))
    def wait(self, ms: int) -> None:
        self.world.pass_by(ms)
        for name, lost in list(self.lost_at.items()):
            is_over = self.world.now >= lost + GRACE
            assert (name not in self.world.registered) == is_over
            if is_over:
                del self.lost_at[name]

    @rule()
    def crash(self) -> None:
        """From now on the controller waits for all registered consumers."""
        self.world.crash_leader()
        self.connected = {}
        self.lost_at = dict.fromkeys(self.world.registered, self.world.now)

    @rule(given=data())
    def change(self, given: DataObject) -> None:
        active = self.world.leader.topics.layout(TOPIC).active
        at = given.draw(integers(0, len(active) - 1))
        if given.draw(sampled_from((True, False))):
            self.world.segments.undrained.add(active[at].number)
            self.world.leader.topics.split(TOPIC, active[at].number)
        elif at > 0:
            parents = [one.number for one in active[at - 1 : at + 1]]
            self.world.segments.undrained.update(parents)
            self.world.leader.topics.merge(TOPIC, parents)

    @rule(given=data())
    @precondition(lambda self: self.world.segments.undrained)
    def drain(self, given: DataObject) -> None:
        self.world.segments.undrained.discard(given.draw(sampled_from(sorted(self.world.segments.undrained))))
        self.world.pass_by(0)

    def assigned(self) -> dict[str, list[int]]:
        """The last assignment of each connected consumer."""
        return {name: [one.number for one in session.assignment.segments] for name, session in self.connected.items() if session.assignment}

    @invariant()
    def segments_are_read_by_one(self) -> None:
        """By connected or awaited consumers; none reads a segment whose ancestors are not drained."""
        held = [number for numbers in self.assigned().values() for number in numbers]
        layout = self.world.leader.topics.layout(TOPIC)
        free = {one.number for one in readable(layout, lambda segment: segment.number not in self.world.segments.undrained)}
        assert len(held) == len(set(held))
        assert set(held) <= free
        if self.connected and self.connected.keys() == self.world.registered:
            assert set(held) == free


TestMachine = Machine.TestCase
TestMachine.settings = settings(stateful_step_count=30, deadline=None)
