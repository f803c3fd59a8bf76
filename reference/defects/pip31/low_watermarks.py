"""Defects of Pulsar in how far a coordinator says that it has come."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator


class _CountsTheDecided(LogCoordinator):
    @property
    def low_watermark(self) -> int:
        undecided = [transaction.txn.sequence for transaction in self.transactions() if not transaction.status.is_decided]
        return min(undecided) - 1 if undecided else self.last_sequence


LOW_WATERMARK_COUNTS_THE_DECIDED = Defect(
    name="low-watermark-counts-the-decided",
    breaks={"PIP31-157": Symptom(what="^low watermark$", expected="^less than 0$", seen="^[0-9]+$")},
    story="A transaction that is decided counts as over before its end has come to everybody: who hears of a newer end first aborts it.",
    origin="textbook: the answer to the client is taken for the end of the work",
    parts=Parts(coordinator=_CountsTheDecided),
)
