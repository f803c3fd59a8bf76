"""One standalone broker of an `apachepulsar/pulsar` image in a container.

This module imports testcontainers and Docker's client, so it is itself imported only where a container is really wanted.
"""

from collections.abc import Callable
from typing import TypeAlias

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.containers import BrokerContainer, started

from .reach import Place

_COMMAND = "bin/apply-config-from-env.py conf/standalone.conf && exec bin/pulsar standalone -nss -nfw"
"""The standalone broker itself reads no variables: they are written into its configuration first."""


Environment: TypeAlias = Callable[[int, int], dict[str, str]]
"""The container's environment, when its broker and its admin interface are reached at these ports of this machine."""


class PulsarContainer(BrokerContainer):
    """The container; `place` is where this machine reaches its broker and its admin interface."""

    def __init__(self, image: str, environment: Environment) -> None:
        port, admin_port = free_port(), free_port()
        self.place = Place(Address(LOOPBACK, port), f"http://{LOOPBACK}:{admin_port}")
        super().__init__(image, environment(port, admin_port), (port, admin_port))
        self.with_command(["bash", "-c", _COMMAND])


def start(image: str, environment: Environment, waits_for: Callable[[str], None]) -> PulsarContainer:
    """Start a broker and return at once; it will serve later. Raises SystemUnreachable."""
    instead = "A broker that is already running can be used with --service-url pulsar://HOST:PORT --admin-url http://HOST:PORT."
    return started(image, lambda: PulsarContainer(image, environment), instead, waits_for)
