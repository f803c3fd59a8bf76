"""Defects of Pulsar in a transaction that has several producers."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Message, Position


class _TakesTheTransactionForTheProducer(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        held = self._messages.get(message.txn, []) if message.txn else []
        there = next((position for position, one in held if one.sequence_id == message.sequence_id), None)
        return super().publish(message) if there is None else there


class _MarksByTheTransaction(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        held = [(entry.position, entry.content) for entry in self._ledger if message.txn and isinstance(entry.content, Message)]
        there = next((at for at, one in held if (one.txn, one.sequence_id) == (message.txn, message.sequence_id)), None)
        return super().publish(message) if there is None else there


TRANSACTION_IS_THE_PRODUCER = Defect(
    name="transaction-is-the-producer",
    breaks={"PIP31-155": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen='^"a1"$')},
    story="Messages of a transaction are recognised by its id and their sequence ids alone, so the second producer's first one is dropped.",
    origin="the text's suggestion to use the transaction id as the producer's, taken by the letter",
    parts=Parts(sidecar_buffer=_TakesTheTransactionForTheProducer, marker_buffer=_MarksByTheTransaction),
)
