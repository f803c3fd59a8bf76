"""The containers of one cluster: a node each and, where there are several, a network between them.

They are started one by one, perhaps in another thread than the one that stops them: what is stopped starts no more.

Like `container`, this module is imported only where containers are really wanted.
"""

import contextlib
import threading
from collections.abc import Callable

from docker.errors import DockerException  # type: ignore[import-untyped]  # it has none

from fencepost.adapters.common.containers import make_network, remove_network, started
from fencepost.contract.errors import SystemUnreachable, WrongUsage

from .container import KafkaContainer
from .login import Passwords
from .settings import kafka_settings


class KafkaNodes:
    """The nodes of a cluster of that image, numbered from 1 on. The first is there from the start, and is what can be killed."""

    def __init__(self, image: str, configuration: str, passwords: Passwords) -> None:
        self.count = kafka_settings().nodes(configuration)
        self._image = image
        self._configuration = configuration
        self._passwords = passwords
        self._network: str | None = None
        self._containers: list[KafkaContainer] = []
        self._is_stopped = False
        self._lock = threading.Lock()

    @property
    def first(self) -> KafkaContainer:
        """Node 1."""
        return self._containers[0]

    def node(self, number: int) -> KafkaContainer:
        """The node with that number. Raises WrongUsage where there is none."""
        if not 0 < number <= len(self._containers):
            raise WrongUsage(f"there is no node {number}; configuration {self._configuration} has {len(self._containers)}")
        return self._containers[number - 1]

    def kill(self) -> None:
        """End node 1 at once, as a power cut does; its disk stays."""
        self.first.kill()

    def shut_down(self) -> None:
        """Have node 1 stop by itself; its disk stays. Raises SetUpFailed where it does not."""
        self.first.shut_down()

    def start_again(self) -> None:
        """Start node 1 again."""
        self.first.start_again()

    def is_running(self) -> bool:
        """Whether node 1 runs."""
        return self.first.is_running()

    def are_running(self) -> bool:
        """Whether no container has ended, nor is paused."""
        return all(container.is_running() for container in self._containers)

    def last_lines(self) -> str:
        """The end of what each node wrote."""
        return "\n".join(container.last_lines() for container in self._containers)

    def start(self) -> None:
        """Start node 1. Raises Docker's errors."""
        if self.count > 1:
            self._network = make_network()
        self._start(1)

    def start_others(self) -> None:
        """Start the others. Raises SystemUnreachable."""
        for number in range(2, self.count + 1):
            try:
                self._start(number)
            except (DockerException, OSError) as error:
                raise SystemUnreachable(
                    f"Docker started node 1 of {self._image}, configuration {self._configuration}, and not node {number}: {error}"
                ) from error

    def stop(self) -> None:
        """Remove all that was started."""
        with self._lock, contextlib.ExitStack() as ending:
            self._is_stopped = True
            if self._network is not None:
                ending.callback(remove_network, self._network)
            for container in self._containers:
                ending.callback(container.stop)

    def _start(self, number: int) -> None:
        with self._lock:
            if not self._is_stopped:
                container = KafkaContainer(self._image, self._configuration, self._passwords, number, self._network)
                # Kept before it starts, for it may be made and then not start.
                self._containers.append(container)
                container.start()


def start(image: str, configuration: str, passwords: Passwords, waits_for: Callable[[str], None]) -> KafkaNodes:
    """Start the first node of a cluster and return at once; it will serve later. Raises SystemUnreachable."""
    instead = "A broker that is already running can be used with --bootstrap HOST:PORT."
    return started(image, lambda: KafkaNodes(image, configuration, passwords), instead, waits_for)
