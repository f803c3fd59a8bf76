"""Requests that arrive twice, answers that are lost, and new connections: all of it is what client libraries may do."""

import dataclasses
from collections.abc import Iterator
from typing import Any, cast

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.kafka.kafka_error_outcomes import TO_COORDINATOR, TO_LEADER
from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.batches import MalformedBatch, decode
from fencepost.wire.kafka.entities import api_of

from .kafka_way import Heard, RequestPerformer

_ALWAYS = frozenset(
    {"add_offsets_to_txn", "add_partitions_to_txn", "api_versions", "describe_cluster", "describe_groups", "describe_producers"}
    | {"describe_transactions", "end_txn", "fetch", "find_coordinator", "heartbeat", "list_groups", "list_offsets", "list_transactions"}
    | {"metadata", "offset_commit", "offset_fetch", "offset_for_leader_epoch", "sync_group", "txn_offset_commit"}
)
"""Requests that may always be repeated: they only read, or they ask for a state and not for a step."""

_RETRIED = TO_COORDINATOR | TO_LEADER
"""The errors after which a client sends the request again by itself."""

_BY_WHOM_IS_KNOWN = -1
"""The producer id of an InitProducerId that has none: it asks for a step, the next epoch. One with an id is recognised as a retry."""


def may_be_repeated(request: RequestPayload) -> bool:
    """Whether a client library sends this request again if no answer comes, and the second one changes nothing."""
    api, fields = api_of(request), cast(Any, request)
    if api == "init_producer_id":
        return getattr(fields, "producer_id", _BY_WHOM_IS_KNOWN) != _BY_WHOM_IS_KNOWN
    if api == "produce":
        batches = [entry.records for topic in fields.topic_data for entry in topic.partition_data]
        return all(batch is not None and _is_idempotent(batch) for batch in batches)
    return api in _ALWAYS


def _is_idempotent(data: bytes) -> bool:
    """Whether each of these batches has a producer id and a sequence number, by which the broker recognises a duplicate."""
    try:
        return all(batch.producer_id >= 0 and batch.base_sequence >= 0 for batch in decode(data))
    except MalformedBatch:
        return False


class Twice(RequestPerformer):
    """The performer sends each request that may be repeated once more after its answer; the client gets the first answer."""

    idle = "no client sent a request that may be repeated"

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        if isinstance(answer, Done) and may_be_repeated(request) and not is_to_retry(answer):
            self._note(transport.call(request, deadline_s))
        return answer

    def _note(self, again: Heard) -> None:
        if isinstance(again, Done):
            self.did("repeated", "request")


class AnswerLost(Twice):
    """The answer to each request that may be repeated is lost with its connection; the client sends it on a new one, whose answer
    counts.
    """

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        if not (isinstance(answer, Done) and may_be_repeated(request)) or is_to_retry(answer):
            return answer
        transport.close()
        again = transport.call(request, deadline_s)
        self._note(again)
        # A client retries an error that asks it to wait, perhaps for long; at the end it gets the first answer, so it gets that at once.
        return answer if _is_to_wait(again) else again


def is_to_retry(answer: Done[ResponsePayload]) -> bool:
    """Whether a client sends the request again because of this answer: then it has done nothing yet, and the client repeats it itself."""
    return any(code in _RETRIED for code in errors_in(answer.value))


def errors_in(value: object) -> Iterator[object]:
    """The error codes of an answer, of all its parts."""
    if isinstance(value, tuple):
        for one in value:
            yield from errors_in(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            inner = getattr(value, field.name)
            if field.name == "error_code":
                yield inner
            elif isinstance(inner, tuple) or dataclasses.is_dataclass(inner):
                yield from errors_in(inner)


def _is_to_wait(heard: Heard) -> bool:
    return isinstance(heard, Done) and getattr(heard.value, "error_code", 0) in TO_COORDINATOR


class NewConnection(RequestPerformer):
    """Each request is sent on a new connection."""

    idle = "no client sent a second request to a node"

    def begin(self) -> None:
        super().begin()
        self._seen = set[KafkaTransport]()

    def before(self, client: str, transport: KafkaTransport, request: RequestPayload) -> None:  # noqa: ARG002 - of every client and request
        if transport in self._seen:
            transport.close()
            self.did("opened", "connection")
        self._seen.add(transport)


_RECOGNISED = {"end_txn": 5, "produce": 12}
"""From which version on a coordinator and a leader recognise a request that comes after the next one: by the epoch, or by the sequence."""


class Late(RequestPerformer):
    """Each write and each end of a new client arrives once more after the next of them was answered; that answer is dropped."""

    idle = "no new client wrote or ended something, and then something else"

    def begin(self) -> None:
        super().begin()
        self._clients: dict[KafkaTransport, str] = {}
        self._late: dict[str, tuple[KafkaTransport, RequestPayload]] = {}

    def before(self, client: str, transport: KafkaTransport, request: RequestPayload) -> None:  # noqa: ARG002 - the client is enough
        self._clients[transport] = client

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        if (version := _RECOGNISED.get(api_of(request))) is None:
            return answer
        client = self._clients[transport]
        late = self._late.pop(client, None)
        if request.__version__ < version:
            return answer  # an old end keeps the epoch, so a leader that has forgotten the producer would accept an earlier write
        if late is not None and not self.in_flight[late[0]] and isinstance(late[0].call(late[1], deadline_s), Done):
            self.did("sent", "late request")
        # What was refused has no effect by which it could be recognised, and may be due the second time.
        if may_be_repeated(request) and isinstance(answer, Done) and not any(errors_in(answer.value)):
            self._late[client] = (transport, request)
        return answer
