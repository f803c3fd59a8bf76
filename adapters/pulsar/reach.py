"""Reaching a broker over TCP and its admin interface over HTTP: the addresses, whether they answer, and whether transactions are served."""

import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from fencepost.adapters.common.access_token import TOKEN
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.adapters.common.suffixes import new_suffix
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.common.tls import speaks_tls
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Faults
from fencepost.wire.pulsar.admin import AdminRequest

from .client import parse_service_url
from .connection import ClientConnection
from .handshake import PulsarOffer
from .http import HttpAdmin
from .pulsar_recording import PulsarRecorder
from .pulsar_session import PulsarSession
from .pulsar_values import TransactionId, TxnAction, persistent
from .security import OPEN, PulsarSecurity
from .tcp import PulsarTcpTransport
from .transport import ConnectionLost

C = TypeVar("C", Address, str)
T = TypeVar("T")

_CLIENT = "handshake"
_TRUST = "and --tls-ca FILE unless this machine trusts its authority"
_FIRST_NAMESPACE = AdminRequest("GET", "/admin/v2/namespaces/public/default")
_EXPLAINED_WITHIN_S = 2.0
"""How long a TLS handshake may take with a listener that does not answer; it would explain the silence."""


@dataclass(frozen=True)
class ServiceUrls:
    """The address of a system and how to reach it: its service address, and the URL of its admin interface."""

    service: Address
    admin_url: str
    security: PulsarSecurity = OPEN

    @property
    def service_url(self) -> str:
        return f"{'pulsar' if self.security.service is None else 'pulsar+ssl'}://{self.service}"

    def __str__(self) -> str:
        return f"{self.service_url} with {self.admin_url}"

    def connect(self, _client: str, address: Address, within_s: float = ANSWER_WITHIN_S) -> PulsarTcpTransport:
        """A client's connection to a broker. Raises ConnectionLost, SystemUnreachable."""
        return PulsarTcpTransport(address, self.security.service, self.security.login, within_s)

    def connect_admin(self) -> HttpAdmin:
        """A client of the admin interface."""
        return HttpAdmin(self.admin_url, self.security.admin, self.security.token)


@dataclass(frozen=True)
class Addresses:
    """The addresses that a user gives: one service address or several, and one URL of an admin interface or several."""

    services: Sequence[Address]
    admin_urls: Sequence[str]
    security: PulsarSecurity = OPEN

    def place(self, service: Address | None = None, admin_url: str | None = None) -> ServiceUrls:
        """One of the addresses with one of the URLs; by default the first."""
        return ServiceUrls(service or self.services[0], admin_url or self.admin_urls[0], self.security)

    def passed_over(self, place: ServiceUrls) -> list[str]:
        """A line about the addresses before these that do not answer, if there are any."""
        services = self.services[: self.services.index(place.service)]
        before = [*map(str, services), *self.admin_urls[: self.admin_urls.index(place.admin_url)]]
        return [f"no answer from {', '.join(before)}"] if before else []

    def __str__(self) -> str:
        scheme, _, first = self.place().service_url.partition("://")
        return f"{scheme}://{','.join((first, *map(str, self.services[1:])))} with {','.join(self.admin_urls)}"


def parse_addresses(service_url: str, admin_url: str, options: Mapping[str, str]) -> Addresses:
    """The addresses in the two URLs and in the options about TLS and logins. Each URL may have several hosts separated by commas, as for
    Pulsar's clients. Raises WrongUsage, which shows no password.
    """
    for option, url in (("--service-url", service_url), ("--admin-url", admin_url)):
        if "@" in url:
            raise WrongUsage(
                f"{option} has a user or a password in it: leave out what stands before the @; --{TOKEN} says where a token is that logs in"
            )
    scheme, hosts = _hosts(service_url)
    found = [parse_service_url(f"{scheme}://{host}", scheme == "pulsar+ssl") for host in hosts]
    services = [service for service in found if service is not None]
    if len(services) < len(hosts):
        raise WrongUsage(
            f"{service_url!r} is not a service URL; expected pulsar://HOST:PORT or pulsar+ssl://HOST:PORT, such as pulsar://127.0.0.1:6650"
        )
    admin_scheme, admin_hosts = _hosts(admin_url)
    if admin_scheme not in ("http", "https") or not all(admin_hosts):
        raise WrongUsage(
            f"{admin_url!r} is not the URL of an admin interface; expected http://HOST:PORT or https://HOST:PORT, such as "
            "http://127.0.0.1:8080"
        )
    security = PulsarSecurity.of(options, scheme == "pulsar+ssl", admin_scheme == "https")
    return Addresses(services, [f"{admin_scheme}://{host}" for host in admin_hosts], security)


def _hosts(url: str) -> tuple[str, list[str]]:
    """The scheme of a URL, and its hosts with their ports."""
    scheme, _, hosts = url.partition("://")
    return scheme, [host.strip() for host in hosts.rstrip("/").split(",")]


