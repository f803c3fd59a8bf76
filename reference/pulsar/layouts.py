"""The scalable topics of a broker: which there are, and the segments that each is made of. PIP-460, "Segment DAG"; PIP-468, "Creation".

A scalable topic is called topic://TENANT/NAMESPACE/NAME. The hashes of keys go from 0 to 65535, and each of its segments has a range of
them, and is a topic by itself: segment://TENANT/NAMESPACE/NAME/FIRST-LAST-NUMBER, with the hashes as four hexadecimal digits. The layout
of a topic stays as it was made.
"""

import re
from typing import NamedTuple

from fencepost.reference.kernel.journal import Disk, Journal

from .errors import Error, Refused

HASHES = 65_536
"""How many hashes there are: `0000` to `ffff`."""

TOPIC_DOMAIN, SEGMENT_DOMAIN = "topic://", "segment://"

_PART = r"[^/\s]+"
_TOPIC = re.compile(rf"(?:(?:topic|persistent)://)?(?P<topic>{_PART}/{_PART}/{_PART})")
_SEGMENT = re.compile(rf"segment://(?P<topic>{_PART}/{_PART}/{_PART})/[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9]+")


class Segment(NamedTuple):
    """A segment: its number in its topic, from 0 on, and the hashes of its keys, from the first to the last."""

    number: int
    first_hash: int
    last_hash: int


class Layout(NamedTuple):
    """A scalable topic: its full name, when it was made, in ms, and its segments by their numbers."""

    name: str
    created_ms: int
    segments: tuple[Segment, ...]

    def topic_of(self, segment: Segment) -> str:
        """The name under which a segment is produced to and subscribed."""
        path = self.name.removeprefix(TOPIC_DOMAIN)
        return f"{SEGMENT_DOMAIN}{path}/{segment.first_hash:04x}-{segment.last_hash:04x}-{segment.number}"

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of all segments."""
        return tuple(self.topic_of(segment) for segment in self.segments)


class Layouts:
    """Those of all nodes, which share the disk."""

    def __init__(self, disk: Disk) -> None:
        self._journal: Journal[tuple[str, Layout | None]] = disk.journal("layouts")

    def create(self, name: str, segments: int, now_ms: int) -> None:
        """Make a scalable topic with that many segments, whose ranges are equal, give or take one hash.

        Raises Refused: NOT_ALLOWED when it is there. Raises ValueError for a number below 1, or above that of the hashes.
        """
        if not 1 <= segments <= HASHES:
            raise ValueError(f"{segments} segments; expected 1 to {HASHES}")
        if self._there().get(name) is not None:
            raise Refused(Error.NOT_ALLOWED, f"{name} is there already")
        bounds = [number * HASHES // segments for number in range(segments + 1)]
        made = tuple(Segment(number, bounds[number], bounds[number + 1] - 1) for number in range(segments))
        self._journal.append((name, Layout(name, now_ms, made)))

    def delete(self, name: str) -> None:
        """Forget a scalable topic, whose segments are deleted already."""
        self._journal.append((name, None))

    def named(self, name: str) -> Layout:
        """The layout of a scalable topic. Raises Refused: TOPIC_NOT_FOUND when there is none of that name."""
        if (layout := self._there().get(name)) is None:
            raise Refused(Error.TOPIC_NOT_FOUND, f"there is no scalable topic {name}")
        return layout

    def check(self, topic: str) -> None:
        """Whether a topic may come up where scalable topics are.

        Raises Refused: TOPIC_NOT_FOUND for a segment that no layout has, and for a persistent topic whose name is a scalable one's.
        """
        name = resolved(topic)
        layout = self._there().get(name)
        if topic.startswith(SEGMENT_DOMAIN) and (layout is None or topic not in layout.topics):
            raise Refused(Error.TOPIC_NOT_FOUND, f"no scalable topic has the segment {topic}")
        if not topic.startswith(SEGMENT_DOMAIN) and layout is not None:
            raise Refused(Error.TOPIC_NOT_FOUND, f"there is no topic {topic}, but {name}")

    def _there(self) -> dict[str, Layout | None]:
        return dict(self._journal)


def is_segment(topic: str) -> bool:
    """Whether that may be the name of a segment."""
    return _SEGMENT.fullmatch(topic) is not None


def resolved(topic: str) -> str:
    """The scalable topic that is meant: by its own name, by that of a persistent topic or a segment, or by a short one.

    A short name is one in the namespace public/default, or has its namespace before it. Raises Refused: INVALID_TOPIC_NAME.
    """
    full = topic if "/" in topic else f"public/default/{topic}"
    if (match := _TOPIC.fullmatch(full) or _SEGMENT.fullmatch(full)) is None:
        raise Refused(Error.INVALID_TOPIC_NAME, f"{topic!r} is no scalable topic; expected {TOPIC_DOMAIN}TENANT/NAMESPACE/NAME")
    return f"{TOPIC_DOMAIN}{match['topic']}"
