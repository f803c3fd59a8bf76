"""Requests with several entries: each entry in a separate request, or the entries in another order.

An entry is an item of the last of a path of lists, such as a partition of a topic; its answer is at the end of another such path.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kio.static.protocol import RequestPayload

from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.entities import api_of

from .kafka_way import Heard, RequestPerformer


class Entries(NamedTuple):
    """The paths to the entries of a request, and to those of its answer."""

    asked: tuple[str, ...]
    answered: tuple[str, ...]


_BY_PARTITION = Entries(("topics", "partitions"), ("topics", "partitions"))
_BY_INDEX = Entries(("topics", "partition_indexes"), ("topics", "partitions"))
_ENTRIES = {
    "delete_records": _BY_PARTITION,
    "describe_producers": _BY_INDEX,
    "describe_transactions": Entries(("transactional_ids",), ("transaction_states",)),
    "fetch": Entries(("topics", "partitions"), ("responses", "partitions")),
    "list_offsets": _BY_PARTITION,
    "offset_commit": _BY_PARTITION,
    "produce": Entries(("topic_data", "partition_data"), ("responses", "partition_responses")),
    "txn_offset_commit": _BY_PARTITION,
    "write_txn_markers": Entries(("markers",), ("markers",)),
}


def entries_of(request: RequestPayload) -> Entries | None:
    """The paths of a request's entries; None for a request without entries that could be sent separately."""
    api, version = api_of(request), int(request.__version__)
    match api:
        case "add_partitions_to_txn" if version < 4:
            return Entries(("v3_and_below_topics", "partitions"), ("results_by_topic_v3_and_below", "results_by_partition"))
        case "add_partitions_to_txn":
            return Entries(("transactions", "topics", "partitions"), ("results_by_transaction", "topic_results", "results_by_partition"))
        case "find_coordinator" if version >= 4:
            return Entries(("coordinator_keys",), ("coordinators",))
        case "offset_fetch" if version >= 8:
            return Entries(("groups", *_BY_INDEX.asked), ("groups", *_BY_INDEX.answered))
        case "offset_fetch":
            return _BY_INDEX
    return _ENTRIES.get(api)


def each(entity: Any, path: Sequence[str]) -> Iterator[Any]:
    """The entity once for each entry at the end of the path, with that entry alone; the entity itself if a list on the path is null."""
    held = getattr(entity, path[0])
    if held is None:
        yield entity
        return
    for item in held:
        for one in each(item, path[1:]) if len(path) > 1 else (item,):
            yield dataclasses.replace(entity, **{path[0]: (one,)})


def reversed_entries(entity: Any, path: Sequence[str]) -> Any:
    """The entity with every list of the path reversed."""
    held = getattr(entity, path[0])
    if held is None:
        return entity
    inner = [reversed_entries(item, path[1:]) if len(path) > 1 else item for item in held]
    return dataclasses.replace(entity, **{path[0]: tuple(reversed(inner))})


def joined(entities: Sequence[Any], path: Sequence[str]) -> Any:
    """One entity made of several that differ only in the lists of the path; items that are equal apart from their own lists become one."""
    items = [item for entity in entities for item in getattr(entity, path[0]) or ()]
    if len(path) > 1:
        alike: dict[Any, list[Any]] = {}
        for item in items:
            alike.setdefault(dataclasses.replace(item, **{path[1]: ()}), []).append(item)
        items = [joined(those, path[1:]) for those in alike.values()]
    return dataclasses.replace(entities[0], **{path[0]: tuple(items)})


class Split(RequestPerformer):
    """A request with several entries is sent as one request for each entry, in order; if one is refused as a whole, its answer counts."""

    idle = "no request had several entries"

    def changed(self, request: RequestPayload) -> RequestPayload:
        parts = _parts(request)
        return parts[0] if parts else request

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        where, parts = entries_of(request), _parts(request)
        if where is None or len(parts) < 2:
            return answer
        answers = [answer]
        for part in parts[1:]:
            if not isinstance(answers[-1], Done):
                return answers[-1]
            answers.append(transport.call(part, deadline_s))
        self.did("split", "request")
        heard = [one.value for one in answers if isinstance(one, Done)]
        if len(heard) < len(answers):
            return answers[-1]
        refused = next((one for one in heard if getattr(one, "error_code", 0)), None)
        return Done(refused or joined(heard, where.answered))


class Reordered(RequestPerformer):
    """The entries of a request are sent in reverse order."""

    idle = Split.idle

    def changed(self, request: RequestPayload) -> RequestPayload:
        where = entries_of(request)
        reordered: RequestPayload = request if where is None else reversed_entries(request, where.asked)
        if reordered != request:
            self.did("reordered", "request")
        return reordered


def _parts(request: RequestPayload) -> list[Any]:
    where = entries_of(request)
    return [] if where is None else list(each(request, where.asked))
