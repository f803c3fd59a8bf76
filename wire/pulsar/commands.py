"""Commands: a BaseCommand holds its type and, in the field of the same name, the command itself.

`command_frame(pb.CommandEndTxn(...))` makes a frame of a command; `body(frame.command)` gives the command back. The type of a
command follows from its class, so it is never said twice.
"""

from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from . import messages_pb2 as pb

Type = pb.BaseCommand.Type
"""The number of a command; `Type.Name(number)` is its name as the protocol writes it."""


@cache
def _fields_by_class() -> dict[str, tuple[int, str]]:
    """For each command's class the type and the field of BaseCommand that are its own."""
    fields: dict[str, tuple[int, str]] = {}
    for field in pb.BaseCommand.DESCRIPTOR.fields:
        if field.message_type is not None:
            fields[field.message_type.full_name] = (field.number, field.name)
    return fields


def wrapped(command: Message) -> pb.BaseCommand:
    """The BaseCommand that holds a command."""
    number, field = _fields_by_class()[command.DESCRIPTOR.full_name]
    base = pb.BaseCommand(type=Type.Name(number))
    getattr(base, field).CopyFrom(command)
    return base


def name_of(base: pb.BaseCommand) -> str:
    """The command's name as the protocol writes it, such as END_TXN."""
    return Type.Name(base.type)


def body(base: pb.BaseCommand) -> Any:
    """The command inside; its class says which it is."""
    return getattr(base, name_of(base).lower())


def has_body(base: pb.BaseCommand) -> bool:
    """Whether the command that the type announces is there."""
    return base.HasField(name_of(base).lower())


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
