"""Kafka in containers of fencepost's own: one broker for each configuration that a selected scenario needs.

With a configuration that is fresh, each scenario gets a broker of its own.
"""

import re

from fencepost.adapters.common import genuine
from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.container_system import ContainerSystem
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.brokers import StandIn
from fencepost.contract.ports import Handshake

from .container_broker import KafkaBroker
from .handshake import MAY_BE_OFFERED, describe
from .producer_pool import NEAR_LAST_EPOCH
from .reach import brokers
from .release import identify, said_by, told_by
from .session import KafkaSession
from .settings import kafka_settings


class KafkaContainerSystem(ContainerSystem[KafkaBroker]):
    """Brokers of an `apache/kafka` image."""

    name = protocol = "kafka"

    def __init__(self, image: str, patience_s: float = PATIENCE_S) -> None:
        super().__init__(image, patience_s, kafka_settings())

    def make(self, configuration: str, to_come: int, why: str) -> KafkaBroker:
        """A broker that fills its pool of producers for the scenarios to come, where these need such."""
        producers = to_come if NEAR_LAST_EPOCH in kafka_settings().configuration(configuration).offers else 0
        return KafkaBroker(self._image, configuration, self._patience_s, producers, Starting(self._board, why))

    def may_offer(self) -> frozenset[str]:
        return super().may_offer() | MAY_BE_OFFERED

    def open(self) -> Handshake:
        """Wait until the default broker serves transactions."""
        settings = kafka_settings()
        broker = self._default_broker()
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

    def stand_in(self) -> StandIn:
        """The reference with the requests of the broker, which has been asked what it is."""
        from .stand_in import StandIn as Reference

        return Reference(self._default_broker().offer)

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:
        """A fresh session on the broker for these needs."""
        return self._session_on(title, needs, lambda broker: broker.session(needs))


def exact_version(image: str) -> str | None:
    """The version that an image's tag names, such as 4.3.1; None for a tag that is no version."""
    tag = genuine.ImageName.of(image).tag
    return tag if tag and re.fullmatch(r"\d+\.\d+(\.\d+)?([-.+]\S+)?", tag) else None
