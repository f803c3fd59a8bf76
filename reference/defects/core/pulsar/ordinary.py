"""Defects of the Pulsar reference that refuse valid requests."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect({"CORE-42": seen("InvalidTxnStatus")}, origin="textbook: a table of states that lacks the first one")
class CorePulsarFirstPartitionRefused(LogCoordinator):
    """The coordinator adds a partition only to a transaction that already has one, so no transaction ever gets its first."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if not self.describe(txn).partitions:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, "the transaction is OPEN, and has no partition")
        super().add_partitions(txn, names)
