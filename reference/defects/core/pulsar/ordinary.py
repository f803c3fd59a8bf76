"""Defects of the Pulsar reference that refuse what is lawful."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.values import TxnId


class _BeginsNothing(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if not self.describe(txn).partitions:
            raise Refused(Error.INVALID_TXN_STATUS, "the transaction is OPEN, and has no partition")
        super().add_partitions(txn, names)


FIRST_PARTITION_REFUSED = Defect(
    name="core-pulsar-first-partition-refused",
    breaks={"CORE-42": Symptom(seen="InvalidTxnStatus")},
    story="A partition is only added beside others, so no transaction ever has its first.",
    origin="textbook: a table of states that lacks the first one",
    parts=Parts(coordinator=_BeginsNothing),
)
