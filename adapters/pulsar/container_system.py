"""Pulsar in containers of fencepost's own.

Scenarios that need nothing special share one broker. With a configuration that is fresh, each scenario gets a broker of its own: the next
one is started ahead, while the scenarios before are being judged, and it is removed when its session closes.
"""

from collections import Counter
from collections.abc import Collection

from fencepost.adapters.common import genuine
from fencepost.adapters.common.container_system import ContainerSystem
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.ports import Handshake

from .container_broker import PulsarBroker
from .handshake import describe, identify, told_by
from .session import PulsarSession
from .settings import pulsar_settings


class PulsarContainerSystem(ContainerSystem[PulsarBroker]):
    """Brokers of an `apachepulsar/pulsar` image."""

    name = "pulsar"

    def __init__(self, image: str, patience_s: float = PATIENCE_S) -> None:
        super().__init__(image, patience_s)
        self._waiting: dict[str, PulsarBroker] = {}
        """For each configuration the broker that its next session gets."""
        self._to_come: Counter[str] = Counter()
        """How many more scenarios will ask for a broker with each configuration."""

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start the shared broker, and one with each other configuration that scenarios with these needs run on."""
        settings = pulsar_settings()
        self._to_come = Counter(configuration for need in needs for configuration in settings.configurations_for([need]))
        for configuration in (settings.default_configuration, *settings.configurations_for(needs)):
            self._broker(configuration)

    def open(self) -> Handshake:
        """Wait until the shared broker serves transactions."""
        settings = pulsar_settings()
        broker = self._broker(settings.default_configuration)
        offer = broker.offer
        self._is_open = True
        notes = [f"container of {self._image}, configuration {broker.configuration}", f"at {broker.place}"]
        identity = identify(offer.server, settings.releases)
        said = f"calls itself {offer.server!r}"
        whose = genuine.of_image(settings.project_of(self.name), self._image, told_by(identity), said)
        return describe(offer, identity, whose, image=self.image(), offered=settings.capabilities, notes=notes)

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:  # noqa: ARG002 - a broker has no use for a title
        """A fresh session on the broker for these needs, or on one of its own."""
        self._check_open()
        settings = pulsar_settings()
        configuration = settings.configuration_for(needs)
        broker = self._broker(configuration)
        session = broker.session()
        self._to_come[configuration] -= 1
        if settings.configuration(configuration).fresh:
            session.on_close(broker.close)
            del self._waiting[configuration]
            if self._to_come[configuration] > 0:
                self._broker(configuration)
        return session

    def _broker(self, configuration: str) -> PulsarBroker:
        """The broker that the next session with that configuration gets; it is started when it is first asked for."""
        if configuration not in self._waiting:
            self._waiting[configuration] = self._launch(PulsarBroker(self._image, configuration, self._patience_s))
        return self._waiting[configuration]
