"""Defects in ending a transaction."""

from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts

from .defect import Defect


class _KeepsTheEpoch(Coordinator):
    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return False


NO_EPOCH_BUMP = Defect(
    name="no-epoch-bump",
    breaks="KIP890-060",
    story="EndTxn v5 is handled like its older versions: the transaction ends, and the next one has the same epoch.",
    origin="textbook: every broker was so before KIP-890",
    symptom=r"seen success with \(producer id \d+, epoch 0\)",
    parts=Parts(coordinator=_KeepsTheEpoch),
)
