"""Hypothesis strategies: any message of Pulsar's protocol, and any frame."""

from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, Payload, frame_of

COMMANDS = [field.message_type for field in pb.BaseCommand.DESCRIPTOR.fields if field.message_type is not None]
U64 = st.integers(0, 2**64 - 1)
NUMBERS = {
    FieldDescriptor.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT32: st.integers(0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: U64,
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_STRING: st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=20),
}


def values(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    """Anything that a field may hold."""
    if field.message_type is not None:
        return messages(field.message_type)
    if field.enum_type is not None:
        return st.sampled_from([value.number for value in field.enum_type.values])
    return NUMBERS[field.type]


@st.composite
def messages(draw: st.DrawFn, kind: Descriptor) -> Message:
    """Any message of a kind: what must be set is, what may be set perhaps is."""
    fields: dict[str, Any] = {}
    for field in kind.fields:
        if field.is_repeated:
            fields[field.name] = draw(st.lists(values(field), max_size=3))
        elif field.is_required or draw(st.booleans()):
            fields[field.name] = draw(values(field))
    return GetMessageClass(kind)(**fields)


@st.composite
def payloads(draw: st.DrawFn) -> Payload:
    """Any metadata with any bytes after it, which mostly are no batch."""
    metadata = draw(messages(pb.MessageMetadata.DESCRIPTOR))
    return Payload(metadata, draw(st.binary(max_size=60)))  # type: ignore[arg-type]


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """Any command, with a payload where there must be one."""
    command = draw(st.sampled_from(COMMANDS).flatmap(messages))
    needs_payload = isinstance(command, pb.CommandSend | pb.CommandMessage)
    return frame_of(command, draw(payloads()) if needs_payload else None)
