"""Defects of Pulsar in what a message of a transaction has besides its payload."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.pulsar_types import Message, Position
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.wire.pulsar import messages_pb2 as pb


class _Rewritten(SidecarBuffer):
    """A buffer that writes the metadata of a transaction's message again, as `kept` has it."""

    def kept(self, metadata: pb.MessageMetadata) -> None:
        raise NotImplementedError

    def publish(self, message: Message) -> Position:
        if message.txn is not None:
            metadata = pb.MessageMetadata.FromString(message.headers)
            self.kept(metadata)
            message = replace(message, headers=metadata.SerializeToString())
        return super().publish(message)


@defect(
    {"PIP31-175": seen('"a1 with no properties', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: metadata that is built again from the fields that the buffer needs",
)
class BufferDropsProperties(_Rewritten):
    """Messages of transactions lose their properties on the way through the buffer."""

    def kept(self, metadata: pb.MessageMetadata) -> None:
        metadata.ClearField("properties")


@defect(
    {"PIP31-175": seen('"a1 with kind=annotated and', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: one property where several are meant",
)
class BufferKeepsTheLastProperty(_Rewritten):
    """A message of a transaction has the last of its properties only."""

    def kept(self, metadata: pb.MessageMetadata) -> None:
        del metadata.properties[:-1]


@defect(
    {"PIP31-175": seen('"a1 with .* and event time 0"', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: metadata of which the properties alone are copied",
)
class BufferDropsEventTimes(_Rewritten):
    """Messages of transactions lose their event times."""

    def kept(self, metadata: pb.MessageMetadata) -> None:
        metadata.ClearField("event_time")
