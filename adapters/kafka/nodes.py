"""The nodes of one cluster, each a container or a process, numbered from 1; node 1 can be killed.

They are started one by one, perhaps in another thread than the one that stops them: after `stop` no node starts any more.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.node_logs import NodeLog
from fencepost.contract.errors import WrongUsage


class ListeningNode(Protocol):
    """One node, which listens at `address` when it serves."""

    @property
    def address(self) -> Address:
        """Its address on this machine."""
        ...

    @property
    def logs(self) -> Sequence[NodeLog]:
        """The logs that it wrote."""
        ...

    def start(self) -> object:
        """Start it, with a new disk."""
        ...

    def kill(self) -> None:
        """End its process at once, as a power cut does; its disk stays."""
        ...

    def shut_down(self) -> None:
        """Have its process end by itself; its disk stays. Raises SetUpFailed if it does not end."""
        ...

    def start_again(self) -> None:
        """Start it on the disk that it had."""
        ...

    def pause(self) -> None:
        """Let it do nothing and answer no client; its connections stay."""
        ...

    def resume(self) -> None:
        """Let it continue."""
        ...

    def is_running(self) -> bool:
        """Whether its process has not ended."""
        ...

    def last_lines(self) -> str:
        """The end of what it wrote."""
        ...

    def stop(self) -> None:
        """Remove it, with its disk."""
        ...


class KafkaNodes:
    """The nodes of a cluster with that configuration, made by their numbers. The first exists when it has been started."""

    def __init__(self, configuration: str, count: int, make: Callable[[int], ListeningNode]) -> None:
        self.count = count
        self._configuration = configuration
        self._make = make
        self._nodes: list[ListeningNode] = []
        self._is_stopped = False
        self._lock = threading.Lock()

    @property
    def all(self) -> tuple[ListeningNode, ...]:
        """The nodes that were started."""
        return tuple(self._nodes)

    @property
    def first(self) -> ListeningNode:
        """Node 1."""
        return self._nodes[0]

    def node(self, number: int) -> ListeningNode:
        """The node with that number. Raises WrongUsage if there is none."""
        if not 0 < number <= len(self._nodes):
            raise WrongUsage(f"there is no node {number}; configuration {self._configuration} has {len(self._nodes)}")
        return self._nodes[number - 1]

    def kill(self) -> None:
        """End node 1 at once, as a power cut does; its disk stays."""
        self.first.kill()

    def shut_down(self) -> None:
        """Have node 1 stop by itself; its disk stays. Raises SetUpFailed if it does not."""
        self.first.shut_down()

    def start_again(self) -> None:
        """Start node 1 again."""
        self.first.start_again()

    def is_running(self) -> bool:
        """Whether node 1 runs."""
        return self.first.is_running()

    def are_running(self) -> bool:
        """Whether all nodes run; a paused container does not count as running."""
        return all(node.is_running() for node in self._nodes)

    def last_lines(self) -> str:
        """The end of what each node wrote."""
        return "\n".join(node.last_lines() for node in self._nodes)

    @property
    def logs(self) -> tuple[NodeLog, ...]:
        """The logs of all nodes that were started."""
        return tuple(log for node in self._nodes for log in node.logs)

    def start(self) -> None:
        """Start node 1. Raises the errors of its container or process."""
        self.start_node(1)

    def start_others(self) -> None:
        """Start the other nodes. Raises SystemUnreachable."""
        for number in range(2, self.count + 1):
            self.start_node(number)

    def start_node(self, number: int) -> None:
        """Start the next node."""
        with self._lock:
            if not self._is_stopped:
                node = self._make(number)
                # Kept before it starts, so that `stop` removes it if the start fails.
                self._nodes.append(node)
                node.start()

    def stop(self) -> None:
        """Remove all nodes that were started; later ones do not start."""
        with self._lock, contextlib.ExitStack() as ending:
            self._is_stopped = True
            self.on_stopped(ending)
            for node in self._nodes:
                ending.callback(node.stop)

    def on_stopped(self, ending: contextlib.ExitStack) -> None:
        """Release what a subclass has in addition to the nodes; `ending` runs it after them."""
