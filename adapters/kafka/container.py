"""One broker of an `apache/kafka` image in a container, for as long as this process lives.

The port on this machine is fixed before the start, because the broker advertises it and it must outlive a restart. The
container is not watched over by testcontainers' own reaper, which is an image of its own to pull: it carries its owner in a
label, and every start sweeps the containers whose owner is gone.

This module imports testcontainers and Docker's client, so it is itself imported only where a container is really wanted.
"""

import contextlib
import secrets
import socket

import docker  # type: ignore[import-untyped]  # it has none
from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from fencepost.adapters.ports import SystemUnreachable

from . import owners
from .login import Passwords
from .settings import kafka_settings
from .transport import Address

_LOG_LINES = 30
_PORTS = range(20_000, 30_000)
"""Below the range from which systems hand out ports to connections, so that none of these takes ours while the broker is down."""


class KafkaContainer(DockerContainer):
    """The container; `address` is where this machine reaches its broker."""

    def __init__(self, image: str, purpose: str, passwords: Passwords) -> None:
        testcontainers_config.ryuk_disabled = True
        port = _free_port()
        self.address = Address("127.0.0.1", port)
        # As root inside: an image whose shipped configuration is read-only cannot be configured by its own user.
        environment = kafka_settings().environment(purpose, port, passwords)
        super().__init__(image, env=environment, labels={owners.LABEL: owners.this_process()}, user="root")
        # testcontainers' own type knows only a number, which Docker would bind on every address of this machine.
        self.ports = {f"{port}/tcp": ("127.0.0.1", port)}  # type: ignore[dict-item]

    def kill(self) -> None:
        """End the broker's process at once, as a power cut does; its disk stays."""
        container = self.get_wrapped_container()
        container.kill("SIGKILL")
        container.wait()

    def start_again(self) -> None:
        """Start the container that was killed."""
        self.get_wrapped_container().start()

    def is_running(self) -> bool:
        self.reload()
        return self.status == "running"

    def last_lines(self) -> str:
        """The end of what the broker wrote."""
        logged: bytes = self.get_wrapped_container().logs(tail=_LOG_LINES)
        return logged.decode(errors="replace").rstrip()


def start(image: str, purpose: str, passwords: Passwords) -> KafkaContainer:
    """Start a broker and return at once; it will serve later. Raises SystemUnreachable."""
    container: KafkaContainer | None = None
    try:
        _sweep()
        container = KafkaContainer(image, purpose, passwords)
        return container.start()
    except (DockerException, OSError) as error:
        if container is not None:
            with contextlib.suppress(DockerException, OSError):
                container.stop()
        raise SystemUnreachable(
            f"Docker did not start a container of {image}: {error}. Is Docker running, may this user use it, and does the image exist? "
            "A broker that is already running can be used with --bootstrap HOST:PORT."
        ) from error


def _sweep() -> None:
    """Remove the containers that a process of fencepost left behind when it was killed."""
    client = docker.from_env()
    try:
        for left in client.containers.list(all=True, filters={"label": owners.LABEL}):
            if owners.is_gone(left.labels[owners.LABEL]):
                # Another start may sweep at the same moment.
                with contextlib.suppress(DockerException):
                    left.remove(force=True, v=True)
    finally:
        client.close()


def _free_port() -> int:
    while True:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
