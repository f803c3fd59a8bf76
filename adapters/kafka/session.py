"""One scenario's view of a Kafka system: its clients, its names, its faults, and all that was said."""

import itertools
import time
from collections.abc import Callable, Iterator

from fencepost.adapters.ports import Exchange, Faults, NotOffered, Time

from .calls import KafkaTime
from .cluster import Cluster
from .history import Event, events
from .offer import Offer
from .probe import KafkaProbe
from .recording import Recorder
from .transport import Address, Connect, ConnectAs, nobody_logs_in

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

    def restart(self) -> None:
        raise NotOffered(f"restart: {self._whose} was not started by fencepost, so fencepost does not start it again")


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
        connect_as: ConnectAs = nobody_logs_in,
    ) -> None:
        self.time: Time = kafka_time
        self._time = kafka_time
        self.faults: Faults = _SessionFaults(faults, self._forget_connections)
        self._bootstrap = bootstrap
        self._connect = connect
        self._connect_as = connect_as
        self._offer = offer
        self._suffix = suffix
        self._recorder = Recorder(kafka_time.now_ms)
        self._probes: dict[str, KafkaProbe] = {}

    def client(self, name: str) -> KafkaProbe:
        """The probe of the client with that name: the same one each time."""
        if name not in self._probes:
            cluster = Cluster(name, self._bootstrap, self._connect, self._recorder, self._offer, ANSWER_WITHIN_S, self._connect_as)
            self._probes[name] = KafkaProbe(cluster, self._offer, self._time)
        return self._probes[name]

    def exchanges(self) -> list[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return list(events(self._recorder.recorded, run_id))

    def unique(self, name: str) -> str:
        return f"{name}-{self._suffix}"

    def close(self) -> None:
        self._forget_connections()

    def _forget_connections(self) -> None:
        for probe in self._probes.values():
            probe.close()


class _SessionFaults:
    """The system's faults. A crash ends every connection, and what it tore down must not look like the next request's fault."""

    def __init__(self, faults: Faults, forget_connections: Callable[[], None]) -> None:
        self._faults = faults
        self._forget_connections = forget_connections

    def crash(self) -> None:
        self._faults.crash()
        self._forget_connections()

    def restart(self) -> None:
        self._faults.restart()
        self._forget_connections()
