"""Walks over a message by its schema, for what kio does not do: whether arrays fit into the bytes, and unknown tagged fields.

kio's decoder allocates as many elements as an array announces, and if the machine does not have that much memory, the whole process
aborts: no exception, nothing to catch. A few bytes from any client would be enough. So the announced counts are compared with the bytes
that are left, on a walk over the message by the same schema; each element takes at least one byte. A message without arrays, such as
EndTxn, needs no walk. The decoder also accepts null for any array; here it is allowed only if the schema says so.
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any, TypeAlias

from kio.static.constants import EntityType

_FIXED = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "uint16": 2,
    "error_code": 2,
    "int32": 4,
    "timedelta_i32": 4,
    "int64": 8,
    "timedelta_i64": 8,
    "datetime_i64": 8,
    "float64": 8,
    "uuid": 16,
}
_LONGEST_VARINT = 5

_Skip: TypeAlias = Callable[[bytes, int], int]
"""Skips one value: takes the place where it begins, returns the place after it."""


class Unreadable(ValueError):
    """A value announces more bytes than are left, or is missing although the schema requires it."""


def check_lengths(entity: type, data: bytes, at: int) -> None:
    """Raise Unreadable when an array, or anything before it, extends past the end of the bytes, or is null and may not be."""
    if _has_arrays(entity):
        _entity(entity)(data, at)


@functools.cache
def _has_arrays(entity: type) -> bool:
    hints = typing.get_type_hints(entity)
    kinds = [_without_none(hints[field.name]) for field in dataclasses.fields(entity)]
    nested = [typing.cast(type, kind) for kind in kinds if dataclasses.is_dataclass(kind)]
    return any(typing.get_origin(kind) is tuple for kind in kinds) or any(map(_has_arrays, nested))


@functools.cache
def _entity(entity: Any) -> _Skip:
    hints = typing.get_type_hints(entity)
    plain: list[_Skip] = []
    tagged: dict[int, _Skip] = {}
    is_compact = entity.__flexible__ and entity.__type__ is not EntityType.header  # a client id has its old form in every header
    for field in dataclasses.fields(entity):
        tag = field.metadata.get("tag")
        skip = _value(hints[field.name], field.metadata.get("kafka_type"), is_compact, is_tagged=tag is not None)
        if tag is None:
            plain.append(skip)
        else:
            tagged[tag] = skip

    def fields(data: bytes, at: int) -> int:
        for skip in plain:
            at = skip(data, at)
        return _tags(tagged, data, at) if entity.__flexible__ else at

    return fields


def _value(kind: Any, kafka_type: str | None, flexible: bool, *, is_tagged: bool) -> _Skip:
    bare = _without_none(kind)
    if typing.get_origin(bare) is tuple:
        return _array(_value(typing.get_args(bare)[0], kafka_type, flexible, is_tagged=False), flexible, may_be_null=bare is not kind)
    if dataclasses.is_dataclass(bare):
        fields = _entity(typing.cast(type, bare))
        return fields if bare is kind or is_tagged else _nullable(fields)
    assert kafka_type is not None, f"kio gives no wire type for {kind}"
    if (size := _FIXED.get(kafka_type)) is not None:
        return lambda data, at: _within(data, at + size)
    prefix = 0 if flexible else 2 if kafka_type == "string" else 4

    def sized(data: bytes, at: int) -> int:
        length, at = _count(data, at, prefix)
        return _within(data, at + max(length, 0))

    return sized


def _array(element: _Skip, flexible: bool, *, may_be_null: bool) -> _Skip:
    def elements(data: bytes, at: int) -> int:
        count, at = _count(data, at, 0 if flexible else 4)
        if count < 0 and not may_be_null:
            raise Unreadable(f"an array is due before byte {at}, and there is null")
        if count > len(data) - at:
            raise Unreadable(f"an array at byte {at} announces {count} elements, and {len(data) - at} bytes are left")
        for _ in range(count):
            at = element(data, at)
        return at

    return elements


def _nullable(entity: _Skip) -> _Skip:
    def present(data: bytes, at: int) -> int:
        at = _within(data, at + 1)
        return at if data[at - 1] == 0xFF else entity(data, at)

    return present


class _Edited(bytes):
    """A message of which some parts are to be replaced: where each begins and ends, and what comes in its place."""

    edits: list[tuple[int, int, bytes]]

    def growth(self, begin: int, end: int) -> int:
        """By how many bytes that part grows."""
        return sum(len(new) - (last - first) for first, last, new in self.edits if begin <= first and last <= end)

    def result(self) -> bytes:
        """The message with everything replaced."""
        parts, at = [], 0
        for first, last, new in sorted(self.edits):
            parts += [self[at:first], new]
            at = last
        return b"".join((*parts, self[at:]))


def without_unknown_tags(entity: Any, data: bytes) -> bytes:
    """The bytes of a message and its header without the tagged fields that the schema does not have: readers skip these (KIP-482), and kio
    refuses them. Raises Unreadable.
    """
    edited = _Edited(data)
    edited.edits = []
    _entity(entity)(edited, _entity(entity.__header_schema__)(edited, 0))
    return edited.result()


def _tags(known: dict[int, _Skip], data: bytes, at: int) -> int:
    begin = at
    count, at = _varint(data, at)
    end_of_count, unknown = at, []
    for _ in range(count):
        begin_of_tag = at
        tag, at = _varint(data, at)
        begin_of_size = at
        size, at = _varint(data, at)
        end = _within(data, at + size)
        if tag not in known:
            unknown.append((begin_of_tag, end, b""))
        else:
            known[tag](data, at)
            if isinstance(data, _Edited) and (growth := data.growth(at, end)):
                data.edits.append((begin_of_size, at, _as_varint(size + growth)))
        at = end
    if isinstance(data, _Edited) and unknown:
        data.edits += [(begin, end_of_count, _as_varint(count - len(unknown))), *unknown]
    return at


def _as_varint(value: int) -> bytes:
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*data, value))


def _count(data: bytes, at: int, prefix: int) -> tuple[int, int]:
    """A length, -1 for none: in that many bytes, or for a prefix of 0 in a varint that is one larger."""
    if prefix == 0:
        count, at = _varint(data, at)
        return count - 1, at
    end = _within(data, at + prefix)
    return int.from_bytes(data[at:end], "big", signed=True), end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(_LONGEST_VARINT):
        _within(data, at + place + 1)
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise Unreadable(f"a number at byte {at} is longer than {_LONGEST_VARINT} bytes")


def _within(data: bytes, end: int) -> int:
    if end > len(data):
        raise Unreadable(f"a value ends at byte {end}, and there are {len(data)}")
    return end


def _without_none(kind: Any) -> Any:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(kind) if option is not types.NoneType)
    return kind
