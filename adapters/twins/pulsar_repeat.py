"""Frames of a Pulsar client that arrive twice.

A client that has lost its connection sends unanswered frames again on the next one, so a broker may receive twice what a client sent once.
A message without deduplication, and a request for a new transaction, are not repeated: the second one would be another.
"""

import contextlib
import itertools
from collections import deque

from fencepost.adapters.pulsar.session import PulsarSession
from fencepost.adapters.pulsar.transport import ConnectionLost, Transport
from fencepost.wire.pulsar.frames import Frame, frame_of

from .performer import Performer

MAY_BE_REPEATED = frozenset(
    {"ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN", "GET_LAST_MESSAGE_ID", "LOOKUP", "PARTITIONED_METADATA"}
    | {"TC_CLIENT_CONNECT_REQUEST"}
)
"""Requests that only read, or that ask for a state and not for a step."""


def may_be_repeated(frame: Frame) -> bool:
    """Whether a second one changes nothing. With a transaction key each connect takes the next epoch of that key."""
    return frame.name in MAY_BE_REPEATED and not (frame.name == "TC_CLIENT_CONNECT_REQUEST" and frame.body.HasField("transaction_key"))


ANSWERED_WITHIN_S = 5.0
_FIRST_ID = 1 << 40
"""Request ids of repetitions begin far above those of clients."""


class PulsarTwice(Performer):
    """The performer sends each request that may be repeated once more after its answer; the client gets the first answer."""

    session: PulsarSession

    def begin(self) -> None:
        self.session.between(lambda transport, _again: _Repeating(transport, self))


class _Repeating:
    """A transport that repeats requests, and keeps the answers to the repetitions from the client."""

    def __init__(self, inner: Transport, performer: Performer) -> None:
        self._inner = inner
        self._performer = performer
        self._ids = itertools.count(_FIRST_ID)
        self._asked: dict[int, Frame] = {}
        self._came_between: deque[Frame] = deque()
        """What the broker sent while the performer waited for the answer to a repetition, in order."""
        self._waits_for: set[int] = set()
        """Repetitions without an answer yet; after a timeout one may still come."""

    def send(self, frame: Frame) -> None:
        if self._performer.is_active and may_be_repeated(frame):
            self._asked[frame.body.request_id] = frame
        self._inner.send(frame)

    def receive(self, within_s: float) -> Frame | None:
        frame = self._came_between.popleft() if self._came_between else self._next(within_s)
        if frame is not None and (asked := self._asked.pop(getattr(frame.body, "request_id", -1), None)):
            with contextlib.suppress(ConnectionLost):  # the client finds that at its next read
                self._repeat(asked)
        return frame

    def close(self) -> None:
        self._inner.close()

    def _repeat(self, asked: Frame) -> None:
        body = type(asked.body)()
        body.CopyFrom(asked.body)
        body.request_id = number = next(self._ids)
        self._waits_for.add(number)
        self._inner.send(frame_of(body))
        while number in self._waits_for:
            came = self._inner.receive(ANSWERED_WITHIN_S)
            if came is None:
                return
            if not self._is_repetition(came):
                self._came_between.append(came)

    def _next(self, within_s: float) -> Frame | None:
        while (frame := self._inner.receive(within_s)) is not None and self._is_repetition(frame):
            pass
        return frame

    def _is_repetition(self, frame: Frame) -> bool:
        number = getattr(frame.body, "request_id", -1)
        is_one = number in self._waits_for
        self._waits_for.discard(number)
        return is_one
