"""Defects in the later ones of several partitions, topics or groups that one request of a consumer names."""

from dataclasses import replace
from typing import Any

from kio.schema.errors import ErrorCode
from kio.static.protocol import ResponsePayload

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.response_order import ResponseOrder
from fencepost.wire.kafka.entities import api_of


class _StableForTheFirst(ResponseOrder):
    """OffsetFetch finds pending offsets in the first partition of the request, and answers with the committed ones of the rest."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        arranged = super().arrange(answer)
        return self.of_offset_fetch(arranged) if api_of(answer) == "offset_fetch" else arranged

    def of_offset_fetch(self, answer: Any) -> Any:
        """The answer to OffsetFetch as it is made here."""
        groups = [self.of_group(group, place) for place, group in enumerate(answer.groups)] if hasattr(answer, "groups") else []
        return replace(answer, groups=tuple(groups)) if groups else answer

    def of_group(self, group: Any, place: int) -> Any:
        """The same for one group."""
        raise NotImplementedError


@defect(
    {"KIP890-052": seen("^a stable offset$", what="^stable offset of payments-1 in group shop$")},
    origin="red team: a look-up for the first entry that is kept for the others",
)
class StableForTheFirstPartition(_StableForTheFirst):
    """OffsetFetch that requires stable offsets looks for a pending one in the first partition of a topic, and not in the others."""

    def of_group(self, group: Any, place: int) -> Any:  # noqa: ARG002 - each group is read in this way
        topics = [replace(topic, partitions=(*topic.partitions[:1], *map(_settled, topic.partitions[1:]))) for topic in group.topics]
        return replace(group, topics=tuple(topics))


@defect(
    {"KIP890-052": seen("^a stable offset$", what="^stable offset of accounts-0 in group shop$")},
    origin="red team: a look-up for the first entry that is kept for the others",
)
class StableForTheFirstTopic(_StableForTheFirst):
    """OffsetFetch that requires stable offsets looks for pending ones in the first topic, and not in the others."""

    def of_group(self, group: Any, place: int) -> Any:  # noqa: ARG002 - each group is read in this way
        later = [replace(topic, partitions=tuple(map(_settled, topic.partitions))) for topic in group.topics[1:]]
        return replace(group, topics=(*group.topics[:1], *later))


@defect(
    {"KIP890-052": seen("^a stable offset$", what="^stable offset of payments-0 in group bank$")},
    origin="red team: a request of several groups that is read as one of the first",
)
class StableForTheFirstGroup(_StableForTheFirst):
    """OffsetFetch that requires stable offsets of several groups looks for pending ones in the first group, and not in the others."""

    def of_group(self, group: Any, place: int) -> Any:
        topics = [replace(topic, partitions=tuple(map(_settled, topic.partitions))) for topic in group.topics]
        return replace(group, topics=tuple(topics)) if place else group


def _settled(result: Any) -> Any:
    unstable = result.error_code is ErrorCode.unstable_offset_commit
    return replace(result, error_code=ErrorCode.none) if unstable else result
