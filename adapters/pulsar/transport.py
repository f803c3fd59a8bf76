"""One client's way to one broker: frames out and frames in, or the connection is lost. And the same for admin calls.

A transport reads no frame's meaning and repeats nothing. It raises `ports.Malformed` for bytes that the protocol does not allow,
and `ConnectionLost` when there is no connection (any more).
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from fencepost.adapters.common.address import Address
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import Frame


class ConnectionLost(Exception):
    """There is no connection, or none any more; the message names the broker and says why."""


class Transport(Protocol):
    """A connection to one broker."""

    def send(self, frame: Frame) -> None:
        """Hand a frame over. Raises ConnectionLost."""
        ...

    def receive(self, within_s: float) -> Frame | None:
        """The next frame; None when none has come within that time, which may be none at all. Raises ConnectionLost."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...


class PendingAnswer(Protocol):
    """An admin call on its way."""

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:
        """What came of it, each time that it is asked; None when nothing has come within that time."""
        ...


class AdminTransport(Protocol):
    """A way to the admin interface."""

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:
        """Begin a call whose answer is asked for later."""
        ...

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        """Make one call."""
        ...

    def close(self) -> None:
        """Give the connection back; a later call makes a new one."""
        ...


Connect: TypeAlias = Callable[[str, Address], Transport]
"""Connects a named client to a broker. Raises ConnectionLost."""

ConnectAdmin: TypeAlias = Callable[[], AdminTransport]
"""Makes the transport of a client's admin calls; it connects at the first."""
