"""One node of an `apache/kafka` image in a container, for as long as this process lives.

The port on this machine is fixed before the start, because the broker advertises it and it must outlive a restart. The
container is not watched over by testcontainers' own reaper, which is an image of its own to pull: it carries its owner in a
label, and every start of nodes sweeps what belongs to nobody any more.

This module imports testcontainers and Docker's client, so it is itself imported only where a container is really wanted.
"""

import contextlib
import secrets
import socket
from typing import Any

from docker import __version__ as docker_version  # type: ignore[import-untyped]  # it has none
from docker.types import EndpointConfig  # type: ignore[import-untyped]
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from . import owners
from .login import Passwords
from .settings import kafka_settings
from .transport import Address

_LOG_LINES = 30
_PORTS = range(20_000, 30_000)
"""Below the range from which systems hand out ports to connections, so that none of these takes ours while the broker is down."""


class KafkaContainer(DockerContainer):
    """The container; `address` is where this machine reaches its broker."""

    def __init__(self, image: str, purpose: str, passwords: Passwords, node: int = 1, network: str | None = None) -> None:
        testcontainers_config.ryuk_disabled = True
        port = _free_port()
        self.address = Address("127.0.0.1", port)
        # As root inside: an image whose shipped configuration is read-only cannot be configured by its own user.
        environment = kafka_settings().environment(purpose, port, passwords, node)
        super().__init__(image, env=environment)
        self.with_kwargs(labels={owners.LABEL: owners.this_process()}, user="root", **_in(network, node))
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

    def pause(self) -> None:
        """Stop the broker's clock, so to speak: it does nothing and answers nobody, and its connections stay."""
        self.get_wrapped_container().pause()

    def resume(self) -> None:
        """Let the paused broker go on where it was."""
        self.get_wrapped_container().unpause()

    def is_running(self) -> bool:
        self.reload()
        return self.status == "running"

    def last_lines(self) -> str:
        """The end of what the broker wrote."""
        logged: bytes = self.get_wrapped_container().logs(tail=_LOG_LINES)
        return logged.decode(errors="replace").rstrip()


def _in(network: str | None, node: int) -> dict[str, Any]:
    """Docker's words for a place in that network, where the other nodes know this one by its number."""
    if network is None:
        return {}
    return {"network": network, "networking_config": {network: EndpointConfig(docker_version, aliases=[f"node-{node}"])}}


def _free_port() -> int:
    while True:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
