"""Requests of a Pulsar client that come on another connection: a broker answers by what it knows of the transaction, not by who asks where.

The client's connection stays, with its producers and consumers. The other one is opened for one request, greets the broker as the client
did, and is closed after the answer.
"""

from collections import deque
from collections.abc import Callable

from fencepost.adapters.pulsar.session import PulsarSession
from fencepost.adapters.pulsar.transport import ConnectionLost, Transport
from fencepost.wire.pulsar.frames import Frame

from .performer import Performer
from .pulsar_repeat import ANSWERED_WITHIN_S, MAY_BE_REPEATED

_ELSEWHERE = MAY_BE_REPEATED - {"GET_LAST_MESSAGE_ID", "TC_CLIENT_CONNECT_REQUEST"}
"""What may be repeated, except what depends on something that the connection has."""


class PulsarNewConnection(Performer):
    """Each of these requests comes on a separate connection."""

    session: PulsarSession
    comes_twice = False

    def begin(self) -> None:
        self.session.between(lambda transport, again: _Elsewhere(transport, again, self))


class PulsarAnswerLost(PulsarNewConnection):
    """The answer to each of these requests is lost; it is sent again on another connection, and that answer counts."""

    comes_twice = True


class _Elsewhere:
    """A transport whose requests are asked on other connections, `again` opens one."""

    def __init__(self, inner: Transport, again: Callable[[], Transport], performer: PulsarNewConnection) -> None:
        self._inner = inner
        self._again = again
        self._performer = performer
        self._greetings: dict[object, Frame] = {}
        """What a new connection says first: CONNECT, and to which coordinators it connects."""
        self._asked: dict[int, Frame] = {}
        self._answers: deque[Frame] = deque()

    def send(self, frame: Frame) -> None:
        if frame.name in ("CONNECT", "TC_CLIENT_CONNECT_REQUEST"):
            self._greetings[frame.name, getattr(frame.body, "tc_id", None)] = frame
        if not self._performer.is_active or frame.name not in _ELSEWHERE:
            self._inner.send(frame)
        elif self._performer.comes_twice:
            self._asked[frame.body.request_id] = frame
            self._inner.send(frame)
        elif (answer := self._asked_elsewhere(frame)) is not None:
            self._answers.append(answer)
        else:
            self._inner.send(frame)

    def receive(self, within_s: float) -> Frame | None:
        if self._answers:
            return self._answers.popleft()
        frame = self._inner.receive(within_s)
        asked = self._asked.pop(getattr(frame.body, "request_id", -1), None) if frame is not None else None
        return frame if asked is None else self._asked_elsewhere(asked) or frame

    def close(self) -> None:
        self._inner.close()

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
        return answer
