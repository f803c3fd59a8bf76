"""Batches of a Produce in another form, with the same records."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, cast

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode, encode
from fencepost.wire.kafka.entities import api_of

Where: TypeAlias = tuple[object, int]
"""The name or the id of a topic, and the number of a partition."""


def with_batches(request: RequestPayload, changed: Callable[[Where, Batch], Batch]) -> RequestPayload:
    """A Produce with each batch changed; another request, and what cannot be read as batches, as it is."""
    if api_of(request) != "produce":
        return request
    fields, topics = cast(Any, request), list[Any]()
    for topic in fields.topic_data:
        name = getattr(topic, "name", None) or topic.topic_id
        parts = (replace(one, records=_changed(one.records, (name, one.index), changed)) for one in topic.partition_data)
        topics.append(replace(topic, partition_data=tuple(parts)))
    return cast(RequestPayload, replace(fields, topic_data=tuple(topics)))


def _changed(records: bytes | None, where: Where, changed: Callable[[Where, Batch], Batch]) -> bytes | None:
    try:
        batches = decode(records or b"")
    except MalformedBatch:
        return records
    # Some scenarios send what only looks like a batch; bytes that the codec would not write itself stay as they are.
    if not batches or b"".join(map(encode, batches)) != records or any(one.control for one in batches):
        return records
    return b"".join(encode(changed(where, one)) for one in batches)
