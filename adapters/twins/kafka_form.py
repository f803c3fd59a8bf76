"""The same questions in another form."""

import dataclasses
from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.entities import api_of

from .kafka_way import RequestPerformer
from .performer import Performer

_LEAST = 1
"""A node hands out one batch at the least, however little is asked for."""

_ONLY_LOOKS = {"fetch": 12, "find_coordinator": 3, "list_offsets": 5, "offset_fetch": 7}
"""Up to which version a client asks that is older and asks for the same: before batches of look-ups, and before topic ids."""


class OneBatch(RequestPerformer):
    """Fetch asks for so little that it is given one batch at a time."""

    def changed(self, request: RequestPayload) -> RequestPayload:
        if api_of(request) != "fetch":
            return request
        fields = cast(Any, request)
        topics = tuple(
            dataclasses.replace(topic, partitions=tuple(dataclasses.replace(one, partition_max_bytes=_LEAST) for one in topic.partitions))
            for topic in fields.topics
        )
        return cast(RequestPayload, dataclasses.replace(fields, max_bytes=_LEAST, topics=topics))


class OlderLooks(Performer):
    """What only looks is asked in the version of an older client."""

    def begin(self) -> None:
        for api, highest in _ONLY_LOOKS.items():
            self.session.speak_at_most(api, highest)
