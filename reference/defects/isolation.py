"""Defects in what readers of committed data see."""

from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog

from .defect import Defect


class _EverythingIsStable(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        return None


LSO_IGNORES_OPEN_TRANSACTIONS = Defect(
    name="lso-ignores-open-transactions",
    breaks="KIP890-137",
    story="The last stable offset is the high watermark, so that readers of committed data see what may still be aborted.",
    origin="textbook: a log that stores transactional batches and knows nothing of transactions",
    symptom=r'seen .*"a1".*; last stable offset (\d+), high watermark \1;',
    parts=Parts(partition_log=_EverythingIsStable),
)
