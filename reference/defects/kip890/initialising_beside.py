"""Defects of a takeover that only another open transaction in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import Transaction

from .neighbours import Neighbours


class _TakeoverAbortsAllThatIsOpenThere(Neighbours):
    def abort_before_takeover(self, transaction: Transaction) -> None:
        for other in self.beside(transaction):
            self.abort_by_server(other)
        super().abort_before_takeover(transaction)


TAKEOVER_ABORTS_NEIGHBOURS = Defect(
    name="takeover-aborts-neighbours",
    breaks={"KIP890-022": Symptom(what="transaction of C")},
    story="A takeover aborts all that is open in the partitions of the transaction that it ends.",
    origin="textbook: partitions aborted, where transactions are meant",
    parts=Parts(coordinator=_TakeoverAbortsAllThatIsOpenThere),
)
