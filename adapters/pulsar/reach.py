"""Reaching a broker over TCP and its admin interface over HTTP: the addresses, whether they answer, and whether transactions are served."""

from dataclasses import dataclass

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.faults import NoFaults
from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.adapters.common.suffixes import new_suffix
from fencepost.adapters.common.time import WallTime
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Faults
from fencepost.wire.pulsar.admin import AdminRequest

from .client import parse_service_url
from .connection import Connection
from .handshake import Offer
from .http import HttpAdmin
from .recording import Recorder
from .session import PulsarSession
from .tcp import TcpTransport
from .transport import AdminTransport, ConnectionLost, Transport
from .values import Action, TxnId, persistent

_CLIENT = "handshake"
_FIRST_NAMESPACE = AdminRequest("GET", "/admin/v2/namespaces/public/default")


@dataclass(frozen=True)
class Place:
    """Where a system is: its service address, and the URL of its admin interface."""

    service: Address
    admin_url: str

    def __str__(self) -> str:
        return f"pulsar://{self.service} with {self.admin_url}"


def parse_place(service_url: str, admin_url: str) -> Place:
    """The place that a user names. Raises WrongUsage, which shows no password."""
    for option, url in (("--service-url", service_url), ("--admin-url", admin_url)):
        if "@" in url:
            raise WrongUsage(f"{option} has a user or a password in it; fencepost does not log in: leave out what stands before the @")
    address = parse_service_url(service_url)
    if address is None:
        raise WrongUsage(f"{service_url!r} is not a service URL; expected pulsar://HOST:PORT, such as pulsar://127.0.0.1:6650")
    if not admin_url.startswith(("http://", "https://")):
        raise WrongUsage(f"{admin_url!r} is not the URL of an admin interface; expected http://HOST:PORT, such as http://127.0.0.1:8080")
    return Place(address, admin_url)


def connect(_client: str, address: Address) -> Transport:
    """A client's connection to a broker over TCP."""
    return TcpTransport(address)


def wall_session(place: Place, patience_s: float, faults: Faults, kind: type[PulsarSession] = PulsarSession) -> PulsarSession:
    """A session over TCP and HTTP, with names that no other session has."""

    def connect_admin() -> AdminTransport:
        return HttpAdmin(place.admin_url)

    return kind(place.service, connect, connect_admin, WallTime(patience_s), faults, new_suffix())


def ask(address: Address, within_s: float = ANSWER_WITHIN_S) -> Done[Offer] | Unknown:
    """What the broker at that address offers, asked once."""
    wall = WallTime(within_s)
    try:
        connection = Connection(_CLIENT, address, connect(_CLIENT, address), Recorder(wall.now_ms))
    except ConnectionLost as lost:
        return Unknown(str(lost), lost=True)
    try:
        match connection.connect(within_s):
            case Done(connected):
                return Done(Offer.of(connected))
            case unknown:
                return unknown
    finally:
        connection.close()


def reach(place: Place, within_s: float) -> Offer:
    """What the system offers, asked until its broker and its admin interface answer. Raises SystemUnreachable."""
    last: object = "nothing"
    for _ in WallTime(within_s).attempts():
        match ask(place.service, within_s):
            case Done(offer):
                last = _admin_answers(place)
                if isinstance(last, Done):
                    return offer
            case unknown:
                last = unknown.reason
    raise SystemUnreachable(
        f"no Pulsar broker answers at {place} within {within_s:g} s; the last attempt: {last}. "
        "Is it running, and are both without TLS and authentication?"
    )


def serves_transactions(place: Place, patience_s: float) -> Outcome[TxnId]:
    """What comes of beginning a transaction and ending it again, after writing one message to a topic of its own."""
    session = wall_session(place, patience_s, NoFaults(str(place)))
    probe = session.client(_CLIENT)
    try:
        topic = persistent(session.unique("fencepost-ready"))
        match probe.producer(topic):
            case Done(producer):
                probe.close_producer(producer)
                probe.delete_topic(topic)
            case trouble:
                return trouble
        outcome = probe.new_transaction()
        if isinstance(outcome, Done):
            ended = probe.end(outcome.value, Action.ABORT)
            return outcome if isinstance(ended, Done) else ended
        return outcome
    finally:
        session.close()


def _admin_answers(place: Place) -> Outcome[None]:
    """Whether the admin interface knows the namespace in which the suite makes its topics."""
    admin = HttpAdmin(place.admin_url)
    try:
        match admin.call(_FIRST_NAMESPACE, ANSWER_WITHIN_S):
            case Done(answer) if answer.status == 200:
                return Done(None)
            case Done(answer):
                return Refused("admin", answer.status, f"{_FIRST_NAMESPACE} at {place.admin_url}")
            case unknown:
                return unknown
    finally:
        admin.close()
