"""Pulsar's requests with several entries: each entry in a separate request, or the entries in another order."""

from collections.abc import Callable, Sequence

from fencepost.wire.pulsar.frames import Frame, frame_of

from .pulsar_way import OnEachWay, PulsarWay, is_refusal, with_id

_ENTRIES = {"ACK": "message_id", "ADD_PARTITION_TO_TXN": "partitions", "ADD_SUBSCRIPTION_TO_TXN": "subscription"}
"""The field of each of these requests that has its entries."""


class _Splitting(PulsarWay):
    def send(self, frame: Frame) -> None:
        parts = _each(frame) if self.performer.is_active else ()
        if len(parts) < 2:
            super().send(frame)
        elif not frame.body.HasField("request_id"):  # an acknowledgement without an answer
            self.performer.did("split", "request")
            for part in parts:
                super().send(part)
        elif (answer := self._asked_in_parts(parts)) is not None:
            self.came_between.append(with_id(answer, frame.body.request_id))

    def _asked_in_parts(self, parts: Sequence[Frame]) -> Frame | None:
        answer = None
        self.performer.did("split", "request")
        for part in parts:
            if (answer := self.ask(part)) is None or is_refusal(answer):
                break
        return answer


class PulsarSplit(OnEachWay):
    """A request with several entries is sent as one request for each entry, in order; the first refusal is the answer."""

    idle = "no request had several entries"
    way = _Splitting


class _Reordering(PulsarWay):
    def send(self, frame: Frame) -> None:
        if self.performer.is_active and len(_each(frame)) > 1:
            frame = _with(frame, lambda entries: list(reversed(entries)))
            self.performer.did("reordered", "request")
        super().send(frame)


class PulsarReordered(OnEachWay):
    """The entries of a request are sent in reverse order."""

    idle = PulsarSplit.idle
    way = _Reordering


def _each(frame: Frame) -> Sequence[Frame]:
    """The request once for each of its entries, with that entry alone."""
    if (field := _ENTRIES.get(frame.name)) is None:
        return ()
    return [_with(frame, lambda entries, at=number: entries[at : at + 1]) for number in range(len(getattr(frame.body, field)))]  # type: ignore[misc]


def _with(frame: Frame, choose: Callable[[Sequence[object]], Sequence[object]]) -> Frame:
    """The request with some of its entries."""
    body, field = type(frame.body)(), _ENTRIES[frame.name]
    body.CopyFrom(frame.body)
    body.ClearField(field)
    getattr(body, field).extend(choose(list(getattr(frame.body, field))))
    return frame_of(body)
