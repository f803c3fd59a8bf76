"""Defects of EndTxn that only another open transaction in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction

from .neighbours import KnowsNeighbours


@defect({"KIP890-060": Symptom(what="answer to EndTxn")}, origin="textbook: a loop around too much")
class BumpedForEachOpen(KnowsNeighbours):
    """An end raises the epoch once for each transaction that is open in the same partitions."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        return super().prepare(transaction, decision, bumps + (len(self.beside(transaction)) if bumps else 0), moves_on=moves_on)
