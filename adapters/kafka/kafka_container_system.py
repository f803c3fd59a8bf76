"""Kafka in containers that fencepost starts: one broker for each configuration that a selected scenario needs.

With a configuration that is fresh, each scenario gets a separate broker.
"""

import re

from fencepost.adapters.common import genuine
from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.container_system import ContainerSystem
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.brokers import StandIn
from fencepost.contract.ports import Handshake

from .handshake import MAY_BE_OFFERED, describe
from .kafka_container_broker import KafkaBroker
from .kafka_session import KafkaSession
from .kafka_settings import KafkaSettings, kafka_settings
from .offer import VersionRange
from .producer_pool import NEAR_LAST_EPOCH
from .reach import brokers
from .release import identify, reported_by, said_by


class KafkaContainerSystem(ContainerSystem[KafkaBroker]):
    """Brokers of an `apache/kafka` image."""

    name = protocol = "kafka"
    kind = "container"
    """The kind of a node."""

    def __init__(self, image: str, patience_s: float = PATIENCE_S, settings: KafkaSettings | None = None) -> None:
        super().__init__(image, patience_s, settings or kafka_settings())

    def make(self, configuration: str, to_come: int, why: str) -> KafkaBroker:
        """A broker that fills its pool of producers for the scenarios to come, if these need producers near their last epoch."""
        return KafkaBroker(self._image, configuration, self._patience_s, self.producers(configuration, to_come), Starting(self._board, why))

    def producers(self, configuration: str, to_come: int) -> int:
        """How many producers near their last epoch the scenarios to come need on a broker with that configuration."""
        return to_come if NEAR_LAST_EPOCH in self._settings.configuration(configuration).offers else 0

    def may_offer(self) -> frozenset[str]:
        return super().may_offer() | MAY_BE_OFFERED

    def open(self) -> Handshake:
        """Wait until the default broker serves transactions."""
        broker = self._default_broker()
        offer = broker.offer
        supported = offer.supported.get("metadata.version")
        nodes = brokers(broker.address, offer)
        notes = [
            f"{self.kind} of {self._image}, configuration {broker.configuration}",
            "nodes: " + ", ".join(f"{node} at {address}" for node, address in nodes.items()),
        ]
        self._is_open = True
        return describe(
            offer,
            identify(supported, kafka_settings().releases, self.version),
            self.whose(supported),
            image=self.image(),
            offered=self._settings.capabilities,
            missing=self.missing(),
            notes=notes,
        )

    def stand_in(self) -> StandIn:
        """The reference with the default broker's offer of requests."""
        from .stand_in import KafkaStandIn as Reference

        return Reference(self._default_broker().offer)

    @property
    def version(self) -> str | None:
        """The exact version, if the image's tag names it."""
        return exact_version(self._image)

    def whose(self, supported: VersionRange | None) -> genuine.Whose:
        """Whose known deviations hold, by the metadata.version that the broker supports."""
        settings = kafka_settings()
        return genuine.of_image(settings.project_of(self.name), self._image, reported_by(supported, settings.releases), said_by(supported))

    def missing(self) -> list[str]:
        """A line for each capability that is not offered because of how the brokers are started."""
        return []

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:
        """A fresh session on the broker for these needs."""
        return self._session_on(title, needs, lambda broker: broker.session(needs))


def exact_version(image: str) -> str | None:
    """The version that an image's tag names, such as 4.3.1; None for a tag that is no version."""
    tag = genuine.ImageName.of(image).tag
    return tag if tag and re.fullmatch(r"\d+\.\d+(\.\d+)?([-.+]\S+)?", tag) else None
