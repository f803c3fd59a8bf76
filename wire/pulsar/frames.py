"""Frames: a size, a command, and for SEND and MESSAGE a payload after it.

    [size u32][command size u32][BaseCommand]
    [size u32][command size u32][BaseCommand][0x0e01][CRC-32C u32][metadata size u32][MessageMetadata][data]

All sizes are big endian; the first counts everything after itself, and the checksum covers everything after itself. The
protocol lets a sender leave magic and checksum out; no known sender does, and it is not read here.

Reading is strict: another magic, checksum or size, an unknown or incomplete command, a payload where none may be
or none where one must be, is a MalformedPulsarFrame that shows the bytes. Unknown fields are kept, and written again.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from crc32c import crc32c
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from . import messages_pb2 as pb
from .commands import body, has_body, name_of, wrapped
from .message_parsing import MalformedPulsarFrame, complete, fill

SIZE = struct.Struct(">I")
MAGIC = b"\x0e\x01"
MAX_MESSAGE = 5 * 1024 * 1024
"""The largest payload, unless CONNECTED sets another."""

MAX_FRAME = MAX_MESSAGE + 10 * 1024
"""The longest frame that is accepted: the largest payload and what precedes it."""

_WITH_PAYLOAD = (pb.BaseCommand.SEND, pb.BaseCommand.MESSAGE)


@dataclass(frozen=True)
class Payload:
    """What a SEND or MESSAGE carries: metadata, and one message or a batch (`batches.py` reads both)."""

    metadata: pb.MessageMetadata
    data: bytes


@dataclass(frozen=True)
class Frame:
    """A command, with the payload that SEND and MESSAGE have and no other command has."""

    command: pb.BaseCommand
    payload: Payload | None = None

    @property
    def name(self) -> str:
        """The command's name as the protocol writes it."""
        return name_of(self.command)

    @property
    def body(self) -> Any:
        """The command inside of the BaseCommand."""
        return body(self.command)


def frame_of(command: Message, payload: Payload | None = None) -> Frame:
    """The frame of a command, such as CommandPing."""
    return Frame(wrapped(command), payload)


def encode(frame: Frame) -> bytes:
    """The whole frame, size included."""
    command = frame.command.SerializeToString()
    rest = SIZE.pack(len(command)) + command
    if (frame.payload is not None) != (frame.command.type in _WITH_PAYLOAD):
        raise ValueError(f"{frame.name} {'has no' if frame.payload else 'needs a'} payload")
    if frame.payload is not None:
        metadata = frame.payload.metadata.SerializeToString()
        covered = SIZE.pack(len(metadata)) + metadata + frame.payload.data
        rest += MAGIC + SIZE.pack(crc32c(covered)) + covered
    return SIZE.pack(len(rest)) + rest


def size_of(prefix: bytes) -> int:
    """How many bytes follow the first four of a frame."""
    size: int = SIZE.unpack(prefix)[0]
    if not SIZE.size <= size <= MAX_FRAME:
        raise MalformedPulsarFrame(f"a frame announces {size} bytes, expected {SIZE.size} to {MAX_FRAME}", prefix)
    return size


def decode(data: bytes) -> Frame:
    """The frame from its bytes without the size."""
    command_data, rest = _part(data, 0, "a command", data)
    command = _command(command_data, data)
    if command.type not in _WITH_PAYLOAD:
        if rest:
            raise MalformedPulsarFrame(f"{len(rest)} bytes are left over after {name_of(command)}", data)
        return Frame(command)
    return Frame(command, _payload(rest, name_of(command), data))


def _part(source: bytes, start: int, what: str, data: bytes) -> tuple[bytes, bytes]:
    """The part after the size at `start`, and what follows; `data` is shown in the error."""
    if len(source) < start + SIZE.size:
        raise MalformedPulsarFrame(f"the size of {what} was due, and only {max(0, len(source) - start)} bytes are left", data)
    size: int = SIZE.unpack_from(source, start)[0]
    begin = start + SIZE.size
    if size > len(source) - begin:
        raise MalformedPulsarFrame(f"{what} of {size} bytes was due, and only {len(source) - begin} are left", data)
    return source[begin : begin + size], source[begin + size :]


def _command(command_data: bytes, data: bytes) -> pb.BaseCommand:
    command = fill(pb.BaseCommand(), command_data, "a BaseCommand", data)
    if not command.HasField("type"):
        raise MalformedPulsarFrame(f"a command is of a type that is not known: {_types_reported(command)}", data)
    name = name_of(command)
    if not has_body(command):
        raise MalformedPulsarFrame(f"a command of type {name} has no {name.lower()} in it", data)
    return complete(command, f"a command of type {name}", data)


def _types_reported(command: pb.BaseCommand) -> str:
    """The numbers in the place of the type; a number that is no known type counts as an unknown field."""
    fields: Iterable[Any] = UnknownFieldSet(command)  # type: ignore[assignment]  # the stubs lack its __iter__
    reported = [str(field.data) for field in fields if field.field_number == pb.BaseCommand.TYPE_FIELD_NUMBER]
    return ", ".join(reported) or "none is named"


def _payload(rest: bytes, name: str, data: bytes) -> Payload:
    if rest[: len(MAGIC)] != MAGIC:
        raise MalformedPulsarFrame(f"the magic 0x{MAGIC.hex()} was due after {name}, and 0x{rest[: len(MAGIC)].hex()} stands there", data)
    checksum_at = len(MAGIC)
    covered = rest[checksum_at + SIZE.size :]
    metadata_data, content = _part(rest, checksum_at + SIZE.size, f"the metadata of {name}", data)
    reported: int = SIZE.unpack_from(rest, checksum_at)[0]
    if (seen := crc32c(covered)) != reported:
        raise MalformedPulsarFrame(f"the payload of {name} has the checksum {seen:#010x}, and its frame says {reported:#010x}", data)
    what = f"the metadata of {name}"
    metadata = complete(fill(pb.MessageMetadata(), metadata_data, what, data), what, data)
    return Payload(metadata, content)
