"""Defects of Pulsar in how far a coordinator says that it has come."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator


@defect(
    {"PIP31-157": seen("^[0-9]+$", expected="^less than 0$", what="^low watermark$")},
    origin="textbook: the answer to the client is treated as the end of the work",
)
class LowWatermarkCountsTheDecided(LogCoordinator):
    """A decided transaction counts as over before its end has reached all participants: one that learns first of a newer end aborts it."""

    @property
    def low_watermark(self) -> int:
        undecided = [transaction.txn.sequence for transaction in self.transactions() if not transaction.status.is_decided]
        return min(undecided) - 1 if undecided else self.last_sequence


@defect(
    {"PIP31-157": seen("^[0-9]+$", expected="^less than [1-9]", what="^low watermark$")},
    origin="found by a mutant: a range that ends before the last",
)
class LowWatermarkForgetsTheNewest(LogCoordinator):
    """The newest transaction does not count: when all earlier ones are over, participants treat it as over too, and abort it."""

    @property
    def low_watermark(self) -> int:
        older = [one.txn.sequence for one in self.transactions() if not one.status.is_complete and one.txn.sequence < self.last_sequence]
        return min(older) - 1 if older else self.last_sequence
