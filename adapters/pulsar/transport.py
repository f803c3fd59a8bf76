"""One client's connection to one broker: frames go out and come in, or the connection is lost. The same for admin calls.

A transport neither interprets nor repeats frames. It raises `ports.Malformed` for bytes that the protocol does not allow, and
`ConnectionLost` if there is no connection (any more).
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from fencepost.adapters.common.address import Address
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import Frame


class ConnectionLost(Exception):
    """There is no connection (any more); the message names the broker and the reason."""


class PulsarTransport(Protocol):
    """A connection to one broker."""

    def send(self, frame: Frame) -> None:
        """Send a frame. Raises ConnectionLost."""
        ...

    def receive(self, within_s: float) -> Frame | None:
        """The next frame; None if none has come within that time, which may be 0. Raises ConnectionLost."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class PendingAnswer(Protocol):
    """An admin call in flight."""

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:
        """The outcome of the call, each time that it is asked; None if there is none within that time."""
        ...


class AdminTransport(Protocol):
    """A client of the admin interface."""

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:
        """Begin a call; the answer is awaited later."""
        ...

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        """Make one call."""
        ...

    def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        ...


Connect: TypeAlias = Callable[[str, Address], PulsarTransport]
"""Connects a named client to a broker. Raises ConnectionLost."""

ConnectAdmin: TypeAlias = Callable[[], AdminTransport]
"""Makes the transport of a client's admin calls; it connects at the first."""
