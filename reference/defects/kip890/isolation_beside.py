"""Defects of isolation that only a third producer shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog

_PLACES = 2


class _KnowsTwoOpenOnes(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        known = sorted(self.producers.open_transactions())[-_PLACES:]
        return max(known[0], self.start_offset) if known else super().first_unstable_offset()


LSO_KNOWS_TWO = Defect(
    name="lso-knows-two",
    breaks={"KIP890-142": Symptom(what="last stable offset of payments-0")},
    story="Of the transactions that are open in a partition the two youngest count, and readers pass the first of three.",
    origin="textbook: places for as many as its author could think of",
    parts=Parts(partition_log=_KnowsTwoOpenOnes),
)
