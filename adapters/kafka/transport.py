"""One client's connection to one node: a request entity goes in, and the answer's entity, or an unknown outcome, comes out.

A transport neither interprets an answer nor repeats a request. It returns `Unknown` if there is no answer, and raises `ports.Malformed` if
the answer breaks the protocol.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.wire_faults import Orders
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.entities import api_of, title

Answer: TypeAlias = Callable[[], Done[ResponsePayload] | Unknown]
"""Waits for the answer to a request that was sent. Call it once, in the order in which the transport sent its requests."""


def named(request: RequestPayload) -> str:
    """A request as text: `EndTxn v5`."""
    return f"{title(api_of(request))} v{request.__version__}"


class ReadingOrder:
    """The order of a connection's answers, which is that of their requests. A client that leaves one unread would take it for the answer to
    the next request: that is a fault of the kit, not of the broker.
    """

    def __init__(self) -> None:
        self._sent = self._read = 0

    def note_sent(self) -> int:
        """Count a request that is sent now; returns its number."""
        self._sent += 1
        return self._sent

    @property
    def is_awaiting(self) -> bool:
        """Whether an answer has not been read yet."""
        return self._read < self._sent

    def check_next(self, number: int, request: RequestPayload) -> None:
        """The answer to that request is read now; it must be the next."""
        self._read += 1
        assert number == self._read, (
            f"the answer to {named(request)} is asked for, and {number - self._read} that come before it were not read"
        )


class KafkaTransport(Protocol):
    """A connection to one node that can be used again after every outcome."""

    def send(self, request: RequestPayload, deadline_s: float) -> Answer:
        """Send the request now; the returned function waits for its answer, within the deadline."""
        ...

    def call(self, request: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        """Send the request and wait for its answer, for at most `deadline_s` seconds."""
        ...

    def is_listened_to(self) -> bool:
        """Whether the node would read a request that is sent now; nothing is sent to find out."""
        ...

    def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        ...


Connect: TypeAlias = Callable[[str, Address], KafkaTransport]
"""Makes the transport of a named client to a node; it may connect only at the first call."""

ConnectAs: TypeAlias = Callable[[str], Connect]
"""Makes transports that log in as the user of that name. Raises NotOffered if the system has no logins."""


def without_login(user: str) -> Connect:
    """For systems without users."""
    raise NotOffered(f"authorizer: no client can log in here as the user {user!r}")


class Wire(Protocol):
    """Connections to all nodes that carry out orders about single requests."""

    orders: Orders

    def connect(self, client: str, address: Address) -> KafkaTransport:
        """The transport of a named client to a node."""
        ...

    def close(self) -> None:
        """Close all connections; held requests never arrive."""
        ...
