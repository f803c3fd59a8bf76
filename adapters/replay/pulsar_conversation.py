"""The tape of a red of Pulsar and that of the same scenario on the reference, and the answer or the messages in which they differ.

Both plays have the same steps, so the requests that change something come in the same order. How often a client looked a topic up, or
retried while a broker was loading, may differ, and does not matter.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from google.protobuf.descriptor import FieldDescriptor

from fencepost.adapters.common.address import Address
from fencepost.adapters.pulsar.tape import EntryKind, TapeEntry
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import SIZE, Frame, encode

from .pulsar_runtime import RETRIABLE, flat, frame, key_of, of_admin, pushed_to, received

_HELPERS = frozenset({"CONNECT", "LOOKUP", "PARTITIONED_METADATA", "PING", "PONG"})
"""Requests whose number may differ between two brokers; a script makes them as the red did."""
_LOOKS = frozenset({"GET_LAST_MESSAGE_ID", "CONSUMER_STATS"})
Owner: TypeAlias = tuple[int, str, int]
"""A connection with its consumer or producer."""


@dataclass
class Asked:
    """A request, with its answer as a script reads it; `place` is its place on the tape, and `writes` counts the earlier changes.

    `waits` is whether the client had the answer before anything else was requested. `paused_ms` passed before it.
    """

    place: int
    client: str
    connection: int
    content: Frame | AdminRequest
    writes: int
    paused_ms: float = 0.0
    answer: dict[str, Any] | None = None
    waits: bool = True

    @property
    def name(self) -> str:
        return self.content.name if isinstance(self.content, Frame) else f"{self.content.method} {self.content.path}"

    @property
    def only_looks(self) -> bool:
        return self.content.method == "GET" if isinstance(self.content, AdminRequest) else self.content.name in _LOOKS

    @property
    def is_helper(self) -> bool:
        return self.name in _HELPERS

    @cached_property
    def said(self) -> dict[str, Any]:
        """The frame as a script reads it; of an admin call nothing."""
        return said(self.content) if isinstance(self.content, Frame) else {}

    def error(self) -> str | None:
        return (self.answer or {}).get("error")


@dataclass
class TapeContent:
    """The requests of a tape, what was pushed with its place on the tape, and where each connection goes."""

    suffix: str
    service: Address
    asked: list[Asked] = field(default_factory=list)
    pushes: dict[Owner, list[tuple[int, dict[str, Any]]]] = field(default_factory=lambda: defaultdict(list))
    connections: dict[int, tuple[str, Address]] = field(default_factory=dict)


@dataclass(frozen=True)
class PulsarParting:
    """The content of a script: the requests, each with its counterpart on the reference, and what decides.

    `about` is ("answer", number of the step), or ("pushed", connection, kind, number).
    """

    red: TapeContent
    reference: TapeContent
    pairs: tuple[tuple[Asked, Asked | None], ...]
    owners: Mapping[Owner, Owner]
    about: tuple[Any, ...]
    seen: Mapping[str, Any]
    expected: Mapping[str, Any]


def said(content: Frame) -> dict[str, Any]:
    """A frame as a script reads it."""
    return frame(encode(content)[SIZE.size :], SHAPE)


def content_of(entries: Sequence[TapeEntry], suffix: str, service: Address) -> TapeContent:
    """What a tape has."""
    found = TapeContent(suffix, service)
    waiting: dict[tuple[int, Any], deque[Asked]] = defaultdict(deque)
    calls: dict[int, Asked] = {}
    writes, paused_from, last_ms = 0, None, 0.0
    for place, entry in enumerate(entries):
        match entry.content:
            case (client, node):
                found.connections[entry.number] = (client, node)
            case (Frame() | AdminRequest()) as content if entry.kind in (EntryKind.SENT, EntryKind.ASKED) and _matters(content):
                is_frame = isinstance(content, Frame)
                client = found.connections[entry.number][0] if is_frame else "administrator"
                paused = 0.0 if paused_from is None else entry.at_ms - paused_from
                one = Asked(place, client, entry.number if is_frame else 0, content, writes, paused)
                paused_from = None
                if is_frame and (key := key_of(one.said)) is not None:
                    waiting[entry.number, key].append(one)
                elif not is_frame:
                    calls[entry.number] = one
                found.asked.append(one)
                writes += not (one.only_looks or one.is_helper)
            case Frame() as content if entry.kind is EntryKind.RECEIVED and _matters(content):
                answer = said(content)
                if due := waiting.get((entry.number, key_of(answer))):
                    _answered(found, due.popleft(), answer)
                else:
                    found.pushes[entry.number, *pushed_to(answer)].append((place, answer))
            case AdminAnswer(status, body):
                _answered(found, calls[entry.number], of_admin(status, body))
            case _ if entry.kind is EntryKind.PASSED and paused_from is None:
                paused_from = last_ms
        last_ms = entry.at_ms
    for one in found.asked:
        one.waits = one.waits and one.answer is not None
    return found


def _answered(found: TapeContent, one: Asked, answer: dict[str, Any]) -> None:
    one.answer, one.waits = answer, found.asked[-1] is one


def _matters(content: Frame | AdminRequest) -> bool:
    return not isinstance(content, Frame) or content.name not in ("PING", "PONG")


def parting(red: TapeContent, reference: TapeContent, violation: Mismatch) -> PulsarParting:
    """Where the red and the reference differ. Raises WrongUsage if neither an answer nor what was pushed shows it."""
    ours, theirs = _without_retries(red.asked), _without_retries(reference.asked)
    counterparts = _counterparts(ours, theirs, red.suffix, reference.suffix)
    candidates = [*_answers(red, reference, ours, counterparts), *_pushed(red, reference, ours, theirs, counterparts)]
    if not candidates:
        raise WrongUsage(
            "neither an answer of this red nor what a consumer received differs from what the reference gives to the same requests, so a "
            f"script cannot show it: {violation}; --format frames and --format picture show the requests and answers"
        )
    chosen = max(range(len(candidates)), key=lambda at: (_named(candidates[at], violation), at))
    asked, about, differences = candidates[chosen]
    pairs = [(one, counterparts.get(one.place)) for one in ours if one.place <= asked.place and (not one.only_looks or one is asked)]
    at = about if about[0] != "answer" else ("answer", len(pairs))
    return PulsarParting(
        red,
        reference,
        tuple(pairs),
        _owners(pairs),
        at,
        {path: value for path, (value, _) in differences.items()},
        {path: value for path, (_, value) in differences.items()},
    )


_Candidate: TypeAlias = tuple[Asked, tuple[Any, ...], dict[str, tuple[Any, Any]]]


def _without_retries(asked: Sequence[Asked]) -> list[Asked]:
    """The requests, without those that a client repeated because the broker was loading."""
    return [
        one
        for one, after in zip(asked, [*asked[1:], None], strict=True)
        if not (after is not None and after.name == one.name and after.client == one.client and one.error() in RETRIABLE)
    ]


def _counterparts(ours: Sequence[Asked], theirs: Sequence[Asked], suffix: str, other_suffix: str) -> dict[int, Asked]:
    """For requests of the red, by their places, the same of the reference: changes by their order, looks by what they ask and when."""
    left, right = ([one for one in side if not one.only_looks and not one.is_helper] for side in (ours, theirs))
    found: dict[int, Asked] = {}
    last = -1
    for one, other in zip(left, right, strict=False):
        if (one.client, _plain(one, suffix)) != (other.client, _plain(other, other_suffix)):
            break
        found[one.place], last = other, one.place
    looks = {(one.writes, _looked(one, other_suffix)): one for one in theirs if one.only_looks}
    for one in ours:
        same = looks.get((one.writes, _looked(one, suffix))) if one.only_looks else None
        if same is not None and (one.writes == 0 or one.writes <= len(found)):
            found[one.place] = same
    return found if last >= 0 else {}


def _plain(one: Asked, suffix: str) -> str:
    """A change by its name; of an admin call without what a transaction is called."""
    return re.sub(r"/\d+", "/*", one.name.replace(f"-{suffix}", ""))


def _looked(one: Asked, suffix: str) -> tuple[Any, ...]:
    fields = {name: value for name, value in one.said.items() if name != "request_id"}
    return one.client, _plain(one, suffix), str(fields).replace(f"-{suffix}", "")


def _answers(red: TapeContent, reference: TapeContent, ours: Sequence[Asked], counterparts: Mapping[int, Asked]) -> Iterator[_Candidate]:
    for one in ours:
        other = counterparts.get(one.place)
        if other is not None and (one.answer or other.answer):
            none = {"type": "no answer"}
            left, right = dict(flat(one.answer or none, red.suffix)), dict(flat(other.answer or none, reference.suffix))
            if differences := _differences(left, right):
                yield one, ("answer", one.place), differences


def _pushed(
    red: TapeContent, reference: TapeContent, ours: Sequence[Asked], theirs: Sequence[Asked], counterparts: Mapping[int, Asked]
) -> Iterator[_Candidate]:
    """What was pushed to each consumer, until the reference did more than the red."""
    changes = [one for one in ours if not one.only_looks and not one.is_helper]
    if not changes or changes[-1].place not in counterparts:
        return
    last = counterparts[changes[-1].place].place
    end = next((one.place for one in theirs if one.place > last and not one.only_looks and not one.is_helper), 1 << 62)
    for owner, other in _owners([(one, counterparts.get(one.place)) for one in ours]).items():
        left = [answer for _, answer in red.pushes.get(owner, [])]
        right = [answer for place, answer in reference.pushes.get(other, []) if place < end]
        if differences := _differences(received(left), received(right)):
            decisive = next(iter(differences.items()))  # deliveries are compared if the values are the same
            yield ours[-1], ("pushed", *owner), dict([decisive])


def _owners(pairs: Sequence[tuple[Asked, Asked | None]]) -> dict[Owner, Owner]:
    """The consumers and producers of the red, with those of the reference."""
    found: dict[Owner, Owner] = {}
    for one, other in pairs:
        if other is not None and one.name in ("SUBSCRIBE", "PRODUCER"):
            found[one.connection, *pushed_to(one.said)] = (other.connection, *pushed_to(other.said))
    return found


def _differences(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    paths = [*left, *(path for path in right if path not in left)]
    return {path: (left.get(path), right.get(path)) for path in paths if left.get(path) != right.get(path)}


def _named(candidate: _Candidate, violation: Mismatch) -> bool:
    """Whether the violation is about that answer, or about what was pushed."""
    asked, about, differences = candidate
    if about[0] == "pushed":
        return violation.what.startswith(("received", "delivered"))
    words = re.sub(r"[^a-z]", "", violation.what.lower())
    if isinstance(asked.content, Frame):
        return re.sub(r"[^a-z]", "", asked.name.lower().removesuffix("_request")) in words
    return asked.only_looks and any(str(value) in violation.seen for value, _ in differences.values())


def _shape_of(kind: Any, inside: tuple[str, ...] = ()) -> dict[int, tuple[str, bool, Any]]:
    return {
        one.number: (one.name, one.is_repeated, _kind_of(one, inside))
        for one in kind.fields
        if one.message_type is None or one.message_type.full_name not in inside
    }


def _kind_of(one: FieldDescriptor, inside: tuple[str, ...]) -> Any:
    if one.message_type is not None:
        return _shape_of(one.message_type, (*inside, one.message_type.full_name))
    if one.enum_type is not None:
        return {number: value.name for number, value in one.enum_type.values_by_number.items()}
    return {FieldDescriptor.TYPE_BOOL: "bool", FieldDescriptor.TYPE_STRING: "string", FieldDescriptor.TYPE_BYTES: "bytes"}.get(
        one.type, "int"
    )


SHAPE: Mapping[int, tuple[str, bool, Any]] = _shape_of(pb.BaseCommand.DESCRIPTOR)
"""The shape of every command, as `pulsar_runtime.message` reads it."""
