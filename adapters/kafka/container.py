"""One broker of an `apache/kafka` image in a container.

This module imports testcontainers and Docker's client, so it is itself imported only where a container is really wanted.
"""

from fencepost.adapters.containers import LOOPBACK, BrokerContainer, free_port, started

from .login import Passwords
from .settings import kafka_settings
from .transport import Address


class KafkaContainer(BrokerContainer):
    """The container; `address` is where this machine reaches its broker."""

    def __init__(self, image: str, purpose: str, passwords: Passwords) -> None:
        port = free_port()
        self.address = Address(LOOPBACK, port)
        # As root inside: an image whose shipped configuration is read-only cannot be configured by its own user.
        super().__init__(image, kafka_settings().environment(purpose, port, passwords), (port,), user="root")


def start(image: str, purpose: str, passwords: Passwords) -> KafkaContainer:
    """Start a broker and return at once; it will serve later. Raises SystemUnreachable."""
    instead = "A broker that is already running can be used with --bootstrap HOST:PORT."
    return started(image, lambda: KafkaContainer(image, purpose, passwords), instead)
