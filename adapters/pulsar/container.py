"""One standalone broker of an `apachepulsar/pulsar` image in a container.

This module imports testcontainers and Docker's client, so other modules import it only when a container is needed.
"""

from collections.abc import Callable
from typing import TypeAlias

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.containers import BrokerContainer, started

from .reach import ServiceUrls

_COMMAND = "bin/apply-config-from-env.py conf/standalone.conf && exec bin/pulsar standalone -nss -nfw"
"""The standalone broker itself reads no variables, so a script first writes them into its configuration."""


Environment: TypeAlias = Callable[[int, int], dict[str, str]]
"""The container's environment, whose broker and admin interface have these ports on this machine."""


class PulsarContainer(BrokerContainer):
    """The container; `place` has the addresses of its broker and its admin interface on this machine."""

    def __init__(self, image: str, environment: Environment) -> None:
        port, admin_port = free_port(), free_port()
        self.place = ServiceUrls(Address(LOOPBACK, port), f"http://{LOOPBACK}:{admin_port}")
        super().__init__(image, environment(port, admin_port), (port, admin_port))
        self.with_command(["bash", "-c", _COMMAND])


def start(image: str, environment: Environment, waits_for: Callable[[str], None]) -> PulsarContainer:
    """Start a broker and return at once; it will serve later. Raises SystemUnreachable."""
    instead = "A broker that is already running can be used with --service-url pulsar://HOST:PORT --admin-url http://HOST:PORT."
    return started(image, lambda: PulsarContainer(image, environment), instead, waits_for)
