"""One node of an `apache/kafka` image in a container.

This module imports testcontainers and Docker's client, so it is itself imported only where a container is really wanted.
"""

from typing import Any

from docker import __version__ as docker_version  # type: ignore[import-untyped]  # it has none
from docker.errors import APIError  # type: ignore[import-untyped]
from docker.types import EndpointConfig  # type: ignore[import-untyped]

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.containers import BrokerContainer

from .login import Passwords
from .settings import kafka_settings

_TRIES = 5


class KafkaContainer(BrokerContainer):
    """The container; `address` is where this machine reaches its broker."""

    def __init__(self, image: str, configuration: str, passwords: Passwords, node: int = 1, network: str | None = None) -> None:
        port = free_port()
        self.address = Address(LOOPBACK, port)
        self.name = f"node-{node}"
        # As root inside: an image whose shipped configuration is read-only cannot be configured by its own user.
        super().__init__(image, kafka_settings().environment(configuration, port, passwords, node), (port,), user="root")
        self.with_kwargs(**self._kwargs, **_in(network, node))  # the container's own `network` is a class of testcontainers

    def pause(self) -> None:
        """Stop the broker's clock, so to speak: it does nothing and answers nobody, and its connections stay.

        On a very busy machine its processes are not caught at once (`unable to freeze`), and are let go again.
        """
        for tries_left in reversed(range(_TRIES)):
            try:
                self.get_wrapped_container().pause()
                break
            except APIError as refused:
                if not tries_left or "unable to freeze" not in str(refused):
                    raise

    def resume(self) -> None:
        """Let the paused broker go on where it was."""
        self.get_wrapped_container().unpause()


def _in(network: str | None, node: int) -> dict[str, Any]:
    """Docker's words for a place in that network, where the other nodes know this one by its number."""
    if network is None:
        return {}
    return {"network": network, "networking_config": {network: EndpointConfig(docker_version, aliases=[f"node-{node}"])}}
