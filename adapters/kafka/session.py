"""One scenario's view of a Kafka system: its clients, its names, its faults, and all that was said."""

from fencepost.adapters.live import ANSWER_WITHIN_S, SessionFaults
from fencepost.contract.errors import NotOffered
from fencepost.contract.events import Event
from fencepost.contract.ports import Exchange, Faults, Time, WireFaults

from .cluster import Cluster
from .core import KafkaLog
from .history import events
from .offer import Offer
from .probe import KafkaProbe, TakeAged, no_aged_ids
from .recording import Recorder
from .transport import Address, Connect, ConnectAs, nobody_logs_in
from .wire_faults import Fault, Orders, Wire


class KafkaSession:
    """A session; `suffix` is what makes its names its own."""

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
        take_aged: TakeAged = no_aged_ids,
        wire: Wire | None = None,
    ) -> None:
        self.time = time
        self._session_faults = SessionFaults(faults, self._forget_connections)
        self.faults: Faults = self._session_faults
        self._bootstrap = bootstrap
        self._connect = connect if wire is None else wire.connect
        self._connect_as = connect_as
        self._wire = wire
        self._offer = offer
        self._suffix = suffix
        self._take_aged = take_aged
        self._recorder = Recorder(time.now_ms)
        self._probes: dict[str, KafkaProbe] = {}

    def client(self, name: str) -> KafkaProbe:
        """The probe of the client with that name: the same one each time."""
        if name not in self._probes:
            cluster = Cluster(name, self._bootstrap, self._connect, self._recorder, self._offer, ANSWER_WITHIN_S, self._connect_as)
            self._probes[name] = KafkaProbe(cluster, self._offer, self.time, self._take_aged)
        return self._probes[name]

    def transactional_log(self) -> KafkaLog:
        return KafkaLog(self.client, self.unique)

    @property
    def wire(self) -> WireFaults:
        """Faults on the way between this session's clients and the nodes."""
        if self._wire is None:
            raise NotOffered("wire-faults: this scenario does not say @needs:wire-faults, so its clients are connected directly")
        return _SessionWire(self._wire.orders)

    def exchanges(self) -> list[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return list(events(self._recorder.calls, run_id))

    def unique(self, name: str) -> str:
        return f"{name}-{self._suffix}"

    def close(self) -> None:
        self._session_faults.undo()
        self._forget_connections()
        if self._wire is not None:
            self._wire.close()

    def _forget_connections(self) -> None:
        for probe in self._probes.values():
            probe.close()


class _SessionWire:
    """Orders in the words of the port."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    def lose_request(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.LOSE_REQUEST)

    def lose_answer(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.LOSE_ANSWER)

    def arrive_twice(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.ARRIVE_TWICE)

    def hold_up(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.HOLD_UP)

    def outstanding(self) -> int:
        return self._orders.outstanding()

    def let_go(self) -> int:
        return self._orders.let_go()
