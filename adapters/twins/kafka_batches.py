"""Batches of a Produce in another form, with the same records."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias, cast

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode, encode
from fencepost.wire.kafka.entities import api_of

Where: TypeAlias = tuple[object, int]
"""The name or the id of a topic, and the number of a partition."""
_SEQUENCES = 2**31


def with_batches(request: RequestPayload, changed: Callable[[Where, Batch], Batch]) -> RequestPayload:
    """A Produce with each batch changed; another request, and what cannot be read as batches, as it is."""
    if api_of(request) != "produce":
        return request
    fields, topics = cast(Any, request), list[Any]()
    for topic in fields.topic_data:
        parts = (replace(one, records=_changed(one.records, where_of(topic, one), changed)) for one in topic.partition_data)
        topics.append(replace(topic, partition_data=tuple(parts)))
    return cast(RequestPayload, replace(fields, topic_data=tuple(topics)))


def batches_in(request: RequestPayload) -> Iterator[tuple[Any, Any, Batch]]:
    """Each topic, partition and batch of a Produce; of several batches in a partition the last, and none that cannot be read."""
    for topic in cast(Any, request).topic_data:
        for part in topic.partition_data:
            try:
                found = decode(part.records or b"")
            except MalformedBatch:
                continue
            if found:
                yield topic, part, found[-1]


def next_batches(request: RequestPayload) -> Iterator[tuple[Batch, Where, RequestPayload]]:
    """Each batch of a Produce that has a sequence number, where it goes, and a request with the batch that follows it there alone."""
    for topic, part, batch in batches_in(request):
        if batch.base_sequence >= 0:
            alone = replace(topic, partition_data=(replace(part, records=encode(following(batch))),))
            yield batch, where_of(topic, part), cast(RequestPayload, replace(cast(Any, request), topic_data=(alone,)))


def following(batch: Batch) -> Batch:
    """The batch with the same records that comes after it."""
    return replace(batch, base_sequence=(batch.base_sequence + len(batch.records)) % _SEQUENCES)


def where_of(topic: Any, part: Any) -> Where:
    """The partition of an entry of Produce."""
    return getattr(topic, "name", None) or topic.topic_id, part.index


def _changed(records: bytes | None, where: Where, changed: Callable[[Where, Batch], Batch]) -> bytes | None:
    try:
        batches = decode(records or b"")
    except MalformedBatch:
        return records
    # Some scenarios send what only looks like a batch; bytes that the codec would not write itself stay as they are.
    if not batches or b"".join(map(encode, batches)) != records or any(one.control for one in batches):
        return records
    return b"".join(encode(changed(where, one)) for one in batches)
