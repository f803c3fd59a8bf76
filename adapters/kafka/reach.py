"""Reaching a broker over TCP: its address, whether it answers, and whether it serves transactions yet."""

import socket
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.adapters.common.suffixes import new_suffix
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.common.tls import dial
from fencepost.adapters.common.wire_faults import WIRE_FAULTS
from fencepost.contract.errors import Malformed, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.contract.ports import Faults

from .cluster import METADATA_VERSIONS, Cluster
from .handshake import ask
from .kafka_login import KafkaLogin, Passwords
from .kafka_recording import KafkaRecorder
from .kafka_session import KafkaSession
from .kafka_values import ProducerIdentity
from .offer import KafkaOffer
from .probe import TakeFromPool, no_pool
from .proxy import ProxiedWire
from .security import OPEN, KafkaSecurity
from .tcp import KafkaTcpTransport
from .transport import Connect, without_login

_CLIENT = "handshake"

_NODE_WITHIN_S = 1.0
_TIMES_THE_FIRST = 3
"""How long an advertised node has for its answer: a second, and more where the first node was slow, as every answer is over a long line."""


def parse_address(text: str) -> Address:
    """`HOST:PORT`, and `[HOST]:PORT` for an address with colons."""
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host or "," in host:
        host = ""
    if not host or not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 65536:
        reported = repr(text) if "@" not in text else "what stands before and after the @ (not shown)"
        raise WrongUsage(f"{reported} is not an address; expected HOST:PORT, such as 127.0.0.1:9092")
    return Address(host, int(port))


def parse_addresses(text: str) -> tuple[Address, ...]:
    """One address, or several separated by commas. Raises WrongUsage."""
    return tuple(dict.fromkeys(parse_address(one.strip()) for one in text.split(",")))


def connect(client: str, address: Address, security: KafkaSecurity = OPEN) -> KafkaTcpTransport:
    """A client's transport to a node over TCP; it connects at the first call."""
    return KafkaTcpTransport(f"fencepost-{client}", address, security.login, partial(dial, tls=security.tls))


@dataclass(frozen=True)
class Users:
    """The users of a broker, by their passwords; clients log in as the first one unless a scenario names another. Without users, clients
    log in as `security` specifies. All connections use `security`.
    """

    passwords: Passwords
    security: KafkaSecurity = OPEN

    @property
    def connect(self) -> Connect:
        """The transport of clients for which no scenario names a user."""
        return partial(connect, security=self.usual)

    @property
    def usual(self) -> KafkaSecurity:
        """The security settings of those clients' connections."""
        users = list(self.passwords.by_user)
        return KafkaSecurity(self.security.tls, self._login(users[0])) if users else self.security

    def opened(self, address: Address) -> socket.socket:
        """A connection of such a client, which the caller uses directly. Raises SystemUnreachable, Malformed, OSError."""
        return connect(_CLIENT, address, self.usual).opened(ANSWER_WITHIN_S)

    def connect_as(self, user: str) -> Connect:
        """The transport of clients that log in as that user."""
        if user not in self.passwords.by_user:
            return without_login(user)
        return partial(connect, security=KafkaSecurity(self.security.tls, self._login(user)))

    def _login(self, user: str) -> KafkaLogin:
        return self.passwords.login(user, self.security.mechanism)


NO_USERS = Users(Passwords({}))
"""For a broker without logins."""


def wall_session(
    bootstrap: Address,
    offer: KafkaOffer,
    patience_s: float,
    faults: Faults,
    needs: Collection[str] = frozenset(),
    *,
    users: Users = NO_USERS,
    take_from_pool: TakeFromPool = no_pool,
) -> KafkaSession:
    """A session over TCP, with names that no other session has."""
    return KafkaSession(
        bootstrap,
        users.connect,
        offer,
        WallTime(patience_s, hears_of_changes=True),
        faults,
        new_suffix(),
        connect_as=users.connect_as,
        take_from_pool=take_from_pool,
        wire=ProxiedWire(users.usual) if WIRE_FAULTS in needs else None,
    )


def reach(address: Address, within_s: float, users: Users = NO_USERS) -> KafkaOffer:
    """The offer of the node at that address, which is asked until it answers."""
    return reach_one((address,), within_s, users)[1]


