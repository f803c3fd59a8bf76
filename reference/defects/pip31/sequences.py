"""Defects of Pulsar in the sequence ids of messages in transactions."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.values import Message, TxnId


class _GoesByTheProducer(Deduplication):
    def scope(self, message: Message) -> TxnId | None:  # noqa: ARG002 - whichever transaction it is in
        return None


REPEATED_IN_ANOTHER_TRANSACTION = Defect(
    name="repeated-in-another-transaction",
    breaks={"PIP31-90": Symptom(what="^readers of orders$", expected='"b1"$', seen='^("a1"|nothing)$')},
    story="A message is receipted and not stored, since its sequence id was used in another transaction, be it an aborted one.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(deduplication=_GoesByTheProducer),
)
