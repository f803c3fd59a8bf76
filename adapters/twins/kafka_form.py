"""The same in another form: smaller fetches, older versions, topics by id, and batches that are compressed."""

import dataclasses
from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.batches import MalformedBatch, decode, encode
from fencepost.wire.kafka.entities import api_of

from .kafka_way import RequestPerformer
from .performer import Performer

_LEAST = 1
"""A node returns at least one batch, however small the limit is."""

_CODEC = "gzip"
"""The codec that each client and each broker has."""

_ONLY_LOOKS = {"fetch": 12, "find_coordinator": 3, "list_offsets": 5, "offset_fetch": 7}
"""The highest version, for each API, that an older client sends for the same question: before batches of look-ups, and before topic ids."""


class OneBatch(RequestPerformer):
    """Fetch has such a low limit that the node returns one batch at a time."""

    def changed(self, request: RequestPayload) -> RequestPayload:
        if api_of(request) != "fetch":
            return request
        fields = cast(Any, request)
        topics = tuple(
            dataclasses.replace(topic, partitions=tuple(dataclasses.replace(one, partition_max_bytes=_LEAST) for one in topic.partitions))
            for topic in fields.topics
        )
        return cast(RequestPayload, dataclasses.replace(fields, max_bytes=_LEAST, topics=topics))


class Compressed(RequestPerformer):
    """Each batch of a Produce that is not compressed is compressed; what cannot be read as batches is sent as it is."""

    def changed(self, request: RequestPayload) -> RequestPayload:
        if api_of(request) != "produce":
            return request
        fields = cast(Any, request)
        topics = tuple(
            dataclasses.replace(
                topic, partition_data=tuple(dataclasses.replace(one, records=_compressed(one.records)) for one in topic.partition_data)
            )
            for topic in fields.topic_data
        )
        return cast(RequestPayload, dataclasses.replace(fields, topic_data=topics))


def _compressed(records: bytes | None) -> bytes | None:
    try:
        batches = decode(records or b"")
    except MalformedBatch:
        return records
    # Some scenarios send what only looks like a batch; bytes that the codec would not write itself stay as they are.
    if not batches or b"".join(map(encode, batches)) != records or any(one.control for one in batches):
        return records
    return b"".join(encode(one if one.compression != "none" else dataclasses.replace(one, compression=_CODEC)) for one in batches)


class OlderLooks(Performer):
    """Requests that only read are sent in an older client's version."""

    def begin(self) -> None:
        for api, highest in _ONLY_LOOKS.items():
            self.session.speak_at_most(api, highest)


class ById(Performer):
    """Fetch names topics by their ids, as newer clients do."""

    def begin(self) -> None:
        self.session.name_topics_by_id(lambda: self.is_active)
