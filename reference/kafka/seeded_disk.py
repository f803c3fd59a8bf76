"""A seeded disk: what a broker finds after many requests that a test does not want to wait for.

To raise an epoch to its limit takes some 32,000 requests of InitProducerId. All that the broker keeps of them is the latest record of the
transaction log; so a broker that starts with that record is the same as one that got so many requests and then restarted.
"""

from fencepost.reference.kernel.journal import Disk

from .kafka_types import ProducerIdAndEpoch
from .transaction import KafkaTransaction
from .transaction_log import KafkaTransactionLog

_TIMEOUT_MS = 60_000


def disk_after_bumps(transactional_id: str, epoch: int, kind: type[Disk] = Disk) -> tuple[Disk, ProducerIdAndEpoch]:
    """The disk, of this kind, of a broker on which this id has been initialised until it had that epoch, and the id's owner."""
    disk = kind()
    log = KafkaTransactionLog(disk)
    before = KafkaTransaction(transactional_id, log.new_producer_id(), epoch - 1, _TIMEOUT_MS)
    raised = before.bump_epoch(before.producer_epoch, _TIMEOUT_MS)
    log.append(raised)
    return disk, raised.producer
