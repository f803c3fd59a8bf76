"""Defects of Pulsar in a transaction that has several producers."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pulsar_types import Message, Position
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


class _MarksByTheTransaction(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        held = [(entry.position, entry.content) for entry in self._ledger if message.txn and isinstance(entry.content, Message)]
        there = next((at for at, one in held if (one.txn, one.sequence_id) == (message.txn, message.sequence_id)), None)
        return super().publish(message) if there is None else there


@defect(
    {"PIP31-155": seen('^"a1"$', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="the text's suggestion to use the transaction id as the producer's, taken by the letter",
    also=[_MarksByTheTransaction],
)
class TransactionIsTheProducer(SidecarBuffer):
    """Messages of a transaction are recognised by its id and their sequence ids alone, so the second producer's first one is dropped."""

    def publish(self, message: Message) -> Position:
        held = self._messages.get(message.txn, []) if message.txn else []
        there = next((position for position, one in held if one.sequence_id == message.sequence_id), None)
        return super().publish(message) if there is None else there
