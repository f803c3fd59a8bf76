"""A broker's life, node by node."""

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.reference.kernel.reference_broker import ReferenceBroker

SECOND = 2


class Counter:
    """A node that counts in memory and on the disk, and sends what a test wants."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.ticks = 0
        self.heard: list[str] = []
        self.stored = machine.disk.journal("stored")
        machine.every(10, self.tick)

    def tick(self) -> None:
        self.machine.crash_points.reach("at-a-tick")
        self.ticks += 1
        self.stored.append(self.machine.node)

    def send(self, text: str) -> None:
        self.machine.send(text, self.heard.append)


class Counters(ReferenceBroker[Counter]):
    """Two such nodes."""

    def __init__(self) -> None:
        super().__init__(Network, {"at-a-tick": "nothing is counted yet"}, nodes=2)
        self.down: list[int] = []
        self.restart()

    def start_node(self, machine: Machine) -> Counter:
        return Counter(machine)

    def node_crashed(self, number: int) -> None:
        self.down.append(number)

    def ticks(self) -> list[int | None]:
        return [self.run(lambda node: node.ticks, number) for number in (1, SECOND)]


def test_a_crash_takes_the_timers_and_the_memory_of_one_node_only() -> None:
    """The other node goes on; they share the disk, and a node that restarts begins to count from 0."""
    broker = Counters()
    broker.advance(20)

    broker.crash(SECOND)
    broker.advance(20)
    alone = broker.ticks()
    broker.restart(SECOND)
    broker.advance(10)

    assert (alone, broker.down) == ([4, None], [SECOND])
    assert broker.ticks() == [5, 1]
    assert broker.run(lambda node: list(node.stored)) == [1, 2, 1, 2, 1, 1, 1, 2]


def test_what_a_node_has_sent_ends_with_it() -> None:
    """What the other node has sent arrives."""
    broker = Counters()
    broker.run(lambda node: node.send("from the first"))
    broker.network.hold(lambda _: True)
    broker.run(lambda node: node.send("of the first again"))
    broker.run(lambda node: node.send("of the second"), SECOND)

    broker.crash()
    broker.restart(SECOND)
    broker.run(lambda node: node.send("of its second life"), SECOND)
    broker.network.release()

    assert broker.run(lambda node: node.heard, SECOND) == ["of its second life"]


def test_what_a_node_does_next_waits_for_no_network_and_ends_with_it() -> None:
    """It is done before the next request, also if no message arrives."""
    broker = Counters()
    broker.network.hold(lambda _: True)
    broker.run(lambda node: node.machine.do_next(lambda: node.heard.append("next")))
    assert broker.run(lambda node: list(node.heard)) == ["next"]

    broker.run(lambda node: node.machine.do_next(lambda: node.stored.append(100)))
    broker.crash(1)
    broker.restart(1)

    assert broker.run(lambda node: 100 in list(node.stored)) is False


def test_a_crash_of_one_node_leaves_what_the_other_has_sent() -> None:
    """It is in flight, and arrives."""
    broker = Counters()
    broker.run(lambda node: node.send("kept"))
    broker.run(lambda node: node.send("lost"), SECOND)

    broker.crash(SECOND)

    assert broker.run(lambda node: node.heard) == ["kept"]
    assert broker.network.in_flight == ()


def test_a_crash_point_in_a_timer_stops_that_node_and_no_time() -> None:
    """Timers of other nodes at the same moment run; the first node that reaches the point crashes, or the named one."""
    broker = Counters()
    broker.crash_at("at-a-tick", SECOND)
    broker.advance(30)
    assert broker.ticks() == [3, None]

    broker.crash_at("at-a-tick")
    broker.advance(30)
    assert (broker.is_up, broker.down) == (False, [SECOND, 1])
    assert broker.now_ms == Counters().now_ms + 60
