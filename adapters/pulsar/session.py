"""One scenario's view of a Pulsar system: its clients, its names, its faults, and all that was said."""

from collections.abc import Callable

from fencepost.adapters.live import ANSWER_WITHIN_S, SessionFaults
from fencepost.contract.errors import NotOffered
from fencepost.contract.events import Event
from fencepost.contract.ports import Exchange, Faults, Time, WireFaults

from .client import Client
from .core import PulsarLog
from .history import events
from .probe import PulsarProbe
from .recording import Recorder
from .transport import Address, Connect, ConnectAdmin


class PulsarSession:
    """A session; `suffix` is what makes its names its own."""

    def __init__(self, service: Address, connect: Connect, connect_admin: ConnectAdmin, time: Time, faults: Faults, suffix: str) -> None:
        self.time = time
        self.faults: Faults = SessionFaults(faults, self._forget_connections)
        self._service = service
        self._connect = connect
        self._connect_admin = connect_admin
        self._suffix = suffix
        self._recorder = Recorder(time.now_ms)
        self._probes: dict[str, PulsarProbe] = {}
        self._closing: list[Callable[[], None]] = []

    def client(self, name: str) -> PulsarProbe:
        """The probe of the client with that name: the same one each time."""
        if name not in self._probes:
            client = Client(name, self._service, self._connect, self._connect_admin(), self._recorder, ANSWER_WITHIN_S)
            self._probes[name] = PulsarProbe(client, self.time)
        return self._probes[name]

    def transactional_log(self) -> PulsarLog:
        return PulsarLog(self.client, self.unique)

    @property
    def wire(self) -> WireFaults:
        """Faults on the way to the broker; the connections of this protocol have none."""
        raise NotOffered("wire-faults: a client's connections to a Pulsar broker are direct")

    def exchanges(self) -> list[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return events(self._recorder.calls, run_id)

    def unique(self, name: str) -> str:
        return f"{name}-{self._suffix}"

    def on_close(self, act: Callable[[], None]) -> None:
        """What else is given back with the session."""
        self._closing.append(act)

    def close(self) -> None:
        self._forget_connections()
        while self._closing:
            self._closing.pop()()

    def _forget_connections(self) -> None:
        for probe in self._probes.values():
            probe.close()
