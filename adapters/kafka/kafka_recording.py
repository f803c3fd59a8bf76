"""All calls of a session, in order.

Entities are kept unchanged, and rendered as plain values only on demand.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common import recording
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.recording import shown_text
from fencepost.adapters.common.shared_outcomes import Unreachable
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Unknown
from fencepost.contract.ports import Exchange
from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode
from fencepost.wire.kafka.entities import api_of, plain, title

from .transport import Answer, KafkaTransport


class CallEnding(StrEnum):
    """How a call ended. Only an answer is an answer."""

    ANSWERED = "answered"
    CLOSED = "closed"
    """The connection was lost."""
    SILENT = "silent"
    """No answer came in time."""
    MALFORMED = "malformed"


@dataclass(frozen=True)
class RecordedRequest:
    """One call as it was made: entities, not yet rendered.

    `began` and `ended` count all beginnings and ends of a session, since several calls may be in flight while a virtual clock stands still.
    """

    client: str
    node: Address
    request: RequestPayload
    answer: ResponsePayload | None
    lost: str | None
    at_ms: float
    took_ms: float
    began: int
    ended: int
    ending: CallEnding = CallEnding.ANSWERED

    @property
    def is_answered(self) -> bool:
        return self.answer is not None

    def rendered(self) -> Exchange:
        return Exchange(
            client=self.client,
            node=str(self.node),
            name=f"{title(api_of(self.request))} v{self.request.__version__}",
            request=_with_batches_shown(plain(self.request)),
            answer=None if self.answer is None else _with_batches_shown(plain(self.answer)),
            lost=self.lost,
            at_ms=self.at_ms,
            took_ms=self.took_ms,
            began=self.began,
        )


class KafkaRecorder(recording.Recorder[RecordedRequest]):
    """Makes calls and records them, in the order in which they end."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        super().__init__(now_ms)
        self._moments = itertools.count()
        self.looks: list[bool] = []
        """Whether a node listened, at each look; a look sends no request."""

    def call(
        self, client: str, node: Address, transport: KafkaTransport, request: RequestPayload, deadline_s: float
    ) -> Done[ResponsePayload] | Unknown:
        """Make one call and record its outcome, even a malformed answer."""
        return self.send(client, node, transport, request, deadline_s)()

    def send(self, client: str, node: Address, transport: KafkaTransport, request: RequestPayload, deadline_s: float) -> Answer:
        """Send a request; it is recorded when its answer has been awaited."""
        began, moment = self.now_ms(), next(self._moments)
        wait = transport.send(request, deadline_s)

        def remember(answer: ResponsePayload | None, lost: str | None, ending: CallEnding = CallEnding.ANSWERED) -> None:
            took = self.now_ms() - began
            self.calls.append(RecordedRequest(client, node, request, answer, lost, began, took, moment, next(self._moments), ending))

        def answered() -> Done[ResponsePayload] | Unknown:
            try:
                outcome = wait()
            except Malformed as error:
                remember(None, str(error), CallEnding.MALFORMED)
                raise
            match outcome:
                case Done(answer):
                    remember(answer, None)
                case Unreachable(reason):
                    outcome = self.unreachable(reason)
                    remember(None, outcome.reason, CallEnding.CLOSED if outcome.lost else CallEnding.SILENT)
                case Unknown(reason, lost):
                    remember(None, reason, CallEnding.CLOSED if lost else CallEnding.SILENT)
            return outcome

        return answered


def _with_batches_shown(value: Any) -> Any:
    """Values in which record batches, which are hexadecimal in fields named `records`, are shown by their content."""
    match value:
        case dict():
            return {
                name: _shown_batches(bytes.fromhex(item)) if name == "records" and isinstance(item, str) else _with_batches_shown(item)
                for name, item in value.items()
            }
        case list():
            return [_with_batches_shown(item) for item in value]
        case _:
            return value


def _shown_batches(data: bytes) -> Any:
    try:
        return [_shown_batch(batch) for batch in decode(data)]
    except MalformedBatch as error:
        return f"malformed, {error}: {data.hex()}"


def _shown_batch(batch: Batch) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "base_offset": batch.base_offset,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "transactional": batch.transactional,
    }
    if batch.marker:
        shown["marker"] = batch.marker.type.name
        shown["coordinator_epoch"] = batch.marker.coordinator_epoch
    elif batch.control:
        shown["control"] = True
    else:
        shown["values"] = [shown_text(record.value) for record in batch.records]
    return shown
