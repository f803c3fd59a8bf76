"""One scenario's view of a Kafka system: its clients, its names, its faults, and all that was said."""

import itertools
import time
from collections.abc import Callable, Iterator

from fencepost.adapters.ports import Exchange, Faults, NotOffered, Time, WireFaults

from .calls import KafkaTime
from .cluster import Cluster
from .history import Event, events
from .offer import Offer
from .probe import KafkaProbe, TakeAged, no_aged_ids
from .recording import Recorder
from .transport import Address, Connect, ConnectAs, nobody_logs_in
from .wire_faults import Fault, Orders, Wire

ANSWER_WITHIN_S = 10.0
"""How long one request may take; nothing that the suite asks takes a healthy broker a second."""

PATIENCE_S = 20.0
"""How long is waited for what must come, unless the caller says otherwise."""


class WallTime:
    """The time of a system that has a clock of its own: pauses are short, and grow while nothing comes."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s

    def now_ms(self) -> float:
        return time.time() * 1000

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        end = time.monotonic() + (self._patience_s if patience is None else patience)
        pause = 0.005
        for number in itertools.count(1):
            yield number
            if time.monotonic() + pause > end:
                return
            time.sleep(pause)
            pause = min(pause * 2, 0.1)


class NoFaults:
    """The faults of a system that somebody else runs."""

    def __init__(self, whose: str) -> None:
        self._whose = whose

    def crash(self) -> None:
        raise NotOffered(f"crash: {self._whose} was not started by fencepost, so fencepost does not kill it")

    def start_again(self) -> None:
        raise NotOffered(f"restart: {self._whose} was not started by fencepost, so fencepost does not start it again")

    def restart(self) -> None:
        raise NotOffered(f"restart: {self._whose} was not started by fencepost, so fencepost does not start it again")

    def pause(self, node: int) -> None:
        raise NotOffered(f"two-nodes: {self._whose} was not started by fencepost, so fencepost does not pause node {node}")

    def resume(self, node: int) -> None:
        raise NotOffered(f"two-nodes: {self._whose} was not started by fencepost, so fencepost does not pause node {node}")


class KafkaSession:
    """A session; `suffix` is what makes its names its own."""

    def __init__(
        self,
        bootstrap: Address,
        connect: Connect,
        offer: Offer,
        kafka_time: KafkaTime,
        faults: Faults,
        suffix: str,
        *,
        connect_as: ConnectAs = nobody_logs_in,
        take_aged: TakeAged = no_aged_ids,
        wire: Wire | None = None,
    ) -> None:
        self.time: Time = kafka_time
        self._time = kafka_time
        self._session_faults = _SessionFaults(faults, self._forget_connections)
        self.faults: Faults = self._session_faults
        self._bootstrap = bootstrap
        self._connect = connect if wire is None else wire.connect
        self._connect_as = connect_as
        self._wire = wire
        self._offer = offer
        self._suffix = suffix
        self._take_aged = take_aged
        self._recorder = Recorder(kafka_time.now_ms)
        self._probes: dict[str, KafkaProbe] = {}

    def client(self, name: str) -> KafkaProbe:
        """The probe of the client with that name: the same one each time."""
        if name not in self._probes:
            cluster = Cluster(name, self._bootstrap, self._connect, self._recorder, self._offer, ANSWER_WITHIN_S, self._connect_as)
            self._probes[name] = KafkaProbe(cluster, self._offer, self._time, self._take_aged)
        return self._probes[name]

    @property
    def wire(self) -> WireFaults:
        """Faults on the way between this session's clients and the nodes."""
        if self._wire is None:
            raise NotOffered("wire-faults: this scenario does not say @needs:wire-faults, so its clients are connected directly")
        return _SessionWire(self._wire.orders)

    def exchanges(self) -> list[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return list(events(self._recorder.recorded, run_id))

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


class _SessionFaults:
    """The system's faults. A crash ends every connection, and what it tore down must not look like the next request's fault.

    Which nodes are paused is remembered, so that none stays so.
    """

    def __init__(self, faults: Faults, forget_connections: Callable[[], None]) -> None:
        self._faults = faults
        self._forget_connections = forget_connections
        self._paused: set[int] = set()

    def crash(self) -> None:
        self._faults.crash()
        self._forget_connections()

    def start_again(self) -> None:
        self._faults.start_again()
        self._forget_connections()

    def restart(self) -> None:
        self._faults.restart()
        self._forget_connections()

    def pause(self, node: int) -> None:
        self._faults.pause(node)
        self._paused.add(node)

    def resume(self, node: int) -> None:
        self._faults.resume(node)
        self._paused.discard(node)

    def undo(self) -> None:
        """Let the nodes go on that a scenario left paused."""
        for node in sorted(self._paused):
            self.resume(node)
