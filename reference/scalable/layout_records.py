"""The layout of a scalable topic in the metadata store, as JSON. PIP-468, "Metadata".

A record that is no layout is not interpreted: a request for it is refused, with the key and what is wrong, and nothing is written.
"""

import re
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from fencepost.reference.metadata.store import StoreRecord
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .layout import HashRange, Layout, Segment, SegmentState
from .layout_flaws import flaws

_MOST_REPORTED = 3
_NOT_SEALED = -1
_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
"""The one way to write each number, so that no segment is listed twice."""
_KEPT = 64
"""How many records are cached with their layouts: each use of a segment asks for its layout, and a long one takes long to parse."""


class MalformedLayout(CommandRefused):
    """A record in the store is not the layout that its key promises. A client gets it as an UNKNOWN error."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(ServerError.UNKNOWN, f"{key}: {why} (another version, or not written by a controller); mend or delete the record")


class _Stored(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class HashRangeRecord(_Stored):
    """The hashes of a segment."""

    start: int
    end: int


class SegmentRecord(_Stored):
    """A segment in its topic's layout."""

    segmentId: int  # noqa: N815 - the names in the store
    hashRange: HashRangeRecord  # noqa: N815
    state: Literal["ACTIVE", "SEALED"]
    parentIds: list[int]  # noqa: N815
    childIds: list[int]  # noqa: N815
    createdAtEpoch: int  # noqa: N815
    sealedAtEpoch: int  # noqa: N815
    createdAtMs: int = 0  # noqa: N815
    sealedAtMs: int = _NOT_SEALED  # noqa: N815

    @classmethod
    def of(cls, segment: Segment) -> "SegmentRecord":
        return cls(
            segmentId=segment.number,
            hashRange=HashRangeRecord(start=segment.hashes.first, end=segment.hashes.last),
            state=segment.state.value,
            parentIds=list(segment.parents),
            childIds=list(segment.children),
            createdAtEpoch=segment.created_at_epoch,
            sealedAtEpoch=_NOT_SEALED if segment.sealed_at_epoch is None else segment.sealed_at_epoch,
            createdAtMs=segment.created_ms,
            sealedAtMs=_NOT_SEALED if segment.sealed_ms is None else segment.sealed_ms,
        )

    @property
    def segment(self) -> Segment:
        return Segment(
            self.segmentId,
            HashRange(self.hashRange.start, self.hashRange.end),
            SegmentState(self.state),
            tuple(self.parentIds),
            tuple(self.childIds),
            self.createdAtEpoch,
            self._sealed_at_epoch,
            self.createdAtMs,
            None if self.sealedAtMs == _NOT_SEALED else self.sealedAtMs,
        )

    @property
    def _sealed_at_epoch(self) -> int | None:
        """None for an active segment: the text has 0 for that, and a release -1."""
        is_none = self.sealedAtEpoch == _NOT_SEALED or (self.sealedAtEpoch == 0 and self.state == SegmentState.ACTIVE.value)
        return None if is_none else self.sealedAtEpoch


class LayoutRecord(_Stored):
    """A topic's layout."""

    epoch: int
    nextSegmentId: int  # noqa: N815
    segments: dict[str, SegmentRecord]
    properties: dict[str, str] = {}


def described(layout: Layout) -> dict[str, object]:
    """A layout as it is shown to an administrator, and as it is stored."""
    return _model(layout).model_dump(mode="json")


def encoded(layout: Layout) -> bytes:
    """The value of its record."""
    return _model(layout).model_dump_json().encode()


@lru_cache(_KEPT)
def decoded(record: StoreRecord) -> Layout:
    """The layout in a record. Raises MalformedLayout with its key and what is wrong."""
    try:
        stored = LayoutRecord.model_validate_json(record.value)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{step}: " for step in first["loc"])
        raise MalformedLayout(record.key, f"expected a layout as JSON; {where}{first['msg']}") from error
    if odd := [key for key in stored.segments if not _NUMBER.fullmatch(key)]:
        raise MalformedLayout(record.key, f"expected numbers as the keys of segments, not {odd[0]!r}")
    layout = Layout(stored.epoch, stored.nextSegmentId, {int(key): one.segment for key, one in stored.segments.items()})
    if found := flaws(layout):
        raise MalformedLayout(record.key, "; ".join(found[:_MOST_REPORTED]))
    return layout


def _model(layout: Layout) -> LayoutRecord:
    segments = {str(number): SegmentRecord.of(segment) for number, segment in layout.segments.items()}
    return LayoutRecord(epoch=layout.epoch, nextSegmentId=layout.next_number, segments=segments)
