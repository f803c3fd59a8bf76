"""The same in another form: smaller fetches, older versions, topics by id, and batches that are compressed."""

import dataclasses
from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.batches import Batch
from fencepost.wire.kafka.entities import api_of, title

from .kafka_batches import with_batches
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

    idle = "no client fetched"

    def changed(self, request: RequestPayload) -> RequestPayload:
        if api_of(request) != "fetch":
            return request
        fields = cast(Any, request)
        topics = tuple(
            dataclasses.replace(topic, partitions=tuple(dataclasses.replace(one, partition_max_bytes=_LEAST) for one in topic.partitions))
            for topic in fields.topics
        )
        self.did("limited", "fetch")
        return cast(RequestPayload, dataclasses.replace(fields, max_bytes=_LEAST, topics=topics))


class Compressed(RequestPerformer):
    """Each batch of a Produce that is not compressed is compressed; what cannot be read as batches is sent as it is."""

    idle = "no client sent a batch that was not compressed"

    def changed(self, request: RequestPayload) -> RequestPayload:
        return with_batches(request, lambda _, one: one if one.compression != "none" else self._compressed(one))

    def _compressed(self, batch: Batch) -> Batch:
        self.did("compressed", "batch")
        return dataclasses.replace(batch, compression=_CODEC)


class OlderLooks(Performer):
    """Requests that only read are sent in an older client's version."""

    idle = "no client sent a request in an older version than it did without the disturbance"
    narrows_offer = True

    def begin(self) -> None:
        for api, highest in _ONLY_LOOKS.items():
            self.session.speak_at_most(api, highest)

    def look_back(self) -> None:
        before = {one.name for one in self.undisturbed.exchanges}
        titles = {title(api) for api in _ONLY_LOOKS}
        names = [one.name for one in self.session.exchanges() if one.name.partition(" ")[0] in titles]
        self.did("sent", "older request", sum(name not in before for name in names))


class ById(Performer):
    """Fetch names topics by their ids, as newer clients do."""

    idle = "no client sent a Fetch whose version the scenario leaves open"

    def begin(self) -> None:
        self.session.name_topics_by_id(self._is_by_id)

    def _is_by_id(self) -> bool:
        """Asked before each Fetch whose version is open."""
        if self.is_active:
            self.did("named topics by id in", "fetch")
        return self.is_active
