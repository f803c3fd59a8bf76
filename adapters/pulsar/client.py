"""One client's connections, and where it finds what: the broker of a topic, and the coordinator of a transaction.

A lookup may answer with a redirect; it is followed, for a while. Where a topic is served is asked each time that a producer or
consumer is made, since an unload makes it wrong without a word; a coordinator is looked for again when it says that it is not
there.
"""

import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.outcomes import Unreachable
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .attached import Attached
from .connection import Connection
from .errors import LOOKING, refused
from .keyed import Keyed
from .recording import Call, Recorder
from .scalable_lookups import coordinators
from .transport import AdminTransport, Connect, ConnectionLost, PendingAnswer
from .values import Coordinator, TxnId

COORDINATORS = "persistent://pulsar/system/transaction_coordinator_assign"
"""The partitioned topic whose partitions belong to the coordinators; the owner of a partition is the coordinator's broker."""

_REDIRECTS = 10
_SCHEMES = {False: ("pulsar", 6650), True: ("pulsar+ssl", 6651)}
"""Of service URLs, by whether they are reached over TLS, with the port of those that name none."""


@dataclass(frozen=True)
class PendingAdministration:
    """An admin call on its way, and as what it is recorded."""

    request: AdminRequest
    call: Call
    on_its_way: PendingAnswer


