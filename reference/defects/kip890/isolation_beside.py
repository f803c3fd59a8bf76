"""Defects of isolation that only a third producer shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.partition_log import PartitionLog

_PLACES = 2


@defect(
    {"KIP890-142": Symptom(what="last stable offset of payments-0")}, origin="textbook: places for as many as its author could think of"
)
class LsoKnowsTwo(PartitionLog):
    """A partition counts only the two youngest of its open transactions, so readers pass the first record of the oldest of three."""

    def first_unstable_offset(self) -> int | None:
        known = sorted(self.producers.open_transactions())[-_PLACES:]
        return max(known[0], self.start_offset) if known else super().first_unstable_offset()
