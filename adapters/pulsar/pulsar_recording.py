"""All calls of a session.

A call is recorded when it is made, and its outcome is added when it comes: several may be in flight at a time. A frame that a broker
pushes, such as a message for a consumer, is recorded as a call without a request. Frames are kept unchanged, and rendered as plain values
only on demand.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fencepost.adapters.common import recording
from fencepost.adapters.common.recording import shown_text
from fencepost.contract.ports import Exchange
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.batches import entries
from fencepost.wire.pulsar.commands import plain
from fencepost.wire.pulsar.frames import Frame
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame

from .layout_changes import LayoutChange
from .store_writes import StoreWrite


@dataclass(eq=False)
class PulsarCall:
    """One call: `about` is what the client knows and the frames do not have, such as a producer's topic. A broker's write to its metadata
    store is a call too, and so is a change of a layout in a history.

    `one_way` calls have no answer. `ended_ms` is None as long as the call has no outcome. `began` and `ended` count all beginnings and ends
    of a session, since a virtual clock may stand still between them.
    """

    client: str
    node: str
    request: Frame | AdminRequest | StoreWrite | LayoutChange | None
    at_ms: float
    began: int
    about: Mapping[str, Any] = field(default_factory=dict)
    one_way: bool = False
    answer: Frame | AdminAnswer | None = None
    lost: str | None = None
    ended_ms: float | None = None
    ended: int | None = None

    @property
    def name(self) -> str:
        """The command, the admin call, the write, or the command that was pushed."""
        match self.request, self.answer:
            case Frame() as frame, _:
                return frame.name
            case AdminRequest(method=method, path=path), _:
                return f"{method} {path}"
            case StoreWrite(name=name), _:
                return f"store {name}"
            case LayoutChange(name=name), _:
                return name
            case None, Frame() as pushed:
                return pushed.name
            case _:
                return "nothing"

    @property
    def is_answered(self) -> bool:
        return self.answer is not None

    def rendered(self) -> Exchange:
        no_answer: dict[str, Any] | None = {} if self.one_way else None
        return Exchange(
            client=self.client,
            node=self.node,
            name=self.name,
            request=dict(self.about) | (_shown(self.request) or {}),
            answer=no_answer if self.answer is None else _shown(self.answer),
            lost=self.lost or (None if self.answer is not None or self.one_way else "nothing has come yet"),
            at_ms=self.at_ms,
            took_ms=0.0 if self.ended_ms is None else self.ended_ms - self.at_ms,
        )


class PulsarRecorder(recording.Recorder[PulsarCall]):
    """Records the calls of a session when they are made."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        super().__init__(now_ms)
        self._moments = itertools.count()

    def with_same_moments(self) -> "PulsarRecorder":
        """Another recorder that counts the same moments, for calls that are no part of the conversation."""
        other = PulsarRecorder(self.now_ms)
        other._moments = self._moments
        return other

    def begin(
        self, client: str, node: str, request: Frame | AdminRequest | StoreWrite | None, about: Mapping[str, Any], *, one_way: bool = False
    ) -> PulsarCall:
        """Record a call that is being made."""
        call = PulsarCall(client, node, request, self.now_ms(), next(self._moments), about, one_way)
        self.calls.append(call)
        if one_way:
            self._end(call)
        return call

    def answered(self, call: PulsarCall, answer: Frame | AdminAnswer) -> None:
        """Record the answer."""
        call.answer, call.lost = answer, None
        self._end(call)

    def lost(self, call: PulsarCall, why: str) -> None:
        """Record that no answer has come; it may still come."""
        call.lost = why
        self._end(call)

    def _end(self, call: PulsarCall) -> None:
        call.ended_ms, call.ended = self.now_ms(), next(self._moments)


def _shown(said: Frame | AdminRequest | AdminAnswer | StoreWrite | LayoutChange | None) -> dict[str, Any] | None:
    match said:
        case Frame():
            shown = plain(said.body)
            if said.payload is not None:
                shown["metadata"] = plain(said.payload.metadata)
                shown["values"] = _values(said)
            return shown
        case AdminRequest():
            return {"query": dict(said.query), "body": said.body}
        case AdminAnswer():
            return {"status": said.status, "body": said.body.decode(errors="replace")}
        case StoreWrite(key=key, value=value):
            return {"key": key, "value": shown_text(value)}
        case LayoutChange(ctl=ctl):
            return dict(ctl)
        case None:
            return None


def _values(frame: Frame) -> Any:
    assert frame.payload is not None
    try:
        return [shown_text(entry.value) for entry in entries(frame.payload)]
    except MalformedPulsarFrame as error:
        return f"malformed: {error}"
