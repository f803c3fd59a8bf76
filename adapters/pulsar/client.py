"""One client's connections, and what it finds by them: the broker of a topic, and the coordinator of a transaction.

A lookup may be answered with a redirect; the client follows it, up to a limit. It looks a topic up each time that it makes a producer or a
consumer, since an unload makes an earlier answer wrong without notice; it looks a coordinator up again when the broker answers that it is
not there.
"""

import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.shared_outcomes import Unreachable
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .attached import Attached
from .connection import ClientConnection
from .keyed import Keyed
from .pulsar_error_outcomes import LOOKING, refused
from .pulsar_recording import PulsarCall, PulsarRecorder
from .pulsar_values import CoordinatorId, TransactionId
from .scalable_lookups import coordinators
from .transport import AdminTransport, Connect, ConnectionLost, PendingAnswer

COORDINATORS = "persistent://pulsar/system/transaction_coordinator_assign"
"""The partitioned topic whose partitions belong to the coordinators; the owner of a partition is the coordinator's broker."""

_REDIRECTS = 10
_SCHEMES = {False: ("pulsar", 6650), True: ("pulsar+ssl", 6651)}
"""The schemes of service URLs, by whether TLS is used, with the default port."""


@dataclass(frozen=True)
class PendingAdministration:
    """An admin call in flight, and its record."""

    request: AdminRequest
    call: PulsarCall
    on_its_way: PendingAnswer


