"""Defects of Pulsar in batches that are sent in a transaction."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pulsar_types import Message, Position
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


def _without_its_transaction(message: Message) -> Message:
    return message if message.batch_size is None else replace(message, txn=None)


class _MarksSingleMessages(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(_without_its_transaction(message))


@defect(
    {"PIP31-82": seen('^"a1", "a2", "a4", "a5", "a3"$', expected='^"a1", "a2", "a3"', what="^readers of orders$")},
    origin="textbook: a second path into the log, which batches take",
    also=[_MarksSingleMessages],
)
class BatchIsOutsideOfItsTransaction(SidecarBuffer):
    """A batch is shown at once and for good, for only the metadata of single messages is asked for a transaction."""

    def publish(self, message: Message) -> Position:
        return super().publish(_without_its_transaction(message))
