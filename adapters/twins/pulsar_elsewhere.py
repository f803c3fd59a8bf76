"""Requests of a Pulsar client that come on another connection: a broker answers by the state of the transaction, not by the connection.

The client's connection stays, with its producers and consumers. The other one is opened for one request, greets the broker as the client
did, and is closed after the answer.
"""

from collections.abc import Callable

from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.transport import ConnectionLost, PulsarTransport
from fencepost.wire.pulsar.frames import Frame
from fencepost.wire.pulsar.messages_pb2 import ServerError as Error

from .performer import Performer
from .pulsar_repeat import MAY_BE_REPEATED
from .pulsar_way import ANSWERED_WITHIN_S, PulsarWay

_ELSEWHERE = MAY_BE_REPEATED - {"GET_LAST_MESSAGE_ID", "TC_CLIENT_CONNECT_REQUEST"}
"""What may be repeated, except what depends on something that the connection has."""


class PulsarNewConnection(Performer):
    """Each of these requests comes on a separate connection."""

    idle = "no client sent a request that may come on another connection"

    session: PulsarSession
    comes_twice = False

    def begin(self) -> None:
        self.session.between(lambda transport, again: _Elsewhere(transport, again, self))


class PulsarAnswerLost(PulsarNewConnection):
    """The answer to each of these requests is lost; it is sent again on another connection, and that answer counts, unless the broker has
    forgotten the transaction that it ended.
    """

    comes_twice = True


def _is_forgotten(answer: Frame) -> bool:
    """Whether the end was done and its transaction is forgotten, as PIP-31 allows; a client cannot distinguish that from a lost end."""
    return answer.name == "END_TXN_RESPONSE" and answer.body.error == Error.TransactionNotFound


class _Elsewhere(PulsarWay):
    """A way whose requests are asked on other connections, `again` opens one."""

    def __init__(self, inner: PulsarTransport, again: Callable[[], PulsarTransport], performer: PulsarNewConnection) -> None:
        super().__init__(inner, performer)
        self._again = again
        self._comes_twice = performer.comes_twice
        self._greetings: dict[object, Frame] = {}
        """What a new connection says first: CONNECT, and to which coordinators it connects."""

    def send(self, frame: Frame) -> None:
        if frame.name in ("CONNECT", "TC_CLIENT_CONNECT_REQUEST"):
            self._greetings[frame.name, getattr(frame.body, "tc_id", None)] = frame
        if not self.performer.is_active or frame.name not in _ELSEWHERE:
            super().send(frame)
        elif self._comes_twice:
            self.note(frame)
            super().send(frame)
        elif (answer := self._asked_elsewhere(frame)) is not None:
            self.came_between.append(answer)
        else:
            super().send(frame)

    def answered(self, request: Frame, answer: Frame) -> Frame:
        again = self._asked_elsewhere(request)
        return answer if again is None or _is_forgotten(again) else again

    def _asked_elsewhere(self, asked: Frame) -> Frame | None:
        """The answer on another connection; None where it does not come, or cannot be asked for."""
        try:
            other = self._again()
        except ConnectionLost:
            return None
        try:
            for frame in (*self._greetings.values(), asked):
                other.send(frame)
                answer = other.receive(ANSWERED_WITHIN_S)
                while answer is not None and answer.name == "PING":
                    answer = other.receive(ANSWERED_WITHIN_S)
                if answer is None:
                    return None
        except ConnectionLost:
            return None
        finally:
            other.close()
        self.performer.did("asked on another connection", "time")
        return answer
