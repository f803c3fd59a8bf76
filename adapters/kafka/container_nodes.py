"""The containers of one cluster: one for each node and, if there are several, a network between them.

Like `container`, other modules import this one only when containers are needed.
"""

import contextlib
from collections.abc import Callable

from docker.errors import DockerException  # type: ignore[import-untyped]  # it has no types

from fencepost.adapters.common.containers import make_network, remove_network, started
from fencepost.contract.errors import SystemUnreachable

from .container import KafkaContainer
from .kafka_login import Passwords
from .kafka_settings import kafka_settings
from .nodes import KafkaNodes


class ContainerNodes(KafkaNodes):
    """The nodes of a cluster of that image."""

    def __init__(self, image: str, configuration: str, passwords: Passwords) -> None:
        super().__init__(
            configuration,
            kafka_settings().nodes(configuration),
            lambda number: KafkaContainer(image, configuration, passwords, number, self._network),
        )
        self._image = image
        self._network: str | None = None

    def start(self) -> None:
        """Start node 1. Raises Docker's errors."""
        if self.count > 1:
            self._network = make_network()
        super().start()

    def start_others(self) -> None:
        """Start the others. Raises SystemUnreachable."""
        try:
            super().start_others()
        except (DockerException, OSError) as error:
            raise SystemUnreachable(
                f"Docker started node 1 of {self._image}, configuration {self._configuration}, and not all others: {error}"
            ) from error

    def on_stopped(self, ending: contextlib.ExitStack) -> None:
        if self._network is not None:
            ending.callback(remove_network, self._network)


def start(image: str, configuration: str, passwords: Passwords, waits_for: Callable[[str], None]) -> KafkaNodes:
    """Start the first node of a cluster and return at once; it will serve later. Raises SystemUnreachable."""
    instead = "A broker that is already running can be used with --bootstrap HOST:PORT."
    return started(image, lambda: ContainerNodes(image, configuration, passwords), instead, waits_for)
