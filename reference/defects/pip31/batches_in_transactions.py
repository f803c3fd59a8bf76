"""Defects of Pulsar in batches that are sent in a transaction."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Message, Position


def _without_its_transaction(message: Message) -> Message:
    return message if message.batch_size is None else replace(message, txn=None)


class _KnowsSingleMessages(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(_without_its_transaction(message))


class _MarksSingleMessages(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(_without_its_transaction(message))


BATCH_IS_OUTSIDE_OF_ITS_TRANSACTION = Defect(
    name="batch-is-outside-of-its-transaction",
    breaks={"PIP31-82": Symptom(what="^readers of orders$", expected='^"a1", "a2", "a3"', seen='^"a1", "a2", "a4", "a5", "a3"$')},
    story="A batch is shown at once and for good, for only the metadata of single messages is asked for a transaction.",
    origin="textbook: a second path into the log, which batches take",
    parts=Parts(sidecar_buffer=_KnowsSingleMessages, marker_buffer=_MarksSingleMessages),
)
