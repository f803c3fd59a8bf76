"""The containers of one cluster: a node each and, where there are several, a network between them.

Everything carries its owner in a label, the network too. They are started one by one, perhaps in another thread than the one that stops
them: what is stopped starts no more.

Like `container`, this module is imported only where containers are really wanted.
"""

import contextlib
import secrets
import threading

import docker  # type: ignore[import-untyped]  # it has none
from docker.errors import DockerException  # type: ignore[import-untyped]

from fencepost.adapters import owners
from fencepost.contract.errors import SystemUnreachable, WrongUsage

from .container import KafkaContainer
from .login import Passwords
from .settings import kafka_settings


class KafkaNodes:
    """The nodes of a cluster of that image, numbered from 1 on."""

    def __init__(self, image: str, purpose: str, passwords: Passwords) -> None:
        self.count = kafka_settings().nodes(purpose)
        self._image = image
        self._purpose = purpose
        self._passwords = passwords
        self._network: str | None = None
        self._containers: list[KafkaContainer] = []
        self._is_stopped = False
        self._lock = threading.Lock()

    @property
    def first(self) -> KafkaContainer:
        """The node that is there from the start."""
        return self._containers[0]

    def node(self, number: int) -> KafkaContainer:
        """The node with that number."""
        if not 0 < number <= len(self._containers):
            raise WrongUsage(f"there is no node {number}; the broker for {self._purpose} has {len(self._containers)}")
        return self._containers[number - 1]

    def are_running(self) -> bool:
        """Whether no container has ended, nor is paused."""
        return all(container.is_running() for container in self._containers)

    def last_lines(self) -> str:
        """The end of what each node wrote."""
        return "\n".join(container.last_lines() for container in self._containers)

    def start_first(self) -> None:
        """Start node 1. Raises Docker's errors."""
        if self.count > 1:
            self._network = _make_network()
        self._start(1)

    def start_others(self) -> None:
        """Start the others. Raises SystemUnreachable."""
        for number in range(2, self.count + 1):
            try:
                self._start(number)
            except (DockerException, OSError) as error:
                raise SystemUnreachable(
                    f"Docker started node 1 of {self._image} for {self._purpose}, and not node {number}: {error}"
                ) from error

    def stop(self) -> None:
        """Remove all that was started."""
        with self._lock, contextlib.ExitStack() as ending:
            self._is_stopped = True
            if self._network is not None:
                ending.callback(_remove_network, self._network)
            for container in self._containers:
                ending.callback(container.stop)

    def _start(self, number: int) -> None:
        with self._lock:
            if not self._is_stopped:
                container = KafkaContainer(self._image, self._purpose, self._passwords, number, self._network)
                # Noted before it starts, for it may be made and then not start.
                self._containers.append(container)
                container.start()


def start(image: str, purpose: str, passwords: Passwords) -> KafkaNodes:
    """Start the first node of a cluster and return at once; it will serve later. Raises SystemUnreachable."""
    nodes = KafkaNodes(image, purpose, passwords)
    try:
        _sweep()
        nodes.start_first()
    except BaseException as error:
        with contextlib.suppress(DockerException, OSError):
            nodes.stop()
        if not isinstance(error, DockerException | OSError):
            raise
        raise SystemUnreachable(
            f"Docker did not start a container of {image}: {error}. Is Docker running, may this user use it, and does the image exist? "
            "A broker that is already running can be used with --bootstrap HOST:PORT."
        ) from error
    return nodes


def _make_network() -> str:
    name = f"fencepost-{secrets.token_hex(6)}"
    with contextlib.closing(docker.from_env()) as client:
        client.networks.create(name, labels={owners.LABEL: owners.this_process()})
    return name


def _remove_network(name: str) -> None:
    with contextlib.closing(docker.from_env()) as client:
        client.networks.get(name).remove()


def _sweep() -> None:
    """Remove what a process of fencepost left behind when it was killed; a network only when nothing is in it any more."""
    with contextlib.closing(docker.from_env()) as client:
        mine = {"label": owners.LABEL}
        for left in client.containers.list(all=True, filters=mine):
            if owners.is_gone(left.labels[owners.LABEL]):
                # Another start may sweep at the same moment.
                with contextlib.suppress(DockerException):
                    left.remove(force=True, v=True)
        for network in client.networks.list(filters=mine):
            if owners.is_gone(network.attrs["Labels"][owners.LABEL]):
                with contextlib.suppress(DockerException):
                    network.remove()
