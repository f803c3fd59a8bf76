"""A message field by field, as in its frame, and the shape by which others can read it.

What kio's writer does at once is done here in parts: the bytes of all parts together are the bytes that it writes, or this is a ValueError.
"""

import io
from collections.abc import Iterator
from dataclasses import Field, dataclass, fields
from typing import Any

from kio.serial import entity_writer
from kio.serial._introspect import (
    EntityField,
    EntityTupleField,
    PrimitiveTupleField,
    classify_field,
    get_field_tag,
    get_schema_field_type,
    is_optional,
)
from kio.serial._serialize import get_field_writer, get_writer
from kio.serial.writers import write_unsigned_varint
from kio.static.primitive import uvarint

_NUMBERS = {"error_code": "int16", "timedelta_i32": "int32", "timedelta_i64": "int64", "datetime_i64": "int64", "uint32": "int32"}


@dataclass(frozen=True)
class Part:
    """A part of a message: where it stands, such as `topic_data[0].name`, its kind in Kafka's words, its value, and its bytes.

    The kind is `length` for the count of a list, and `tags` for the tagged fields at the end of a flexible structure.
    """

    path: str
    kind: str
    value: Any
    data: bytes
    is_flexible: bool

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.path.rpartition(".")[2].partition("[")[0]


def parts_of(message: Any) -> list[Part]:
    """The parts of a request or an answer, in their order."""
    found = list(_parts(message, ""))
    if b"".join(part.data for part in found) != _written(entity_writer(type(message)), message):
        raise ValueError(f"{type(message).__name__} cannot be written field by field")
    return found


def _parts(entity: Any, place: str) -> Iterator[Part]:
    flexible = type(entity).__flexible__
    before = b""
    for field in fields(entity):
        if get_field_tag(field) is not None:
            continue
        for part in _of_field(field, getattr(entity, field.name), f"{place}.{field.name}" if place else field.name, flexible):
            before += part.data
            yield part
    if flexible:
        rest = _written(entity_writer(type(entity)), entity)[len(before) :]
        yield Part(f"{place}.tagged fields" if place else "tagged fields", "tags", None, rest, flexible)


def _of_field(field: Field[Any], value: Any, path: str, flexible: bool) -> Iterator[Part]:
    kind = classify_field(field)
    if value is None or not isinstance(kind, (EntityTupleField, PrimitiveTupleField, EntityField)):
        name = "length" if kind.is_array else "structure" if isinstance(kind, EntityField) else get_schema_field_type(field)
        writer = get_field_writer(field, flexible=flexible, is_request_header=False, is_tag=False)
        yield Part(path, name, value, _written(writer, value), flexible)
        return
    if isinstance(kind, EntityField):
        if is_optional(field):
            yield Part(f"{path} is there", "structure", True, b"\x01", flexible)
        yield from _parts(value, path)
        return
    count = _written(write_unsigned_varint, uvarint(len(value) + 1)) if flexible else len(value).to_bytes(4, "big")
    yield Part(f"{path} (count)", "length", len(value), count, flexible)
    for place, item in enumerate(value):
        if isinstance(kind, EntityTupleField):
            yield from _parts(item, f"{path}[{place}]")
        else:
            name = get_schema_field_type(field)
            yield Part(f"{path}[{place}]", name, item, _written(get_writer(name, flexible, False), item), flexible)


def _written(writer: Any, value: Any) -> bytes:
    out = io.BytesIO()
    writer(out, value)
    return out.getvalue()


def shape_of(entity: Any) -> tuple[Any, ...]:
    """The shape of a message by its class: whether it is flexible, then a pair of name and kind for each field, without tagged ones.

    A kind is the name of a kind of number, `string`, `bytes`, `records` or `uuid`; a list of one kind; or a shape.
    """
    known = [(field.name, _kind(field)) for field in fields(entity) if get_field_tag(field) is None]
    return (entity.__flexible__, *known)


def _kind(field: Field[Any]) -> Any:
    kind = classify_field(field)
    if isinstance(kind, EntityTupleField):
        return [shape_of(kind.type_)]
    if isinstance(kind, EntityField):
        if is_optional(field):
            raise ValueError(f"the field {field.name} is a structure that may be missing")
        return shape_of(kind.type_)
    name = get_schema_field_type(field)
    return [_NUMBERS.get(name, name)] if kind.is_array else _NUMBERS.get(name, name)
