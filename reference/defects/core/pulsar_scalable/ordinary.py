"""Defects of scalable topics that refuse valid requests."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect(
    {"CORE-42": seen("NotAllowed", expected="^success$", what="^answer$")}, origin="textbook: a table of states that lacks the first one"
)
class CoreScalableFirstWriteRefused(MetadataBuffer):
    """A segment accepts messages only of transactions whose operation records it has, so no transaction can write its first
    message there.
    """

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if txn not in self._open:
            raise CommandRefused(ServerError.NOT_ALLOWED, f"TxnConflict: transaction {txn} has no operation records of this segment")
