"""One scenario's view of a Kafka system: its clients, its names, its faults, and all that was asked and answered."""

from collections.abc import Callable, Sequence
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import answer_within_s
from fencepost.adapters.common.session import ProtocolSession
from fencepost.adapters.common.wire_faults import OrderedFaults
from fencepost.contract.errors import NotOffered
from fencepost.contract.events import Event
from fencepost.contract.ports import Exchange, Faults, Time, WireFaults

from .client_kind import ClientKind
from .cluster import Cluster
from .core import KafkaLog
from .history import events
from .kept_exchanges import kept
from .offer import Offer
from .probe import KafkaProbe, TakeFromPool, no_pool
from .recording import Recorder
from .transport import Connect, ConnectAs, Transport, Wire, nobody_logs_in


class KafkaSession(ProtocolSession[KafkaProbe]):
    """A session with the cluster of that bootstrap node."""

    def __init__(
        self,
        bootstrap: Address,
        connect: Connect,
        offer: Offer,
        time: Time,
        faults: Faults,
        suffix: str,
        *,
        connect_as: ConnectAs = nobody_logs_in,
        take_from_pool: TakeFromPool = no_pool,
        wire: Wire | None = None,
    ) -> None:
        super().__init__(time, faults, suffix)
        self._bootstrap = bootstrap
        self._connect = connect if wire is None else wire.connect
        self._connect_as = connect_as
        self._wire = wire
        self._offer = offer
        self._take_from_pool = take_from_pool
        self._recorder = Recorder(time.now_ms)
        if wire is not None:
            self.on_close(wire.close)

    def new_client(self, name: str) -> KafkaProbe:
        cluster = Cluster(name, self._bootstrap, self._connect, self._recorder, self._offer, answer_within_s(self.time), self._connect_as)
        return KafkaProbe(cluster, self._offer, self.time, self._take_from_pool)

    def between(self, wrap: Callable[[str, Transport], Transport]) -> None:
        """Let whatever a client says go through what this makes of its transport: for clients that have said nothing yet."""
        connect, connect_as = self._connect, self._connect_as

        def wrapped(inner: Connect) -> Connect:
            return lambda client, address: wrap(client, inner(client, address))

        self._connect, self._connect_as = wrapped(connect), lambda user: wrapped(connect_as(user))

    def speak_at_most(self, api: str, version: int) -> None:
        """Let clients know no later version of that request, where the system offers an earlier one: for those still silent."""
        if api in self._offer.apis and self._offer.apis[api].lowest <= version < self._offer.apis[api].highest:
            self._offer = self._offer.up_to(api, version)

    def transactional_log(self) -> KafkaLog:
        return KafkaLog(self.client, self.unique, self.faults, ClientKind.fitting(self._offer))

    @property
    def wire(self) -> WireFaults:
        """Faults on the way between this session's clients and the nodes."""
        if self._wire is None:
            raise NotOffered("wire-faults: this scenario does not say @needs:wire-faults, so its clients are connected directly")
        return OrderedFaults(self._wire.orders)

    def exchanges(self) -> Sequence[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return list(events(self._recorder.calls, run_id))

    def kept_exchanges(self) -> list[dict[str, Any]]:
        return kept(self._recorder.calls, self._suffix)
