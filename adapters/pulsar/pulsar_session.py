"""One scenario's view of a Pulsar system: its clients, its names, its faults, and all its exchanges."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import answer_within_s
from fencepost.adapters.common.session import ProtocolSession
from fencepost.adapters.common.time import VirtualTime
from fencepost.contract.errors import NotOffered
from fencepost.contract.events import Event
from fencepost.contract.ports import Exchange, Faults, PassesTime, Time, WireFaults

from .attached import Attached
from .client import PulsarClient
from .kept_exchanges import KeptHead, kept
from .keyed_core import KeyedLog
from .owed import NotRedelivered
from .probe import PulsarProbe
from .pulsar_core import PulsarLog
from .pulsar_history import events
from .pulsar_recording import PulsarRecorder
from .tape import EntryKind, PulsarTape, TapeEntry
from .transport import AdminTransport, Connect, ConnectAdmin, PulsarTransport


class PulsarSession(ProtocolSession[PulsarProbe]):
    """A session with the system at that service address."""

    protocol = "pulsar"

    def __init__(
        self,
        service: Address,
        connect: Connect,
        connect_admin: ConnectAdmin,
        time: Time,
        faults: Faults,
        suffix: str,
        *,
        over_tls: bool = False,
    ) -> None:
        super().__init__(time, faults, suffix)
        self._service = service
        self._over_tls = over_tls
        self._tape = PulsarTape(time.now_ms)
        if isinstance(time, VirtualTime):
            time.on_passing = lambda: self._tape.add(TapeEntry(EntryKind.PASSED, 0))
        self._connect = self._tape.connecting(connect)
        self._connect_admin: ConnectAdmin = lambda: self._tape.administering(connect_admin())
        self._recorder = PulsarRecorder(time.now_ms)
        self._attached = Attached()
        self._clients: list[PulsarClient] = []
        self._principals: dict[str, str] = {}
        self.log_of_writers: type[PulsarLog] = PulsarLog
        """The class by which the core's writers write: with a name alone, or with a transaction key."""

    def new_client(self, name: str) -> PulsarProbe:
        return PulsarProbe(self.new_connections(name), self.time)

    def client_of(self, name: str, principal: str | None) -> PulsarProbe:
        """The probe of the client with that name, which connects as this principal: the one with which it is named first."""
        if principal is not None:
            self._principals.setdefault(name, principal)
        return self.client(name)

    def new_connections(self, name: str) -> PulsarClient:
        """The connections of a client that is named for the first time."""
        client = PulsarClient(
            name,
            self._service,
            self._connect,
            self._connect_admin(),
            self._recorder,
            self._attached,
            answer_within_s(self.time),
            self._principals.get(name),
            self._over_tls,
        )
        self._clients.append(client)
        return client

    @property
    def connections(self) -> int:
        """How many connections its clients have open."""
        return sum(client.connections for client in self._clients)

    def between(self, wrap: Callable[[PulsarTransport, Callable[[], PulsarTransport]], PulsarTransport]) -> None:
        """Wrap the transports of clients that have sent nothing yet with `wrap`, which also gets what opens another connection to the same
        broker.
        """
        connect = self._connect
        self._connect = lambda client, address: wrap(connect(client, address), partial(connect, client, address))

    def between_admin(self, wrap: Callable[[AdminTransport], AdminTransport]) -> None:
        """Wrap the admin transports of clients that have sent nothing yet with `wrap`."""
        connect = self._connect_admin
        self._connect_admin = lambda: wrap(connect())

    def transactional_log(self) -> PulsarLog:
        return self.log_of_writers(self.client, self.unique)

    @property
    def wire(self) -> WireFaults:
        """Faults between clients and the broker; this protocol has none."""
        raise NotOffered("wire-faults: a client's connections to a Pulsar broker are direct")

    def exchanges(self) -> Sequence[Exchange]:
        return self._recorder.exchanges()

    def history(self, run_id: str) -> list[Event]:
        return events(self._recorder.calls, run_id)

    def noted_attached(self) -> Callable[[], Sequence[NotRedelivered]]:
        """Note which producers and consumers are open. The returned function opens them again, and what a consumer's user had taken before
        is not given to it again. It returns what brokers owed consumers and did not redeliver.
        """
        return self._attached.noted()

    def not_redelivered(self) -> Sequence[NotRedelivered]:
        """What aborts have returned, and brokers do not redeliver to consumers that are attached."""
        return self._attached.owed()

    def disconnect(self) -> None:
        super().disconnect()
        self._tape.add(TapeEntry(EntryKind.DISCONNECTED, 0))

    def kept_exchanges(self) -> list[dict[str, Any]]:
        return kept(self._tape.entries, self._head())

    def _head(self) -> KeptHead:
        return KeptHead(
            self.protocol,
            self._suffix,
            self._service,
            self._over_tls,
            is_virtual=isinstance(self.time, PassesTime),
            patience_s=self.time.patience_s,
            began_ms=self._tape.began_ms,
            writers_have_keys=issubclass(self.log_of_writers, KeyedLog),
        )