def wall_session(place: ServiceUrls, patience_s: float, faults: Faults, kind: type[PulsarSession] = PulsarSession) -> PulsarSession:
    """A session over TCP and HTTP, with names that no other session has."""
    over_tls = place.security.service is not None
    return kind(place.service, place.connect, place.connect_admin, WallTime(patience_s), faults, new_suffix(), over_tls=over_tls)


def ask(place: ServiceUrls, within_s: float = ANSWER_WITHIN_S) -> Done[PulsarOffer] | Unknown:
    """The offer of the broker at the service address, asked once. Raises SystemUnreachable if another attempt would not help."""
    wall = WallTime(within_s)
    try:
        connection = ClientConnection(_CLIENT, place.service, place.connect(_CLIENT, place.service, within_s), PulsarRecorder(wall.now_ms))
    except ConnectionLost as lost:
        return Unknown(str(lost), lost=True)
    try:
        return connection.connect(within_s).converted(PulsarOffer.of)
    finally:
        connection.close()


def reach(place: ServiceUrls, within_s: float) -> PulsarOffer:
    """The system's offer, asked until its broker and its admin interface answer. Raises SystemUnreachable."""
    return reach_one(Addresses([place.service], [place.admin_url], place.security), within_s)[1]


def reach_one(addresses: Addresses, within_s: float) -> tuple[ServiceUrls, PulsarOffer]:
    """The first service address that answers, with the first admin interface that does, and the broker's offer; all are asked in turn until
    both are found. Raises SystemUnreachable.
    """
    end = time.monotonic() + within_s
    reasons: dict[Address | str, str] = {}
    for _ in WallTime(within_s).attempts():
        reasons.clear()

        def left_s(many: int) -> float:
            return max(0.1, (end - time.monotonic()) / many)

        service = _first(addresses.services, lambda one: ask(addresses.place(one), left_s(len(addresses.services))), reasons)
        if service is None:
            continue
        admin = _first(
            addresses.admin_urls, lambda url: _admin_answers(addresses.place(admin_url=url), left_s(len(addresses.admin_urls))), reasons
        )
        if admin is not None:
            return addresses.place(service[0], admin[0]), service[1]
    raise SystemUnreachable(
        f"no Pulsar broker answers at {addresses} within {within_s:g} s; the last attempt: {'; '.join(reasons.values()) or 'nothing'}. "
        f"{_explained(addresses)}"
    )


def _first(candidates: Sequence[C], asked: Callable[[C], Outcome[T]], reasons: MutableMapping[Address | str, str]) -> tuple[C, T] | None:
    """The first that answers, and its answer; others' reasons are noted. Raises SystemUnreachable if there is only one candidate."""
    for candidate in candidates:
        try:
            outcome = asked(candidate)
        except SystemUnreachable as error:
            if len(candidates) == 1:
                raise
            outcome = Unknown(str(error))
        if isinstance(outcome, Done):
            return candidate, outcome.value
        reasons[candidate] = outcome.reason if isinstance(outcome, Unknown) else str(outcome)
    return None


def _explained(addresses: Addresses) -> str:
    """What the user should check when there is no answer."""
    security = addresses.security
    if security.service is None and any(speaks_tls(service, _EXPLAINED_WITHIN_S) for service in addresses.services):
        return f"There is TLS at the service address: use pulsar+ssl://HOST:PORT, {_TRUST}"
    if security.admin is None and any(speaks_tls(_address_of(url), _EXPLAINED_WITHIN_S) for url in addresses.admin_urls):
        return f"There is TLS at the admin interface: use https://HOST:PORT, {_TRUST}"
    if security == OPEN:
        return "Is it running, and are both without TLS and authentication? Others are reached by pulsar+ssl://, https:// and --token"
    return f"Is it running, and are both for {security}?"


def _address_of(url: str) -> Address:
    parts = urlsplit(url)
    return Address(parts.hostname or "", parts.port or 80)


def serves_transactions(place: ServiceUrls, patience_s: float) -> Outcome[TransactionId]:
    """The outcome of beginning and aborting a transaction, after opening a producer of a separate topic."""
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
            ended = probe.end(outcome.value, TxnAction.ABORT)
            return outcome if isinstance(ended, Done) else ended
        return outcome
    finally:
        session.close()


def _admin_answers(place: ServiceUrls, within_s: float) -> Outcome[None]:
    """Whether the admin interface has the namespace in which the suite makes its topics. Raises AccessRefused."""
    admin = place.connect_admin()
    try:
        match admin.call(_FIRST_NAMESPACE, within_s):
            case Done(answer) if answer.status == 200:
                return Done(None)
            case Done(answer):
                return Refused("admin", answer.status, f"{_FIRST_NAMESPACE} at {place.admin_url}")
            case unknown:
                return unknown
    finally:
        admin.close()
