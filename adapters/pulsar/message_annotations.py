"""What a producer adds to a message apart from its key: properties, and the time of the event that it reports."""

from dataclasses import dataclass
from typing import Self

from fencepost.wire.pulsar import messages_pb2 as pb


@dataclass(frozen=True)
class Annotations:
    """The properties in their order, and the event time in milliseconds; 0 for none."""

    properties: tuple[tuple[str, str], ...] = ()
    event_time: int = 0

    @classmethod
    def of(cls, metadata: pb.MessageMetadata) -> Self:
        """Those of a message that was sent alone."""
        return cls(tuple((pair.key, pair.value) for pair in metadata.properties), metadata.event_time)

    def add_to(self, metadata: pb.MessageMetadata) -> None:
        """Write them into the metadata of a message that is to be sent."""
        metadata.properties.extend(pb.KeyValue(key=key, value=value) for key, value in self.properties)
        if self.event_time:
            metadata.event_time = self.event_time


NO_ANNOTATIONS = Annotations()
