"""One Pulsar broker in a container that fencepost starts."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from fencepost.adapters.common.container_broker import ContainerBroker
from fencepost.adapters.common.system_faults import OneNode
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Outcome, Unknown

from .handshake import PulsarOffer
from .pulsar_session import PulsarSession
from .pulsar_settings import PulsarSettings, pulsar_settings
from .reach import ServiceUrls, ask, reach, serves_transactions, wall_session

if TYPE_CHECKING:
    from .container import PulsarContainer


class PulsarBroker(OneNode, ContainerBroker["PulsarContainer", PulsarOffer]):
    """A standalone broker of an `apachepulsar/pulsar` image."""

    settings: Callable[[], PulsarSettings] = staticmethod(pulsar_settings)
    in_doubt = "expected an image with bin/pulsar and its conf/standalone.conf, as apachepulsar/pulsar has them"

    def start_containers(self, waits_for: Callable[[str], None]) -> "PulsarContainer":
        from .container import start

        return start(self._image, partial(self.settings().environment, self.configuration), waits_for)

    def ask(self, containers: "PulsarContainer") -> Outcome[PulsarOffer]:
        answer = ask(containers.place)
        if not isinstance(answer, Done):
            return answer
        try:
            offer = reach(containers.place, within_s=5.0)
        except SystemUnreachable as error:
            return Unknown(str(error))
        served = serves_transactions(containers.place, patience_s=10.0)
        return Done(offer) if isinstance(served, Done) else served

    @property
    def place(self) -> ServiceUrls:
        """The addresses of the broker on this machine."""
        return self.containers.place

    def session(self) -> PulsarSession:
        """A fresh session, once the broker serves."""
        self._result(self._serving)
        return wall_session(self.place, self._patience_s, self)

    def crash(self) -> None:
        """Kill the broker, and wait until it is down. Raises WrongUsage for a broker that other scenarios use."""
        if "crash" not in self.settings().configuration(self.configuration).offers:
            raise WrongUsage(f"a scenario that does not say @needs:crash has no separate broker to kill, only the {self.configuration} one")
        super().crash()
