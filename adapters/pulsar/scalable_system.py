"""Pulsar with scalable topics and metadata-driven transactions, in containers that fencepost starts.

A release without them reports that when a client connects: then every session raises NotOffered.
"""

from collections.abc import Collection
from dataclasses import replace

from fencepost.adapters.common.container_broker import Starting
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.brokers import Where
from fencepost.contract.errors import NotOffered
from fencepost.contract.ports import Handshake

from .pulsar_container_broker import PulsarBroker
from .pulsar_container_system import PulsarContainerSystem
from .pulsar_session import PulsarSession
from .pulsar_settings import scalable_settings
from .reach import wall_session
from .scalable_lookups import SCALABLE_TOPICS
from .scalable_session import ScalableSession


class ScalableBroker(PulsarBroker):
    """A standalone broker whose settings have scalable topics on."""

    settings = staticmethod(scalable_settings)

    def session(self) -> PulsarSession:
        """A fresh session, once the broker serves."""
        self._result(self._serving)
        return wall_session(self.place, self._patience_s, self, ScalableSession)


class ScalableContainerSystem(PulsarContainerSystem):
    """Brokers of an `apachepulsar/pulsar` image, judged with scalable topics."""

    protocol = "pulsar-scalable"

    def __init__(self, image: str, patience_s: float = PATIENCE_S) -> None:
        super().__init__(image, patience_s, scalable_settings())
        self._lacks: str | None = None

    def make(self, configuration: str, to_come: int, why: str) -> PulsarBroker:  # noqa: ARG002 - it has nothing to prepare for them
        return ScalableBroker(self._image, configuration, self._patience_s, Starting(self._board, why))

    def where(self, needs: Collection[str]) -> Where:
        """Segments have no separate unload: their namespace is unloaded, with those of every scenario."""
        return replace(super().where(needs), unloads_all=True)

    def open(self) -> Handshake:
        handshake = super().open()
        if SCALABLE_TOPICS not in self._default_broker().offer.features:
            self._lacks = f"scalable topics: {self._image} does not say {SCALABLE_TOPICS} when a client connects"
        return handshake

    def lacks_keys(self, broker: PulsarBroker) -> str | None:
        if SCALABLE_TOPICS not in broker.offer.features:
            return "not tried, because it needs the coordinators of scalable topics, which the system does not have"
        return super().lacks_keys(broker)

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:
        if self._lacks is not None:
            raise NotOffered(self._lacks)
        return super().session(title, needs)
