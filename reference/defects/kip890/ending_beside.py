"""Defects of EndTxn that only another open transaction in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import Decision, Transaction

from .neighbours import Neighbours


class _BumpsForEachThatIsOpen(Neighbours):
    def prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:
        return super().prepare(transaction, decision, bumps + (len(self.beside(transaction)) if bumps else 0), moves_on=moves_on)


BUMPED_FOR_EACH_OPEN = Defect(
    name="bumped-for-each-open",
    breaks={"KIP890-060": Symptom(what="answer to EndTxn")},
    story="An end raises the epoch once for each transaction that is open in the same partitions.",
    origin="textbook: a loop around too much",
    parts=Parts(coordinator=_BumpsForEachThatIsOpen),
)
