"""The machine that a node runs on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .clock import FIRST_NODE, Clock
from .crash import CrashPoints
from .journal import Disk
from .network import Network


@dataclass(frozen=True)
class Machine:
    """What exists before a node starts and after it has crashed.

    The nodes of a broker share clock, network and disk, which represents everything that a cluster stores. Timers and sent messages belong
    to a node, and end with it.
    """

    clock: Clock
    disk: Disk
    network: Network
    crash_points: CrashPoints
    node: int = FIRST_NODE
    """The number of the node."""
    next_actions: list[tuple[int, Callable[[], None]]] = field(default_factory=list)
    """What the nodes of the broker do next by themselves, each with its node."""

    def every(self, period: int, action: Callable[[], None]) -> Callable[[], None]:
        """Run the action each `period` ms, until the node crashes or the returned function is called."""
        return self.clock.every(period, action, self.node)

    def send(self, content: object, receive: Callable[[Any], None], lost: Callable[[Any], None] = lambda _: None) -> None:
        """Send something to another part of the broker, which may be on another node."""
        self.network.send(content, receive, lost, self.node)

    def do_next(self, action: Callable[[], None]) -> None:
        """Do something on this node as soon as it has finished its current work, before it serves another request."""
        self.next_actions.append((self.node, action))
