"""A container with one broker, for as long as this process lives.

Its ports on this machine are fixed before the start, because a broker advertises them and they must be the same after a restart. Fencepost
does not use testcontainers' own reaper, which is a separate image to pull: each container has its owner in a label, and every start removes
the containers and networks whose owner has ended.

This module imports testcontainers and Docker's client, so other modules import it only when a container is needed.
"""

import contextlib
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol, TypeVar

import docker  # type: ignore[import-untyped]  # it has no types
from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from fencepost.contract.evidence import SetUpFailed

from . import container_image, owners
from .address import LOOPBACK
from .genuine import ImageName
from .node_logs import MOST_BYTES

_LOG_LINES = 30
_KEPT_LINES = 2_000
"""How much of the log of a removed container is kept: the broker of a single scenario is gone when the scenario is found red."""
_STOPS_WITHIN_S = 60
_KILLED = 128 + 9
"""The exit code of a process that Docker has killed with SIGKILL."""


class BrokerContainer(DockerContainer):
    """A container whose ports are the same inside and on this machine's loopback address."""

    name = "broker"
    """The name of its log."""

    def __init__(self, image: str, environment: Mapping[str, str], ports: tuple[int, ...], user: str | None = None) -> None:
        self._kept = ""
        testcontainers_config.ryuk_disabled = True
        super().__init__(image, env=dict(environment), labels={owners.LABEL: owners.this_process()}, user=user)
        # testcontainers' own type knows only a number, which Docker would bind on every address of this machine.
        self.ports = {f"{port}/tcp": (LOOPBACK, port) for port in ports}  # type: ignore[misc]

    def kill(self) -> None:
        """End the broker's process at once, as a power cut does; its disk stays."""
        container = self.get_wrapped_container()
        container.kill("SIGKILL")
        container.wait()

    def shut_down(self) -> None:
        """Have the broker's process end by itself; its disk stays. Raises SetUpFailed if it has to be killed after all."""
        container = self.get_wrapped_container()
        container.stop(timeout=_STOPS_WITHIN_S)
        if container.wait()["StatusCode"] == _KILLED:
            raise SetUpFailed(f"the broker did not stop within {_STOPS_WITHIN_S} s of SIGTERM, and was killed")

    def start_again(self) -> None:
        """Start the container whose process has ended."""
        self.get_wrapped_container().start()

    def is_running(self) -> bool:
        self.reload()
        return self.status == "running"

    def last_lines(self) -> str:
        """The end of what the broker wrote."""
        logged: bytes = self.get_wrapped_container().logs(tail=_LOG_LINES)
        return logged.decode(errors="replace").rstrip()

    @property
    def logs(self) -> "tuple[BrokerContainer]":
        """Its log, which it reads itself."""
        return (self,)

    def now(self) -> float:
        """The time, by which Docker finds a position in a log."""
        return time.time()

    def between(self, began: float, ended: float) -> str:
        """What the broker wrote between two times; only the end if it is much."""
        lines = (line.partition(" ") for line in (self._kept or self._with_times("all", began)).splitlines())
        return "\n".join(text for written, _, text in lines if began <= _seconds(written) <= ended)[-MOST_BYTES:]

    def stop(self, force: bool = True, delete_volume: bool = True) -> None:
        """Remove it. The end of its log is kept."""
        if self._container:
            self._kept = self._with_times(_KEPT_LINES)
        super().stop(force, delete_volume)

    def _with_times(self, tail: int | str, since: float | None = None) -> str:
        """Lines of the log, each after its time; none if Docker does not answer."""
        with contextlib.suppress(DockerException, OSError):
            logged: bytes = self.get_wrapped_container().logs(tail=tail, since=since or None, timestamps=True)
            return logged.decode(errors="replace")
        return ""


class Startable(Protocol):
    """A container, or several that belong together."""

    def start(self) -> object:
        """Start it. Raises Docker's errors."""
        ...

    def stop(self) -> None:
        """Remove it."""
        ...


S = TypeVar("S", bound=Startable)


def started(image: str, make: Callable[[], S], instead: str, waits_for: Callable[[str], None]) -> S:
    """Start what `make` makes and return at once; it will serve later. `waits_for` is called with what takes time.

    Raises SystemUnreachable, which ends with `instead`, an alternative.
    """
    made: S | None = None
    container_image.have(image, waits_for, instead)
    waits_for("Docker to start its container")
    try:
        _sweep()
        made = make()
        made.start()
    except BaseException as error:
        if made is not None:
            with contextlib.suppress(DockerException, OSError):
                made.stop()
        if not isinstance(error, DockerException | OSError):
            raise
        raise container_image.not_started(image, error, instead) from error
    return made


def digest_of(name: str) -> str | None:
    """The digest of a local image: the one that its repository gave it, else its own id. None if Docker does not report it."""
    with contextlib.suppress(DockerException, OSError), contextlib.closing(docker.from_env()) as client:
        image = client.images.get(name)
        return repository_digest(name, image.attrs.get("RepoDigests") or []) or str(image.id)
    return None


def repository_digest(name: str, known: list[str]) -> str | None:
    """An image's digest at the repository in its name, of those such as `apache/kafka@sha256:...`; else the first."""
    own = ImageName.of(name).repository
    by_repository = sorted((ImageName.of(one).repository != own, one.partition("@")[2]) for one in known)
    return by_repository[0][1] if by_repository else None


def make_network() -> str:
    """A network for containers that belong together, by its name."""
    name = f"fencepost-{secrets.token_hex(6)}"
    with contextlib.closing(docker.from_env()) as client:
        client.networks.create(name, labels={owners.LABEL: owners.this_process()})
    return name


def remove_network(name: str) -> None:
    """Remove a network, which must have no containers any more."""
    with contextlib.closing(docker.from_env()) as client:
        client.networks.get(name).remove()


def _seconds(written: str) -> float:
    """The time before a line of a log, such as 2026-11-27T10:11:12.123456789Z; 0 if there is none, as in the rest of a broken line."""
    try:
        return datetime.fromisoformat(written).timestamp()
    except ValueError:
        return 0.0


def _sweep() -> None:
    """Remove what killed processes of fencepost left behind; a network only if it is empty."""
    with contextlib.closing(docker.from_env()) as client:
        mine = {"label": owners.LABEL}
        # Another run may remove one of its containers between the list and the look at it.
        for left in client.containers.list(all=True, filters=mine, ignore_removed=True):
            if owners.is_gone(left.labels[owners.LABEL]):
                # Another run may sweep at the same moment.
                with contextlib.suppress(DockerException):
                    left.remove(force=True, v=True)
        for network in client.networks.list(filters=mine):
            if owners.is_gone(network.attrs["Labels"][owners.LABEL]):
                with contextlib.suppress(DockerException):
                    network.remove()
