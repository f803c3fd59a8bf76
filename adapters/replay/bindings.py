"""The source of each value of a request: a name of the scenario, an earlier answer, or the request alone.

A value is bound to an earlier answer only if it equals that answer's field both in the red and on the reference. So a client that keeps an
old epoch keeps it in the script too, also if the red's broker never raised the epoch.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.wire.kafka.batches import MalformedBatch, decode
from fencepost.wire.kafka.message_fields import Part, parts_of

from .conversation import Pair

_BOUND = {
    "producer_id": ("producer_id", "int64"),
    "v3_and_below_producer_id": ("producer_id", "int64"),
    "producer_epoch": ("producer_epoch", "int16"),
    "v3_and_below_producer_epoch": ("producer_epoch", "int16"),
    "generation_id": ("generation_id", "int32"),
    "generation_id_or_member_epoch": ("generation_id", "int32"),
}
"""The fields of requests that repeat a value of an answer: the answer's field, and how the number is written."""
_HEAD = (
    ("base offset", 8), ("length", 4), ("leader epoch", 4), ("magic", 1), ("checksum, computed again", 4), ("attributes", 2),
    ("last offset delta", 4), ("base timestamp", 8), ("max timestamp", 8), ("producer_id", 8), ("producer_epoch", 2),
    ("base sequence", 4), ("count of records", 4),
)  # fmt: skip


@dataclass(frozen=True)
class RequestPiece:
    """A piece of a request in a script: an expression that gives its bytes, and what it is."""

    expression: str
    comment: str


class Bindings:
    """The requests of a script, and the earlier answers from which their values come."""

    def __init__(self, pairs: Sequence[Pair], red_suffix: str, suffix: str, topics: Mapping[str, str]) -> None:
        self._pairs = pairs
        self._suffixes = (red_suffix, suffix)
        self._topics = topics
        self._producer_id: int | None = None
        """The producer id that was read last, whose epoch may follow."""
        self._answers = [(pair.red.answer() or {}, pair.reference.answer() or {}) for pair in pairs]

    def written(self, place: int) -> Iterator[RequestPiece]:
        """The pieces of the request at this place, counted from 0."""
        self._producer_id = None
        ours = parts_of(self._pairs[place].red.call.request)
        theirs = {part.path: part for part in parts_of(self._pairs[place].reference.call.request)}
        for part in ours:
            other = theirs.get(part.path)
            if part.kind == "records" and part.value:
                yield from self._batches(place, part, other)
            else:
                yield RequestPiece(self._expression(place, part, other), f"{part.path}: {_shown(part)}")

    def _expression(self, place: int, part: Part, other: Part | None) -> str:
        value = part.value
        if part.kind == "uuid" and str(value) in self._topics:
            return f"broker.topic_id({self._named(self._topics[str(value)])})"
        if part.kind == "string" and isinstance(value, str):
            writer = "compact_string" if part.is_flexible else "string"
            if value.endswith(f"-{self._suffixes[0]}"):
                return f"{writer}({self._named(value)})"
            if value and part.name == "member_id" and other is not None and (path := self._found(place, "member_id", value, other.value)):
                return f"{writer}({path})"
        if part.name in _BOUND and isinstance(value, int) and other is not None:
            field, writer = _BOUND[part.name]
            self._producer_id = value if field == "producer_id" else self._producer_id
            if value >= 0 and (path := self._found(place, field, value, other.value)):
                return f"{writer}({path})"
        return f'hex_("{part.data.hex(" ")}")'

    def _named(self, value: str) -> str:
        return f"broker.name({value.removesuffix(f'-{self._suffixes[0]}')!r})"

    def _found(self, place: int, field: str, value: Any, other: Any) -> str | None:
        """The last earlier answer whose field has `value` in the red and `other` on the reference."""
        for number in range(place, 0, -1):
            red, reference = self._answers[number - 1]
            companion = {"producer_id": self._producer_id} if field == "producer_epoch" else {}
            if (path := path_to(red, {field: value, **companion})) and value_at(reference, path) == other:
                return f"broker.answered({number}, {', '.join(map(repr, path))})"
        return None

    def _batches(self, place: int, part: Part, other: Part | None) -> Iterator[RequestPiece]:
        """Record batches piece by piece; records that are no sound batches, or that differ in number, are written unchanged."""
        data: bytes = part.value
        try:
            read = decode(data)
            theirs = decode(other.value) if other is not None and other.value else ()
        except MalformedBatch:
            read, theirs = (), ()
        if not read or len(theirs) != len(read):
            yield RequestPiece(f'hex_("{part.data.hex(" ")}")', f"{part.path}: {len(data)} bytes, as they were sent")
            return
        yield RequestPiece(f"{'compact_records' if part.is_flexible else 'records'}(", f"{part.path}")
        at = 0
        for ours, like in zip(read, theirs, strict=True):
            end = at + 12 + int.from_bytes(data[at + 8 : at + 12], "big")
            yield RequestPiece("    batch(", "")
            for name, size in _HEAD:
                piece = data[at : at + size]
                known = Part(name, "int", getattr(ours, name, None), piece, is_flexible=False)
                expression = self._expression(place, known, Part(name, "int", getattr(like, name, None), b"", is_flexible=False))
                yield RequestPiece(f"        {expression},", f"{name}: {int.from_bytes(piece, 'big', signed=True)}" if size < 9 else name)
                at += size
            values = ", ".join(repr(record.value) for record in ours.records)
            yield RequestPiece(f'        hex_("{data[at:end].hex(" ")}"),', f"records: {values}")
            yield RequestPiece("    ),", "")
            at = end
        yield RequestPiece(")", "")


def _shown(part: Part) -> str:
    match part.kind:
        case "length":
            return "none" if part.value is None else str(part.value)
        case "tags":
            return "none" if part.data == b"\0" else "as they were sent"
        case _:
            return str(getattr(part.value, "name", part.value)).replace("\n", " ")[:100]


def path_to(value: Any, wanted: Mapping[str, Any]) -> tuple[str | int, ...] | None:
    """The path to the first field of `wanted` in the first structure that has all these values."""
    if isinstance(value, dict):
        if wanted.items() <= {name: inner for name, inner in value.items() if name in wanted}.items():
            return (next(iter(wanted)),)
        inside: Iterable[tuple[str | int, Any]] = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    else:
        return None
    return next(((part, *rest) for part, inner in inside if (rest := path_to(inner, wanted)) is not None), None)


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    try:
        for part in path:
            value = value[part]
    except (LookupError, TypeError):
        return None
    return value
