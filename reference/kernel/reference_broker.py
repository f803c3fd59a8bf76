"""A broker's life: its nodes start, crash at any moment or at a named place of their code, and restart with what is on disk.

Nothing happens between the calls. What is in flight, such as the end of a transaction for a participant, arrives at the next request or
when time passes, so a crash right after an answer finds it undelivered. A node that is down answers nothing, and time passes all the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from .clock import FIRST_NODE, START, Clock
from .crash import Crash, CrashPoints
from .journal import Disk
from .machine import Machine
from .network import Network
from .rules import EXERCISED

Node = TypeVar("Node")
T = TypeVar("T")


class ReferenceBroker(ABC, Generic[Node]):
    """Nodes that start and crash independently, on one clock, one network and one disk. A subclass has the protocol, and starts them."""

    raises = True
    """Whether an error in its own code is raised, as a bug of ours; a broker that goes on ends the connection without an answer."""

    def __init__(
        self, network: type[Network], crash_points: Mapping[str, str], disk: Disk | None = None, now_ms: int = START, nodes: int = 1
    ) -> None:
        clock = Clock(now_ms)
        first = self._machine = Machine(clock, disk or Disk(), network(clock), CrashPoints(crash_points))
        self._machines = {
            number: replace(first, crash_points=first.crash_points.of_node(number), node=number)
            for number in range(FIRST_NODE, FIRST_NODE + nodes)
        }
        self._nodes: dict[int, Node] = {}
        """The nodes that are up."""
        self._exercised: set[str] = set()

    @abstractmethod
    def start_node(self, machine: Machine) -> Node:
        """A new life of the node that runs on this machine, from what is on disk."""

    def node_stops(self, node: Node) -> None:
        """What a node does last in a clean stop."""

    def node_crashed(self, number: int) -> None:
        """A node is down: what else ends with it."""

    def before_delivery(self) -> None:
        """Put into the network what comes from elsewhere."""

    @property
    def has_something_to_deliver(self) -> bool:
        """Whether something may have to arrive before the next request."""
        return not self._machine.network.is_quiet or bool(self._machine.next_actions)

    def run(self, act: Callable[[Node], T], number: int = FIRST_NODE) -> T | None:
        """Run something as a node; what is in flight arrives first. None while the node is down, or when it crashes during that."""
        self._deliver()
        node = self._nodes.get(number)
        answers = [] if node is None else self._until_a_crash(lambda: act(node))
        return answers[0] if answers else None

    def notify(self, act: Callable[[], T]) -> list[T]:
        """Get what a node has for a client, for which nothing has to arrive; nothing if its code fails."""
        return self._until_a_crash(act)

    def advance(self, ms: float) -> None:
        """Let that many milliseconds pass. What is due within them happens in its order."""
        end = self.now_ms + int(ms)

        def passes() -> None:
            for _ in self._machine.clock.pass_until(end):
                self._arrive()

        while not self._until_a_crash(passes):
            pass  # A node has crashed: the rest of the time passes without its timers.

    def crash(self, number: int | None = None) -> None:
        """Crash a node, or all: everything that is not in a journal is lost, and it is down."""
        for one in self._machines if number is None else (number,):
            self._nodes.pop(one, None)
            self._machine.clock.stop_timers(one)
            self._machine.network.lose_all(one)
            self._machine.next_actions[:] = [(node, action) for node, action in self._machine.next_actions if node != one]
            self.node_crashed(one)

    def stop(self) -> None:
        """Stop all nodes cleanly: each writes what it wants to keep. What is in flight then is lost."""
        for node in list(self._nodes.values()):
            self._until_a_crash(partial(self.node_stops, node))
        self.crash()

    def restart(self, number: int | None = None) -> None:
        """Start a node, or all that are down. What was decided and is not complete is sent to its participants again."""
        for one, machine in self._machines.items():
            if one not in self._nodes and number in (None, one):
                for node in self._until_a_crash(partial(self.start_node, machine)):
                    self._nodes[one] = node

    def crash_at(self, point: str, number: int | None = None) -> None:
        """Crash the node that is next to reach this crash point, or that node when it does; clients that wait for an answer get none."""
        self._machine.crash_points.arm(point, number)

    @property
    def is_up(self) -> bool:
        """Whether all of its nodes are up."""
        return len(self._nodes) == len(self._machines)

    @property
    def now_ms(self) -> int:
        """The virtual time, in milliseconds since 1970."""
        return self._machine.clock.now

    @property
    def network(self) -> Network:
        """The way from coordinators to participants, for scenarios that hold, drop or duplicate what is in flight."""
        return self._machine.network

    @property
    def exercised(self) -> frozenset[str]:
        """The requirements whose branches were taken so far, in all lives of all nodes."""
        return frozenset(self._exercised)

    def _deliver(self) -> None:
        while self.has_something_to_deliver and not self._until_a_crash(self._arrive):
            pass  # A node has crashed during a delivery: the rest arrives.

    def _arrive(self) -> None:
        self.before_delivery()
        self._machine.network.deliver()
        while self._machine.next_actions:
            _, action = self._machine.next_actions.pop(0)
            action()

    def _until_a_crash(self, act: Callable[[], T]) -> list[T]:
        """Run the broker's code, and record the rules that it fulfils; returns its result, or nothing if a node crashes.

        Every request and every moment of the clock passes here, so it is a function: a generator as a context costs more than most acts.
        """
        before = EXERCISED.set(self._exercised)
        try:
            return [act()]
        except Crash as crash:
            self.crash(crash.node)
        except Exception:
            if self.raises:
                raise
        finally:
            EXERCISED.reset(before)
        return []
