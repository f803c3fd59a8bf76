"""Defects of Pulsar in the sequence ids of messages in transactions."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.pulsar_types import Message, TxnId


@defect(
    {"PIP31-90": seen('^("a1"|nothing)$', expected='"b1"$', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class RepeatedInAnotherTransaction(Deduplication):
    """A message is receipted and not stored, since its sequence id was used in another transaction, be it an aborted one."""

    def scope(self, message: Message) -> TxnId | None:  # noqa: ARG002 - whichever transaction it is in
        return None
