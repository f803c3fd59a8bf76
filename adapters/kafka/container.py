"""One node of an `apache/kafka` image in a container.

This module imports testcontainers and Docker's client, so other modules import it only when a container is needed.
"""

from typing import Any

from docker import __version__ as docker_version  # type: ignore[import-untyped]  # it has no types
from docker.errors import APIError  # type: ignore[import-untyped]
from docker.types import EndpointConfig  # type: ignore[import-untyped]

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.containers import BrokerContainer

from .kafka_login import Passwords
from .kafka_settings import kafka_settings

_TRIES = 5


class KafkaContainer(BrokerContainer):
    """The container; `address` is its broker's address on this machine."""

    def __init__(self, image: str, configuration: str, passwords: Passwords, node: int = 1, network: str | None = None) -> None:
        port = free_port()
        self.address = Address(LOOPBACK, port)
        self.name = f"node-{node}"
        # As root in the container: an image whose shipped configuration is read-only cannot be configured by its own user.
        super().__init__(image, kafka_settings().environment(configuration, port, passwords, node), (port,), user="root")
        self.with_kwargs(**self._kwargs, **_in(network, node))  # the container's own `network` is a class of testcontainers

    def pause(self) -> None:
        """Suspend the broker's processes: it answers no client, and its connections stay.

        On a very busy machine Docker may fail to suspend all of them at once (`unable to freeze`) and resumes them; then it is tried again.
        """
        for tries_left in reversed(range(_TRIES)):
            try:
                self.get_wrapped_container().pause()
                break
            except APIError as refused:
                if not tries_left or "unable to freeze" not in str(refused):
                    raise

    def resume(self) -> None:
        """Let the paused broker continue."""
        self.get_wrapped_container().unpause()


def _in(network: str | None, node: int) -> dict[str, Any]:
    """Docker's options for a place in that network, where the other nodes find this one as `node-` and its number."""
    if network is None:
        return {}
    return {"network": network, "networking_config": {network: EndpointConfig(docker_version, aliases=[f"node-{node}"])}}
