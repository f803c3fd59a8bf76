"""The names of scalable topics and of their segments. PIP-460, "URL scheme"; PIP-468.

A scalable topic is topic://TENANT/NAMESPACE/NAME. Each of its segments is a topic by itself,
segment://TENANT/NAMESPACE/NAME/FIRST-LAST-NUMBER, with the hashes as four hexadecimal digits and the number as a decimal one: each segment
has one name.
"""

import re
from typing import NamedTuple

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .layout import HashRange, Segment

TOPIC_DOMAIN, SEGMENT_DOMAIN = "topic://", "segment://"

_PART = r"[^/\s]+"
_TOPIC = re.compile(rf"(?:(?:topic|persistent)://)?(?P<topic>{_PART}/{_PART}/{_PART})")
_DESCRIPTOR = r"(?P<first>[0-9a-f]{4})-(?P<last>[0-9a-f]{4})-(?P<number>0|[1-9][0-9]{0,17})"
_SEGMENT = re.compile(rf"segment://(?P<topic>{_PART}/{_PART}/{_PART})/{_DESCRIPTOR}")


class SegmentName(NamedTuple):
    """The parts of a segment's name: its scalable topic, its hashes and its number."""

    topic: str
    hashes: HashRange
    number: int


def segment_topic(topic: str, segment: Segment) -> str:
    """The name under which a segment of the scalable topic is produced to and subscribed."""
    return f"{SEGMENT_DOMAIN}{topic.removeprefix(TOPIC_DOMAIN)}/{segment.hashes}-{segment.number}"


def is_segment(topic: str) -> bool:
    """Whether that is the name of a segment, which need not exist."""
    return _matched(topic) is not None


def parse_segment(topic: str) -> SegmentName:
    """The parts of a segment's name. Raises CommandRefused: INVALID_TOPIC_NAME."""
    rule("PIP460-26")
    if (match := _matched(topic)) is None:
        expected = f"{SEGMENT_DOMAIN}TENANT/NAMESPACE/NAME/FIRST-LAST-NUMBER, with ascending hashes of four hexadecimal digits"
        raise CommandRefused(ServerError.INVALID_TOPIC_NAME, f"{topic!r} is no segment; expected {expected}")
    return SegmentName(f"{TOPIC_DOMAIN}{match['topic']}", HashRange(int(match["first"], 16), int(match["last"], 16)), int(match["number"]))


def resolved(topic: str) -> str:
    """The scalable topic that is meant: by its own name, by that of a persistent topic or a segment, or by a short one.

    A short name is one in the namespace public/default, or has its namespace before it. Raises CommandRefused: INVALID_TOPIC_NAME.
    """
    rule("PIP460-26")
    full = topic if "/" in topic else f"public/default/{topic}"
    if (match := _TOPIC.fullmatch(full) or _matched(full)) is None:
        raise CommandRefused(
            ServerError.INVALID_TOPIC_NAME, f"{topic!r} is no scalable topic; expected {TOPIC_DOMAIN}TENANT/NAMESPACE/NAME"
        )
    return f"{TOPIC_DOMAIN}{match['topic']}"


def _matched(topic: str) -> re.Match[str] | None:
    found = _SEGMENT.fullmatch(topic)
    return found if found and found["first"] <= found["last"] else None
