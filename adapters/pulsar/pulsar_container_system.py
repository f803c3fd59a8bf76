"""Pulsar in containers that fencepost starts.

Scenarios that need nothing special share one broker. With a configuration that is fresh, each scenario gets a separate broker: it starts in
advance, while earlier scenarios are judged, and is removed when its session closes.
"""

from fencepost.adapters.common import genuine
from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.container_system import ContainerSystem
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.ports import Handshake

from .handshake import MAY_BE_OFFERED, describe, identify, reported_by
from .levers import KEYS, lacks_keys
from .pulsar_container_broker import PulsarBroker
from .pulsar_session import PulsarSession
from .pulsar_settings import PulsarSettings, pulsar_settings


class PulsarContainerSystem(ContainerSystem[PulsarBroker]):
    """Brokers of an `apachepulsar/pulsar` image."""

    name = "pulsar"
    protocol = "pulsar"

    def __init__(self, image: str, patience_s: float = PATIENCE_S, settings: PulsarSettings | None = None) -> None:
        super().__init__(image, patience_s, settings or pulsar_settings())

    def may_offer(self) -> frozenset[str]:
        """What the configurations offer, and what every broker offers."""
        return super().may_offer() | MAY_BE_OFFERED | {KEYS}

    def make(self, configuration: str, to_come: int, why: str) -> PulsarBroker:  # noqa: ARG002 - it has nothing to prepare for them
        """A standalone broker."""
        return PulsarBroker(self._image, configuration, self._patience_s, Starting(self._board, why))

    def open(self) -> Handshake:
        """Wait until the shared broker serves transactions."""
        settings = pulsar_settings()  # the same releases, whatever is switched on
        broker = self._default_broker()
        offer = broker.offer
        self._is_open = True
        notes = [f"container of {self._image}, configuration {broker.configuration}", f"at {broker.place}"]
        identity = identify(offer.server, settings.releases)
        said = f"calls itself {offer.server!r}"
        whose = genuine.of_image(settings.project_of(self.name), self._image, reported_by(identity), said)
        lacking = self.lacks_keys(broker)
        offered = self._settings.capabilities | (frozenset({KEYS}) if lacking is None else frozenset())
        missing = [] if lacking is None else [f"{KEYS}: {lacking}"]
        return describe(offer, identity, whose, image=self.image(), offered=offered, missing=missing, notes=notes)

    def lacks_keys(self, broker: PulsarBroker) -> str | None:
        """Why its brokers have no transaction keys, as they answer; None if they have."""
        return lacks_keys(broker.session())

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:
        """A fresh session on the broker for these needs, or on a separate one."""
        return self._session_on(title, needs, lambda broker: broker.session())