class PulsarClient:
    """A client by its name in the scenario."""

    def __init__(
        self,
        name: str,
        service: Address,
        connect: Connect,
        admin: AdminTransport,
        recorder: PulsarRecorder,
        attached: Attached,
        deadline_s: float,
        principal: str | None = None,
        over_tls: bool = False,
    ) -> None:
        self.name = name
        self.principal = principal
        """The name that the client connects with; None if it gives none."""
        self.keyed: Keyed | None = None
        """The client's transaction key, with the connection that has it, which may be closed."""
        self.recorder = recorder
        self.attached = attached
        self.added: defaultdict[TransactionId, set[str]] = defaultdict(set)
        """The topics that this client has tried to add to a transaction."""
        self._service = service
        self._over_tls = over_tls
        self._connect = connect
        self._admin = admin
        self.deadline_s = deadline_s
        """How long to wait for one answer."""
        self._connections: dict[Address, ClientConnection] = {}
        self._former: list[ClientConnection] = []
        """Connections that had the client's key before, and that the broker is to close."""
        self._requests = itertools.count(1)
        self._numbers = itertools.count(1)

    def is_asked_first(self, service_url: str) -> bool:
        """Whether this is the URL of the broker at the service address, which answers administrators too."""
        return parse_service_url(service_url, self._over_tls) == self._service

    @property
    def connections(self) -> int:
        """How many connections it has open."""
        return sum(connection.lost is None for connection in self._connections.values())

    def next_request(self) -> int:
        """A request id that this client has not used."""
        return next(self._requests)

    def next_number(self) -> int:
        """A number for a producer or a consumer that this client has not used."""
        return next(self._numbers)

    def connection(self, address: Address | None = None) -> Outcome[ClientConnection]:
        """The connection to that broker, or to the service address; opened if there is none."""
        address = address or self._service
        known = self._connections.get(address)
        if known is not None:
            known.drain()
            if known.lost is None:
                return Done(known)
        made = self.new_connection(address)
        if isinstance(made, Done):
            self._connections[address] = made.value
        return made

    def new_connection(self, address: Address | None = None) -> Outcome[ClientConnection]:
        """One more connection, separate from this client's; the caller closes it."""
        address = address or self._service
        try:
            connection = ClientConnection(self.name, address, self._connect(self.name, address), self.recorder)
        except ConnectionLost as lost:
            return self.recorder.unreachable(str(lost))
        match connection.connect(self.deadline_s, self.principal):
            case Done():
                return Done(connection)
            case unknown:
                connection.close()
                return unknown

    def ping(self) -> Outcome[None]:
        """PING to the service address, which is answered with PONG."""
        match self.connection():
            case Done(connection):
                answer = connection.answer(connection.ask(pb.CommandPing()), self.deadline_s)
                return Done(None) if isinstance(answer, Done) else answer
            case trouble:
                return trouble

    def partitions(self, topic: str) -> Outcome[int]:
        """The number of partitions of a topic; 0 if it has none."""
        match self.connection():
            case Done(connection):
                call = connection.ask(
                    pb.CommandPartitionedTopicMetadata(topic=topic, request_id=self.next_request(), metadata_auto_creation_enabled=False)
                )
                match connection.answer(call, self.deadline_s):
                    case Done(frame) if not frame.body.HasField("error"):
                        return Done(frame.body.partitions)
                    case Done(frame):
                        return refused(frame.body.error, frame.body.message)
                    case unknown:
                        return unknown
            case trouble:
                return trouble

    def owner(self, topic: str) -> Outcome[ClientConnection]:
        """A connection to the broker that serves a topic."""
        address, authoritative = self._service, False
        for _ in range(_REDIRECTS):
            match self._look_up(topic, address, authoritative):
                case Done((owner, True, _)):
                    return self.connection(owner)
                case Done((elsewhere, False, authority)):
                    address, authoritative = elsewhere, authority
                case Refused() | Unknown() as trouble:
                    return trouble
        raise Malformed(f"looking up {topic} from {self._service} is redirected for ever; the last redirect was to {address}")

    def at(self, service_url: str) -> Outcome[ClientConnection]:
        """A connection to the broker at that service URL, whatever it serves. Raises Malformed for a text that is no service URL."""
        return self.connection(self._reported(service_url))

    def is_served_by(self, topic: str, service_url: str) -> Outcome[bool]:
        """Whether the broker at that service URL answers that it serves a topic. Raises Malformed for a text that is no service URL."""
        address = self._reported(service_url)
        match self._look_up(topic, address, authoritative=False):
            case Done((owner, is_connect, _)):
                return Done(is_connect and owner == address)
            case Refused() | Unknown() as trouble:
                return trouble

    def coordinator(self, coordinator: CoordinatorId) -> Outcome[ClientConnection]:
        """A connection to a coordinator's broker that is connected to the coordinator; if there is no coordinator, one to the service
        address.

        For the coordinator of the client's key it is the connection that has the key, even if it is lost.
        """
        if self.keyed is not None and self.keyed.coordinator == coordinator:
            return Done(self.keyed.connection)
        if (known := self._that_knows(coordinator)) is not None:
            return Done(known)
        match self.has_coordinator(coordinator):
            case Done(exists) if not exists:
                return self.connection()
            case Refused() | Unknown() as trouble:
                return trouble
        return self._broker_of(coordinator).then(lambda connection: self._connected_to_coordinator(connection, coordinator))

    def way_to(self, coordinator: CoordinatorId) -> Outcome[ClientConnection]:
        """A connection to a coordinator's broker, for a key: a new one if this client's key is there already; that one is given up."""
        match self.has_coordinator(coordinator):
            case Done(exists) if not exists:
                return self.connection()
            case Refused() | Unknown() as trouble:
                return trouble
        if self.keyed is not None and (taken := self._connections.pop(self.keyed.connection.address, None)) is not None:
            self._former.append(taken)
        return self._broker_of(coordinator)

    def keep_key(self, keyed: Keyed) -> None:
        """Note that the client was granted a key."""
        self.keyed = keyed

    def forget_key(self) -> None:
        """Drop the client's key, and close the connection that has it."""
        if self.keyed is not None:
            self._connections.pop(self.keyed.connection.address, None)
            self.keyed.connection.close()
        self.keyed = None

    def has_coordinator(self, coordinator: CoordinatorId) -> Outcome[bool]:
        """Whether that coordinator exists; also False if the system has no coordinators."""
        if self._that_knows(coordinator) is not None or (self.keyed is not None and self.keyed.coordinator == coordinator):
            return Done(True)
        if coordinator.scalable:
            return self.scalable_coordinators().converted(lambda brokers: coordinator.number in brokers)
        match self.partitions(COORDINATORS):
            case Done(count):
                return Done(coordinator.number < count)
            case Refused(code=code) if code not in LOOKING:
                return Done(False)
            case trouble:
                return trouble

    def scalable_coordinators(self) -> Outcome[Mapping[int, str | None]]:
        """The coordinators of scalable topics' transactions, each with the service URL of its broker, None if the broker reports none."""
        return self.connection().then(lambda connection: coordinators(connection, self.next_request(), self.deadline_s))

    def forget_coordinator(self, coordinator: CoordinatorId) -> None:
        """The coordinator is no longer where it was: look it up again the next time."""
        for connection in self._connections.values():
            connection.coordinators.discard(coordinator)

    def close(self) -> None:
        """Close every connection."""
        for connection in (*self._connections.values(), *self._former):
            connection.close()
        self._connections.clear()
        self._former.clear()
        self._admin.close()

    def administer(self, request: AdminRequest) -> Done[AdminAnswer] | Unknown:
        """Make one admin call, and return its answer unread."""
        call = self.recorder.begin(self.name, "admin", request, {})
        return self._ended(call, self._admin.call(request, self.deadline_s))

    def begin_administering(self, request: AdminRequest) -> PendingAdministration:
        """Begin one admin call; `administered` waits for its answer."""
        call = self.recorder.begin(self.name, "admin", request, {})
        return PendingAdministration(request, call, self._admin.begin(request, self.deadline_s))

    def administered(self, pending: PendingAdministration, within_s: float) -> Done[AdminAnswer] | Unknown:
        """The answer to an admin call that was begun, unread. After Unknown the caller can wait again: the answer may come later."""
        if isinstance(known := pending.call.answer, AdminAnswer):
            return Done(known)
        match pending.on_its_way.answer(within_s):
            case None:
                return self._ended(pending.call, Unknown(f"{pending.request} was not answered within {within_s:g} s"))
            case answer:
                return self._ended(pending.call, answer)

    def _ended(self, call: PulsarCall, answer: Done[AdminAnswer] | Unknown) -> Done[AdminAnswer] | Unknown:
        match answer:
            case Done(answered):
                self.recorder.answered(call, answered)
            case Unreachable(reason):
                answer = self.recorder.unreachable(reason)
                self.recorder.lost(call, answer.reason)
            case Unknown(reason):
                self.recorder.lost(call, reason)
        return answer

    def _broker_of(self, coordinator: CoordinatorId) -> Outcome[ClientConnection]:
        """A connection to a coordinator's broker; to the service address if the system does not report the broker."""
        if not coordinator.scalable:
            return self.owner(f"{COORDINATORS}-partition-{coordinator.number}")
        match self.scalable_coordinators():
            case Done(brokers):
                url = brokers.get(coordinator.number)
            case trouble:
                return trouble
        address = None if url is None else parse_service_url(url)
        if url is not None and address is None:
            raise Malformed(f"the coordinator {coordinator.number} is reported to be at {url!r}, expected pulsar://HOST:PORT")
        return self.connection(address)

    def _that_knows(self, coordinator: CoordinatorId) -> ClientConnection | None:
        """A live connection on which this client has connected to the coordinator."""
        for connection in self._connections.values():
            if coordinator in connection.coordinators:
                connection.drain()
                if connection.lost is None:
                    return connection
        return None

    def _connected_to_coordinator(self, connection: ClientConnection, coordinator: CoordinatorId) -> Outcome[ClientConnection]:
        if coordinator in connection.coordinators:
            return Done(connection)
        number, flag = self.next_request(), coordinator.scalable or None
        call = connection.ask(pb.CommandTcClientConnectRequest(request_id=number, tc_id=coordinator.number, scalable=flag))
        match connection.answer(call, self.deadline_s):
            case Done(frame) if not frame.body.HasField("error"):
                connection.coordinators.add(coordinator)
                return Done(connection)
            case Done(frame):
                return refused(frame.body.error, frame.body.message)
            case unknown:
                return unknown

    def _look_up(self, topic: str, address: Address, authoritative: bool) -> Outcome[tuple[Address, bool, bool]]:
        """One LOOKUP: an address, whether the topic is served there, and whether the answer is authoritative."""
        match self.connection(address):
            case Done(connection):
                pass
            case trouble:
                return trouble
        call = connection.ask(pb.CommandLookupTopic(topic=topic, request_id=self.next_request(), authoritative=authoritative))
        match connection.answer(call, self.deadline_s):
            case Done(frame):
                answer = frame.body
            case unknown:
                return unknown
        if answer.HasField("error"):
            return refused(answer.error, answer.message)
        # A standalone broker answers this about itself; a proxy, which needs the address of the broker behind it, is not supported.
        if answer.response == pb.CommandLookupTopicResponse.Connect and answer.proxy_through_service_url:
            return Done((address, True, True))
        if self._over_tls and not answer.broker_service_url_tls:
            raise SystemUnreachable(
                f"{address} is reached over TLS, and its LOOKUP of {topic} answers only {answer.broker_service_url!r}: expected an address "
                "with TLS too. The brokers must have a brokerServicePortTls, and advertise it."
            )
        url = answer.broker_service_url_tls if self._over_tls else answer.broker_service_url
        owner = parse_service_url(url, self._over_tls)
        if owner is None:
            expected = f"{_SCHEMES[self._over_tls][0]}://HOST:PORT"
            raise Malformed(f"{address}: LOOKUP of {topic} answered the address {url!r}, expected {expected}")
        return Done((owner, answer.response == pb.CommandLookupTopicResponse.Connect, answer.authoritative))

    def _reported(self, service_url: str) -> Address:
        if (address := parse_service_url(service_url, self._over_tls)) is None:
            raise Malformed(f"a broker is said to be at {service_url!r}, expected {_SCHEMES[self._over_tls][0]}://HOST:PORT")
        return address


def parse_service_url(text: str, over_tls: bool = False) -> Address | None:
    """`pulsar://HOST:PORT`, or `pulsar+ssl://HOST:PORT` over TLS; None for any other text."""
    parts = urlsplit(text)
    scheme, usual_port = _SCHEMES[over_tls]
    try:
        port = parts.port or usual_port
    except ValueError:
        return None
    if parts.scheme != scheme or not parts.hostname or parts.path not in ("", "/") or "," in text:
        return None
    return Address(parts.hostname, port)