def reach_one(addresses: Sequence[Address], within_s: float, users: Users = NO_USERS) -> tuple[Address, KafkaOffer]:
    """The first of these nodes that answers, and its offer; all are asked in turn until one does."""
    end = time.monotonic() + within_s
    reasons: dict[Address, str] = {}
    for _ in WallTime(within_s).attempts():
        for number, address in enumerate(addresses):
            transport = users.connect(_CLIENT, address)
            try:
                outcome = ask(transport, max(0.1, (end - time.monotonic()) / (len(addresses) - number)))
            except SystemUnreachable as error:
                if len(addresses) == 1:
                    raise
                outcome = Unknown(str(error))
            finally:
                transport.close()
            if isinstance(outcome, Done):
                return address, outcome.value
            reasons[address] = outcome.reason
    named = ", ".join(map(str, addresses))
    as_what = (
        "is this a listener without TLS and authentication? For others use --client-properties FILE, or --tls-ca FILE"
        if users.usual == OPEN
        else f"is this a listener for {users.usual}?"
    )
    as_what = as_what if as_what.endswith("?") else as_what + "."
    raise SystemUnreachable(
        f"no Kafka broker answers at {named} within {within_s:g} s; the last attempt: {'; '.join(reasons.values()) or 'nothing'}. "
        f"Is it running, and {as_what}"
    )


def readable(bootstrap: Address, offer: KafkaOffer, users: Users = NO_USERS) -> tuple[KafkaOffer, list[str]]:
    """The offer without the versions of Metadata whose answers break the protocol, and a line about it.

    Every scenario looks up its nodes, so all scenarios would be red because of one fault that no requirement is about. Raises Malformed if
    no version is left.
    """
    fault = ""
    wall = WallTime(ANSWER_WITHIN_S)
    while True:
        version = offer.highest("metadata", *METADATA_VERSIONS)
        cluster = Cluster(_CLIENT, bootstrap, users.connect, KafkaRecorder(wall.now_ms), offer, ANSWER_WITHIN_S)
        try:
            cluster.brokers()
        except Malformed as error:
            if not offer.has("metadata", version - 1) or version == METADATA_VERSIONS[0]:
                raise
            fault = fault or str(error)
            offer = offer.up_to("metadata", version - 1)
        else:
            return offer, [f"Fencepost uses Metadata v{version}, because newer answers break the protocol: {fault}"] if fault else []
        finally:
            cluster.close()


def brokers(bootstrap: Address, offer: KafkaOffer, users: Users = NO_USERS) -> dict[int, Address]:
    """The addresses that the cluster advertises. Raises SystemUnreachable if one of them does not answer."""
    wall = WallTime(ANSWER_WITHIN_S)
    cluster = Cluster(_CLIENT, bootstrap, users.connect, KafkaRecorder(wall.now_ms), offer, ANSWER_WITHIN_S)
    began = time.monotonic()
    try:
        outcome = cluster.brokers()
    finally:
        cluster.close()
    within_s = _NODE_WITHIN_S + _TIMES_THE_FIRST * (time.monotonic() - began)
    if not isinstance(outcome, Done):
        raise SystemUnreachable(f"the Kafka broker at {bootstrap} does not answer Metadata: {outcome}")
    for node, address in outcome.value.items():
        try:
            reach(address, within_s, users)
        except SystemUnreachable as error:
            raise SystemUnreachable(
                f"the Kafka broker at {bootstrap} answers, but node {node} advertises {address}, and that does not: {error} "
                "Set advertised.listeners to an address that this machine can reach."
            ) from error
    return outcome.value


REQUIRED_TIMEOUT_MS = 360_000
"""The longest transaction timeout that scenarios ask of a broker whose limits are not known."""


def serves_transactions(
    bootstrap: Address,
    offer: KafkaOffer,
    patience_s: float,
    users: Users = NO_USERS,
) -> Outcome[ProducerIdentity]:
    """The outcome of initialising a new transactional id, with the longest timeout that is asked of every broker. The first one on a
    broker makes it create the coordinator's log.
    """
    session = wall_session(bootstrap, offer, patience_s, NoFaults(str(bootstrap)), users=users)
    try:
        return session.client(_CLIENT).init_producer_id(session.unique("fencepost-ready"), timeout_ms=REQUIRED_TIMEOUT_MS)
    finally:
        session.close()
