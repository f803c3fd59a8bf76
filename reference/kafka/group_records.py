"""What the log of a group's offsets holds of its members: the record of a settled generation, or of a group without members.

It is stored with the offsets, under the group's name alone. Kafka writes it when the leader has handed out the assignment, when the last
member leaves, and when an instance takes its own place again; what happens between these is not durable, so after a crash a group is as it
was when it was settled last.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fencepost.wire.kafka.batches import Record

_TEXT = "latin-1"
"""One character for each byte."""


@dataclass(frozen=True, slots=True)
class Joining:
    """What a member brings: the protocols that it supports, the preferred one first, and its metadata for each."""

    protocol_type: str
    protocols: Mapping[str, bytes]
    session_timeout_ms: int


@dataclass(frozen=True, slots=True)
class StoredMember:
    """A member of a settled generation."""

    name: str
    brings: Joining
    instance: str | None
    share: bytes


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A group as its log has it: the longest-standing member is first."""

    name: str
    generation: int
    members: tuple[StoredMember, ...]


def key_of(group: str) -> bytes:
    """The key of a group's record."""
    return json.dumps([group]).encode()


def record_of(group: StoredGroup, now: int) -> Record:
    """The record of a group, written at `now` ms since 1970."""
    members = [
        [
            member.name,
            member.brings.protocol_type,
            {protocol: wanted.decode(_TEXT) for protocol, wanted in member.brings.protocols.items()},
            member.brings.session_timeout_ms,
            member.instance,
            member.share.decode(_TEXT),
        ]
        for member in group.members
    ]
    return Record(json.dumps([group.generation, members]).encode(), key_of(group.name), now)


def tombstone_of(group: str, now: int) -> Record:
    """The record that replaces a group's when it is deleted."""
    return Record(None, key_of(group), now)


def read(group: str, value: bytes) -> StoredGroup:
    """The group that a record describes."""
    generation, members = json.loads(value)
    return StoredGroup(group, generation, tuple(_member(*member) for member in members))


def _member(name: str, kind: str, protocols: Mapping[str, str], timeout_ms: int, instance: str | None, share: str) -> StoredMember:
    wanted = {protocol: text.encode(_TEXT) for protocol, text in protocols.items()}
    return StoredMember(name, Joining(kind, wanted, timeout_ms), instance, share.encode(_TEXT))