class Client:
    """A client by its name in the scenario."""

    def __init__(
        self,
        name: str,
        service: Address,
        connect: Connect,
        admin: AdminTransport,
        recorder: Recorder,
        attached: Attached,
        deadline_s: float,
        principal: str | None = None,
        over_tls: bool = False,
    ) -> None:
        self.name = name
        self.principal = principal
        """Who the client says it is when it connects; None where it says nothing of that."""
        self.keyed: Keyed | None = None
        """The transaction key that it has, with the connection that has it, which may have been closed."""
        self.recorder = recorder
        self.attached = attached
        self.added: defaultdict[TxnId, set[str]] = defaultdict(set)
        """The topics that this client wanted to add to a transaction, for what it writes or acknowledges."""
        self._service = service
        self._over_tls = over_tls
        self._connect = connect
        self._admin = admin
        self.deadline_s = deadline_s
        """How long one answer is waited for."""
        self._connections: dict[Address, Connection] = {}
        self._former: list[Connection] = []
        """Those that had the client's key before, and which the broker is to close."""
        self._requests = itertools.count(1)
        self._numbers = itertools.count(1)

    def is_asked_first(self, service_url: str) -> bool:
        """Whether this is the URL of the broker at the service address, which answers administrators too."""
        return parse_service_url(service_url, self._over_tls) == self._service

    def next_request(self) -> int:
        """A request id that this client has not used."""
        return next(self._requests)

    def next_number(self) -> int:
        """A number for a producer or a consumer that this client has not used."""
        return next(self._numbers)

    def connection(self, address: Address | None = None) -> Outcome[Connection]:
        """The connection to that broker, or to the service address; made when there is none."""
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

    def new_connection(self, address: Address | None = None) -> Outcome[Connection]:
        """One more connection, separate from this client's; the caller closes it."""
        address = address or self._service
        try:
            connection = Connection(self.name, address, self._connect(self.name, address), self.recorder)
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
        """How many partitions a topic has; 0 where it has none."""
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

    def owner(self, topic: str) -> Outcome[Connection]:
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

    def at(self, service_url: str) -> Outcome[Connection]:
        """A connection to the broker at that service URL, whatever it serves. Raises Malformed for what is no service URL."""
        return self.connection(self._told(service_url))

    def is_served_by(self, topic: str, service_url: str) -> Outcome[bool]:
        """Whether the broker at that service URL says that it has a topic. Raises Malformed for what is no service URL."""
        address = self._told(service_url)
        match self._look_up(topic, address, authoritative=False):
            case Done((owner, is_connect, _)):
                return Done(is_connect and owner == address)
            case Refused() | Unknown() as trouble:
                return trouble

    def coordinator(self, coordinator: Coordinator) -> Outcome[Connection]:
        """A connection to the broker of a coordinator, which this client has connected to. The service address where there is none.

        To the coordinator of the client's key it is the one that has the key, also once that is lost.
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
        match self._broker_of(coordinator):
            case Done(connection):
                return self._connected_to_coordinator(connection, coordinator)
            case trouble:
                return trouble

    def way_to(self, coordinator: Coordinator) -> Outcome[Connection]:
        """A connection to the broker of a coordinator, for a key: not the one that has this client's key already, which is given up."""
        match self.has_coordinator(coordinator):
            case Done(exists) if not exists:
                return self.connection()
            case Refused() | Unknown() as trouble:
                return trouble
        if self.keyed is not None and (taken := self._connections.pop(self.keyed.connection.address, None)) is not None:
            self._former.append(taken)
        return self._broker_of(coordinator)

    def keep_key(self, keyed: Keyed) -> None:
        """The client has been granted a key."""
        self.keyed = keyed

    def forget_key(self) -> None:
        """The client has no key any more, and no connection that had one."""
        if self.keyed is not None:
            self._connections.pop(self.keyed.connection.address, None)
            self.keyed.connection.close()
        self.keyed = None

    def has_coordinator(self, coordinator: Coordinator) -> Outcome[bool]:
        """Whether there is that coordinator; False also where there are none at all."""
        if self._that_knows(coordinator) is not None or (self.keyed is not None and self.keyed.coordinator == coordinator):
            return Done(True)
        if coordinator.scalable:
            match self.scalable_coordinators():
                case Done(brokers):
                    return Done(coordinator.number in brokers)
                case trouble:
                    return trouble
        match self.partitions(COORDINATORS):
            case Done(count):
                return Done(coordinator.number < count)
            case Refused(code=code) if code not in LOOKING:
                return Done(False)
            case trouble:
                return trouble

    def scalable_coordinators(self) -> Outcome[Mapping[int, str | None]]:
        """The coordinators of scalable topics' transactions: for each the service URL where it is, None where the broker tells none."""
        match self.connection():
            case Done(connection):
                return coordinators(connection, self.next_request(), self.deadline_s)
            case trouble:
                return trouble

    def forget_coordinator(self, coordinator: Coordinator) -> None:
        """It is not where it was: look for it again the next time."""
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
        """Make one admin call. The answer is handed over unread."""
        call = self.recorder.begin(self.name, "admin", request, {})
        return self._ended(call, self._admin.call(request, self.deadline_s))

    def begin_administering(self, request: AdminRequest) -> PendingAdministration:
        """Begin one admin call; `administered` asks for its answer."""
        call = self.recorder.begin(self.name, "admin", request, {})
        return PendingAdministration(request, call, self._admin.begin(request, self.deadline_s))

    def administered(self, pending: PendingAdministration, within_s: float) -> Done[AdminAnswer] | Unknown:
        """The answer to an admin call that was begun, handed over unread. After Unknown it can be asked for again: it may come later."""
        if isinstance(known := pending.call.answer, AdminAnswer):
            return Done(known)
        match pending.on_its_way.answer(within_s):
            case None:
                return self._ended(pending.call, Unknown(f"{pending.request} was not answered within {within_s:g} s"))
            case answer:
                return self._ended(pending.call, answer)

    def _ended(self, call: Call, answer: Done[AdminAnswer] | Unknown) -> Done[AdminAnswer] | Unknown:
        match answer:
            case Done(answered):
                self.recorder.answered(call, answered)
            case Unreachable(reason):
                answer = self.recorder.unreachable(reason)
                self.recorder.lost(call, answer.reason)
            case Unknown(reason):
                self.recorder.lost(call, reason)
        return answer

    def _broker_of(self, coordinator: Coordinator) -> Outcome[Connection]:
        """A connection to the broker that a coordinator is at; the service address, where that is not told."""
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

    def _that_knows(self, coordinator: Coordinator) -> Connection | None:
        """The connection, still there, on which this client has connected to the coordinator."""
        for connection in self._connections.values():
            if coordinator in connection.coordinators:
                connection.drain()
                if connection.lost is None:
                    return connection
        return None

    def _connected_to_coordinator(self, connection: Connection, coordinator: Coordinator) -> Outcome[Connection]:
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
        """One LOOKUP: an address, whether the topic is served there, and whether that was said with authority."""
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
        # A standalone broker says so of itself; a proxy, which needs the address of the broker behind it, is not supported.
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

    def _told(self, service_url: str) -> Address:
        if (address := parse_service_url(service_url, self._over_tls)) is None:
            raise Malformed(f"a broker is said to be at {service_url!r}, expected {_SCHEMES[self._over_tls][0]}://HOST:PORT")
        return address


def parse_service_url(text: str, over_tls: bool = False) -> Address | None:
    """`pulsar://HOST:PORT`, or `pulsar+ssl://HOST:PORT` where it is reached over TLS; None where it is something else."""
    parts = urlsplit(text)
    scheme, usual_port = _SCHEMES[over_tls]
    try:
        port = parts.port or usual_port
    except ValueError:
        return None
    if parts.scheme != scheme or not parts.hostname or parts.path not in ("", "/") or "," in text:
        return None
    return Address(parts.hostname, port)
