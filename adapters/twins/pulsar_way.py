"""A layer between a Pulsar client's connection and its broker, on which a disturbance makes requests that the client does not notice."""

import itertools
from collections import deque

from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.transport import PulsarTransport
from fencepost.wire.pulsar.frames import Frame, frame_of

from .performer import Performer

ANSWERED_WITHIN_S = 5.0
_FIRST_ID = 1 << 40
"""Request ids of a disturbance begin far above those of clients."""


class PulsarWay:
    """A transport that passes on what comes; a subclass disturbs it."""

    def __init__(self, inner: PulsarTransport, performer: Performer) -> None:
        self.inner = inner
        self.performer = performer
        self.came_between: deque[Frame] = deque()
        """What the client is to get before anything else: what came while the disturbance waited for an answer, in order."""
        self._ids = itertools.count(_FIRST_ID)
        self._waits_for: set[int] = set()
        """Requests of the disturbance without an answer yet; after a timeout one may still come."""
        self._noted: dict[int, Frame] = {}

    def send(self, frame: Frame) -> None:
        self.inner.send(frame)

    def note(self, request: Frame) -> None:
        """Let `answered` be called when this request of the client is answered."""
        self._noted[request.body.request_id] = request

    def receive(self, within_s: float) -> Frame | None:
        frame = self.came_between.popleft() if self.came_between else self._next(within_s)
        noted = self._noted.pop(id_of(frame), None) if frame is not None else None
        return frame if frame is None or noted is None else self.answered(noted, frame)

    def answered(self, request: Frame, answer: Frame) -> Frame:  # noqa: ARG002 - a subclass uses the request
        """What the client gets as the answer to a request that was noted."""
        return answer

    def close(self) -> None:
        self.inner.close()

    def ask(self, request: Frame) -> Frame | None:
        """The answer to this request under another id; None if none comes. Raises ConnectionLost."""
        asked = with_id(request, next(self._ids))
        number = asked.body.request_id
        self._waits_for.add(number)
        self.inner.send(asked)
        while (came := self.inner.receive(ANSWERED_WITHIN_S)) is not None:
            if not self._is_for_disturbance(came):
                self.came_between.append(came)
            elif came.body.request_id == number:
                return came
        return None

    def _next(self, within_s: float) -> Frame | None:
        while (frame := self.inner.receive(within_s)) is not None and self._is_for_disturbance(frame):
            pass
        return frame

    def _is_for_disturbance(self, frame: Frame) -> bool:
        number = id_of(frame)
        is_one = number in self._waits_for
        self._waits_for.discard(number)
        return is_one


class OnEachWay(Performer):
    """A disturbance on all connections of clients: each has a `way` between it and the broker."""

    session: PulsarSession
    way: type[PulsarWay]

    def begin(self) -> None:
        self.session.between(lambda transport, _again: self.way(transport, self))


def id_of(frame: Frame) -> int:
    """The id of a request or an answer; -1 for what has none."""
    number: int = getattr(frame.body, "request_id", -1)
    return number


def with_id(frame: Frame, number: int) -> Frame:
    """The same request or answer with another id."""
    body = type(frame.body)()
    body.CopyFrom(frame.body)
    body.request_id = number
    return frame_of(body)


def is_refusal(answer: Frame) -> bool:
    """Whether an answer is an error."""
    return bool(answer.body.DESCRIPTOR.fields_by_name.get("error") and answer.body.HasField("error"))
