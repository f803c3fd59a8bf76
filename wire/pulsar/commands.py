"""Commands: a BaseCommand holds its type and, in the field of the same name, the command itself.

`command_frame(pb.CommandEndTxn(...))` makes a frame of a command; `body(frame.command)` returns the command. The type of a
command follows from its class, so callers never name it.
"""

from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from . import messages_pb2 as pb

Type = pb.BaseCommand.Type
"""The number of a command; `Type.Name(number)` is its name as the protocol writes it."""

_NAMES: dict[int, str] = {number: name for name, number in Type.items()}
"""A lookup here takes a tenth of `Type.Name`, and each command's name is needed several times."""

_FIELDS = {number: name.lower() for number, name in _NAMES.items()}


@cache
def _fields_by_class() -> dict[str, str]:
    """For each command's class its field of BaseCommand."""
    fields = pb.BaseCommand.DESCRIPTOR.fields
    return {field.message_type.full_name: field.name for field in fields if field.message_type is not None}


def wrapped(command: Message) -> pb.BaseCommand:
    """The BaseCommand that holds a command."""
    field = _fields_by_class()[command.DESCRIPTOR.full_name]
    base = pb.BaseCommand(type=field.upper())
    getattr(base, field).CopyFrom(command)
    return base


def name_of(base: pb.BaseCommand) -> str:
    """The command's name as the protocol writes it, such as END_TXN."""
    return _NAMES[base.type]


def body(base: pb.BaseCommand) -> Any:
    """The command inside, in the class for it."""
    return getattr(base, _FIELDS[base.type])


def has_body(base: pb.BaseCommand) -> bool:
    """Whether the command that the type announces is present."""
    return base.HasField(_FIELDS[base.type])


def plain(message: Message) -> dict[str, Any]:
    """A message as plain values, with the fields that are set; bytes as hexadecimal, enums by their names."""
    return {field.name: _plain_field(field, value) for field, value in message.ListFields()}


def _plain_field(field: FieldDescriptor, value: Any) -> Any:
    if field.is_repeated:
        return [_plain_value(field, item) for item in value]
    return _plain_value(field, value)


def _plain_value(field: FieldDescriptor, value: Any) -> Any:
    if isinstance(value, Message):
        return plain(value)
    if isinstance(value, bytes):
        return value.hex()
    if field.enum_type is not None:
        return field.enum_type.values_by_number[value].name
    return value
