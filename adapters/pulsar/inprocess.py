"""The same transports without bytes: they pass frames and admin calls to a broker in this process.

Waiting for a frame moves the broker's virtual clock.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

from fencepost.adapters.common.time import STEP_MS
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import Frame

from .transport import ConnectionLost, PendingAnswer


class BrokerConnection(Protocol):
    """A client's connection, as the broker sees it."""

    is_open: bool

    def handle(self, frame: Frame) -> None:
        """Handle a frame of the client. Frames for the client, also later ones, wait until `take`."""
        ...

    def take(self) -> Frame | None:
        """The next frame for the client, in the order in which the broker sent them."""
        ...

    def close(self) -> None:
        """The client has closed the connection."""
        ...


class ClockedBroker(Protocol):
    """A broker with a virtual clock."""

    def connect(self) -> BrokerConnection | None:
        """A new connection; None while the broker is down."""
        ...

    def admin(self, request: AdminRequest) -> AdminAnswer | None:
        """Answer an admin call; None while the broker is down."""
        ...

    def advance(self, ms: float) -> None:
        """Let time pass."""
        ...


@runtime_checkable
class StepsAdminCalls(Protocol):
    """A broker with admin calls that take steps of virtual time, so that other requests come between."""

    def begin_admin(self, request: AdminRequest) -> Callable[[], AdminAnswer | None] | None:
        """Begin a call; the returned function gives the answer, or None as long as there is none. Returns None while the broker is down."""
        ...


class InProcessPulsarTransport:
    """A connection to a broker in this process."""

    def __init__(self, broker: ClockedBroker) -> None:
        self._broker = broker
        connection = broker.connect()
        if connection is None:
            raise ConnectionLost("the broker is down")
        self._connection = connection

    def send(self, frame: Frame) -> None:
        """Pass the frame to the broker."""
        self._check()
        self._connection.handle(frame)

    def receive(self, within_s: float) -> Frame | None:
        """Wait for a frame, advancing the clock until there is one."""
        left_ms = within_s * 1000
        while (frame := self._connection.take()) is None:
            self._check()
            if left_ms <= 0:
                return None
            self._broker.advance(min(STEP_MS, left_ms))
            left_ms -= STEP_MS
        return frame

    def close(self) -> None:
        """Notify the broker that the client has gone."""
        self._connection.close()

    def _check(self) -> None:
        if not self._connection.is_open:
            raise ConnectionLost("the broker closed the connection")


class _Stepped:
    """An admin call that continues as time passes."""

    def __init__(self, broker: ClockedBroker, request: AdminRequest, take: Callable[[], AdminAnswer | None] | None) -> None:
        self._broker = broker
        self._request = request
        self._take = take

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:
        if self._take is None:
            return _down(self._request)
        left_ms = within_s * 1000
        while (answer := self._take()) is None:
            if left_ms <= 0:
                return None
            self._broker.advance(min(STEP_MS, left_ms))
            left_ms -= STEP_MS
        return Done(answer)


class InProcessAdmin:
    """The admin interface of a broker in this process."""

    def __init__(self, broker: ClockedBroker) -> None:
        self._broker = broker

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:  # noqa: ARG002 - nothing takes time here
        """Pass the call to the broker."""
        answer = self._broker.admin(_decoded(request))
        return _down(request) if answer is None else Done(answer)

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:  # noqa: ARG002 - likewise
        """Pass the call to the broker; if its calls take no steps, it answers at once."""
        if isinstance(self._broker, StepsAdminCalls):
            return _Stepped(self._broker, request, self._broker.begin_admin(_decoded(request)))
        answer = self._broker.admin(_decoded(request))
        return _Stepped(self._broker, request, None if answer is None else lambda: answer)

    def close(self) -> None:
        """There is nothing to release."""


def _decoded(request: AdminRequest) -> AdminRequest:
    """The request as an HTTP server decodes it: the path is percent-encoded on the wire."""
    return replace(request, path=unquote(request.path))


def _down(request: AdminRequest) -> Unknown:
    return Unknown(f"the broker is down and does not answer {request}", lost=True)
