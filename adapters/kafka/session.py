"""One scenario's view of a Kafka system: its clients, its names, its faults, and all that was said."""

from fencepost.adapters.live import ANSWER_WITHIN_S, SessionFaults
from fencepost.adapters.ports import Exchange, Faults, Time

from .calls import KafkaTime
from .cluster import Cluster
from .core import KafkaLog
from .history import Event, events
from .offer import Offer
from .probe import KafkaProbe
from .recording import Recorder
from .transport import Address, Connect, ConnectAs, nobody_logs_in


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
        self.faults: Faults = SessionFaults(faults, self._forget_connections)
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

    def transactional_log(self) -> KafkaLog:
        return KafkaLog(self.client, self.unique)

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
