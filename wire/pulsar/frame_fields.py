"""A frame field by field: the bytes of each, with its name and value, for people who read it in hexadecimal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from . import messages_pb2 as pb
from .frames import MAGIC, SIZE, Frame, encode
from .message_parsing import MalformedPulsarFrame

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class FieldBytes:
    """A piece of a frame. `path` names the field, such as `end_txn.txnid_least_bits`; `value` is what its bytes mean."""

    path: str
    value: str
    data: bytes


def fields_of(frame: Frame) -> list[FieldBytes]:
    """All pieces in order: together they are the whole frame."""
    data = encode(frame)
    size = SIZE.unpack_from(data, SIZE.size)[0]
    end = 2 * SIZE.size + size
    found = [
        FieldBytes("size", str(len(data) - SIZE.size), data[: SIZE.size]),
        FieldBytes("size of the command", str(size), data[SIZE.size : 2 * SIZE.size]),
        *_message(data[2 * SIZE.size : end], pb.BaseCommand.DESCRIPTOR, ""),
    ]
    if frame.payload is None:
        return found
    checksum, metadata = end + len(MAGIC), end + len(MAGIC) + SIZE.size
    length = SIZE.unpack_from(data, metadata)[0]
    content = metadata + SIZE.size + length
    return [
        *found,
        FieldBytes("magic", f"{len(MAGIC)} bytes", data[end:checksum]),
        FieldBytes("checksum", "CRC-32C of everything after it", data[checksum:metadata]),
        FieldBytes("size of the metadata", str(length), data[metadata : metadata + SIZE.size]),
        *_message(data[metadata + SIZE.size : content], pb.MessageMetadata.DESCRIPTOR, "metadata."),
        FieldBytes("payload", f"{len(data) - content} bytes", data[content:]),
    ]


def _message(data: bytes, kind: Any, path: str) -> Iterator[FieldBytes]:
    at = 0
    while at < len(data):
        tag, content = _varint(data, at)
        field = kind.fields_by_number.get(tag >> 3)
        name = path + (f"field {tag >> 3}, which is not known" if field is None else field.name)
        match tag & 7:
            case wire if wire == _VARINT:
                value, end = _varint(data, content)
                yield FieldBytes(name, _number(value, field), data[at:end])
            case wire if wire == _BYTES:
                size, start = _varint(data, content)
                end = start + size
                inner = data[start:end]
                if field is not None and field.message_type is not None:
                    yield FieldBytes(name, f"{size} bytes", data[at:start])
                    yield from _message(inner, field.message_type, f"{name}.")
                else:
                    is_text = field is not None and field.type == FieldDescriptor.TYPE_STRING
                    yield FieldBytes(name, inner.decode(errors="replace") if is_text else f"{size} bytes", data[at:end])
            case wire if wire in (_FIXED64, _FIXED32):
                end = content + (8 if wire == _FIXED64 else 4)
                yield FieldBytes(name, str(int.from_bytes(data[content:end], "little")), data[at:end])
            case wire:
                raise MalformedPulsarFrame(f"{name} is written in a way that no command uses: {wire}", data)
        at = end


def _number(value: int, field: FieldDescriptor | None) -> str:
    if field is None:
        return str(value)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return str(value) if known is None else known.name
    if field.type == FieldDescriptor.TYPE_BOOL:
        return "true" if value else "false"
    signed = field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_INT64)
    return str(value - (1 << 64) if signed and value >> 63 else value)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
