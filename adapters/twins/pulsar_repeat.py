"""Frames of a Pulsar client that arrive twice, at once or late.

A client that has lost its connection sends unanswered frames again on the next one, so a broker may receive twice what a client sent once.
A message without deduplication, and a request for a new transaction, are not repeated: the second one would be another.
"""

import contextlib

from fencepost.adapters.pulsar.transport import ConnectionLost
from fencepost.wire.pulsar.frames import Frame

from .pulsar_way import OnEachWay, PulsarWay, is_refusal

MAY_BE_REPEATED = frozenset(
    {"ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN", "GET_LAST_MESSAGE_ID", "LOOKUP", "PARTITIONED_METADATA"}
    | {"TC_CLIENT_CONNECT_REQUEST"}
)
"""Requests that only read, or that ask for a state and not for a step."""


def may_be_repeated(frame: Frame) -> bool:
    """Whether a second one changes nothing. With a transaction key each connect takes the next epoch of that key."""
    return frame.name in MAY_BE_REPEATED and not (frame.name == "TC_CLIENT_CONNECT_REQUEST" and frame.body.HasField("transaction_key"))


class _Repeating(PulsarWay):
    """Repeats requests, and keeps the answers to the repetitions from the client."""

    def send(self, frame: Frame) -> None:
        if self.performer.is_active and may_be_repeated(frame):
            self.note(frame)
        super().send(frame)

    def answered(self, request: Frame, answer: Frame) -> Frame:
        with contextlib.suppress(ConnectionLost):  # the client finds that at its next read
            if self.ask(request) is not None:
                self.performer.did("repeated", "request")
        return answer


class PulsarTwice(OnEachWay):
    """The performer sends each request that may be repeated once more after its answer; the client gets the first answer."""

    idle = "no client sent a request that may be repeated"
    way = _Repeating


_MAY_BE_LATE = frozenset({"ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN"})
"""Requests that a coordinator recognises whenever they come: each names its transaction, and no other one has its id."""


class _HoldingUp(PulsarWay):
    """Sends the last of these requests that succeeded once more after the answer to the next one."""

    _late: Frame | None = None

    def send(self, frame: Frame) -> None:
        if self.performer.is_active and (frame.name in _MAY_BE_LATE or frame.name == "NEW_TXN"):
            self.note(frame)
        super().send(frame)

    def answered(self, request: Frame, answer: Frame) -> Frame:
        late, self._late = self._late, request if request.name in _MAY_BE_LATE and not is_refusal(answer) else None
        if late is not None:
            with contextlib.suppress(ConnectionLost):
                if self.ask(late) is not None:
                    self.performer.did("sent", "late request")
        return answer


class PulsarLate(OnEachWay):
    """Each request that adds to a transaction or ends it arrives once more after the next request about transactions was answered."""

    idle = "no client added to a transaction or ended it, and then sent another request about transactions"
    way = _HoldingUp
