"""Defects of a takeover that only another open transaction in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.transaction import Transaction

from .neighbours import Neighbours


@defect({"KIP890-022": Symptom(what="transaction of C")}, origin="textbook: partitions aborted, where transactions are meant")
class TakeoverAbortsNeighbours(Neighbours):
    """A takeover aborts all that is open in the partitions of the transaction that it ends."""

    def abort_before_takeover(self, transaction: Transaction) -> None:
        for other in self.beside(transaction):
            self.abort_by_server(other)
        super().abort_before_takeover(transaction)
