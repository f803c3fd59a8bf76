"""Kafka in containers of fencepost's own: one broker for each configuration that a selected scenario needs.

With a configuration that is fresh, each scenario gets a broker of its own.
"""

import re
from collections.abc import Collection

from fencepost.adapters.common import genuine
from fencepost.adapters.common.container_system import ContainerSystem
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.ports import Handshake

from .container_broker import KafkaBroker
from .handshake import describe
from .producer_pool import NEAR_LAST_EPOCH
from .reach import brokers
from .release import identify, said_by, told_by
from .session import KafkaSession
from .settings import kafka_settings


class KafkaContainerSystem(ContainerSystem[KafkaBroker]):
    """Brokers of an `apache/kafka` image."""

    name = "kafka"

    def __init__(self, image: str, patience_s: float = PATIENCE_S) -> None:
        super().__init__(image, patience_s)
        self._brokers: dict[str, KafkaBroker] = {}
        self._used: set[str] = set()
        """The fresh configurations whose broker has served a scenario."""

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start the default broker, and those that scenarios with these needs will run on."""
        settings = kafka_settings()
        for configuration in (settings.default_configuration, *settings.configurations_for(needs)):
            here = (need for need in needs if settings.configurations_for([need]) == [configuration])
            self._broker(configuration, producers=sum(NEAR_LAST_EPOCH in need for need in here))

    def open(self) -> Handshake:
        """Wait until the default broker serves transactions."""
        self.prepare()
        settings = kafka_settings()
        broker = self._broker(settings.default_configuration)
        offer = broker.offer
        supported = offer.supported.get("metadata.version")
        identity = identify(supported, settings.releases, exact_version(self._image))
        project, told = settings.project_of(self.name), told_by(supported, settings.releases)
        nodes = brokers(broker.address, offer)
        notes = [
            f"container of {self._image}, configuration {broker.configuration}",
            "nodes: " + ", ".join(f"{node} at {address}" for node, address in nodes.items()),
        ]
        self._is_open = True
        return describe(
            offer,
            identity,
            genuine.of_image(project, self._image, told, said_by(supported)),
            image=self.image(),
            offered=settings.capabilities,
            notes=notes,
        )

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:  # noqa: ARG002 - a broker has no use for a title
        """A fresh session on the broker for these needs."""
        self._check_open()
        settings = kafka_settings()
        configuration = settings.configuration_for(needs)
        if settings.configuration(configuration).fresh:
            self._throw_away_used(configuration)
        return self._broker(configuration).session(needs)

    def _throw_away_used(self, configuration: str) -> None:
        """Remove the broker with that configuration if a scenario has been on it; the next one that is asked for is a new one."""
        if configuration in self._used:
            self._brokers.pop(configuration).close()
        self._used.add(configuration)

    def _broker(self, configuration: str, producers: int = 0) -> KafkaBroker:
        """The broker with that configuration; it is started when it is first asked for, and fills its pool of producers from then on."""
        if configuration not in self._brokers:
            self._brokers[configuration] = self._launch(KafkaBroker(self._image, configuration, self._patience_s, producers))
        return self._brokers[configuration]


def exact_version(image: str) -> str | None:
    """The version that an image's tag names, such as 4.3.1; None for a tag that is no version."""
    tag = genuine.ImageName.of(image).tag
    return tag if tag and re.fullmatch(r"\d+\.\d+(\.\d+)?([-.+]\S+)?", tag) else None
