"""Requests that arrive twice, answers that are lost, and connections that do not last: what a client library does about each is lawful."""

from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.adapters.kafka.errors import TO_COORDINATOR
from fencepost.adapters.kafka.transport import Transport
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.batches import MalformedBatch, decode
from fencepost.wire.kafka.entities import api_of

from .kafka_way import Heard, RequestPerformer

_ALWAYS = frozenset(
    {"add_offsets_to_txn", "add_partitions_to_txn", "api_versions", "describe_cluster", "describe_groups", "describe_producers"}
    | {"describe_transactions", "end_txn", "fetch", "find_coordinator", "heartbeat", "list_groups", "list_offsets", "list_transactions"}
    | {"metadata", "offset_commit", "offset_fetch", "offset_for_leader_epoch", "sync_group", "txn_offset_commit"}
)
"""Requests that may be repeated whatever they say: they look, or what they ask for is a state and not a step."""

_BY_WHOM_IS_KNOWN = -1
"""InitProducerId without a producer id asks for a step: the next epoch. With one it says from which, and is recognised."""


def may_be_repeated(request: RequestPayload) -> bool:
    """Whether a client library sends this request again when it has no answer, and nothing changes by it."""
    api, fields = api_of(request), cast(Any, request)
    if api == "init_producer_id":
        return getattr(fields, "producer_id", _BY_WHOM_IS_KNOWN) != _BY_WHOM_IS_KNOWN
    if api == "produce":
        batches = [entry.records for topic in fields.topic_data for entry in topic.partition_data]
        return all(batch is not None and _is_idempotent(batch) for batch in batches)
    return api in _ALWAYS


def _is_idempotent(data: bytes) -> bool:
    """Whether each of these batches has a sequence number of its producer, by which a second one is recognised."""
    try:
        return all(batch.producer_id >= 0 and batch.base_sequence >= 0 for batch in decode(data))
    except MalformedBatch:
        return False


class Twice(RequestPerformer):
    """Each request that may be repeated arrives once more after its answer, which is the one that counts."""

    def finish(self, transport: Transport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        if isinstance(answer, Done) and may_be_repeated(request):
            transport.call(request, deadline_s)
        return answer


class AnswerLost(RequestPerformer):
    """The answer to each request that may be repeated is lost with its connection; it is sent again on a new one, whose answer counts."""

    def finish(self, transport: Transport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        if not (isinstance(answer, Done) and may_be_repeated(request)):
            return answer
        transport.close()
        again = transport.call(request, deadline_s)
        # A client asks on while it is told to wait. What it is told in the end is what it was told at first, which may be long ahead.
        return answer if _is_to_wait(again) else again


def _is_to_wait(heard: Heard) -> bool:
    return isinstance(heard, Done) and getattr(heard.value, "error_code", 0) in TO_COORDINATOR


class NewConnection(RequestPerformer):
    """Each request comes on a connection of its own."""

    def before(self, client: str, transport: Transport, request: RequestPayload) -> None:  # noqa: ARG002 - whoever asks whatever
        transport.close()
