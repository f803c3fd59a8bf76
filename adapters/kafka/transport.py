"""One client's way to one node: a request entity in, the answer's entity out, or nobody knows.

A transport neither reads an answer nor repeats a request. It says `Unknown` when there is no answer, and raises
`ports.Malformed` when there is one that the protocol does not allow.
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
"""Waits for the answer to a request that was sent. To be called once, in the order in which the requests of a transport were sent."""


def named(request: RequestPayload) -> str:
    """A request for people: `EndTxn v5`."""
    return f"{title(api_of(request))} v{request.__version__}"


class ReadingOrder:
    """The answers of one connection, which are read in the order in which their requests were sent. A client that leaves one unread would
    take it for the answer to the next: that is a fault of the kit, and nothing that a broker does.
    """

    def __init__(self) -> None:
        self._sent = self._read = 0

    def note_sent(self) -> int:
        """The number of a request that is sent now."""
        self._sent += 1
        return self._sent

    @property
    def is_awaiting(self) -> bool:
        """Whether an answer has not been read yet."""
        return self._read < self._sent

    def check_next(self, number: int, request: RequestPayload) -> None:
        """The answer to that request is read now."""
        self._read += 1
        assert number == self._read, (
            f"the answer to {named(request)} is asked for, and {number - self._read} that come before it were not read"
        )


class Transport(Protocol):
    """A way to one node that can be used again after every outcome."""

    def send(self, request: RequestPayload, deadline_s: float) -> Answer:
        """Send the request now; its answer is waited for, within the deadline, when it is wanted."""
        ...

    def call(self, request: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        """Send the request and wait for its own answer, for at most `deadline_s` seconds."""
        ...

    def is_listened_to(self) -> bool:
        """Whether the node would read a request that is sent now; nothing is sent to find out."""
        ...

    def close(self) -> None:
        """Give the connection back; a later call makes a new one."""
        ...


Connect: TypeAlias = Callable[[str, Address], Transport]
"""Makes the transport of a named client to a node; it may wait with connecting until the first call."""

ConnectAs: TypeAlias = Callable[[str], Connect]
"""The same for clients that log in as the user of that name. Raises NotOffered where nobody can log in."""


def nobody_logs_in(user: str) -> Connect:
    """For systems that know no users."""
    raise NotOffered(f"authorizer: no client can log in here as the user {user!r}")


class Wire(Protocol):
    """A way to all nodes on which orders are carried out."""

    orders: Orders

    def connect(self, client: str, address: Address) -> Transport:
        """The transport of a named client to a node."""
        ...

    def close(self) -> None:
        """Give everything back; held requests never arrive."""
        ...
