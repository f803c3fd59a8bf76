"""Verification guards: what a leader appends only after it has asked the coordinator."""

import pytest

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.wire.kafka.batches import Batch, Record, encode


@pytest.fixture
def log() -> PartitionLog:
    clock = Clock()
    machine = Machine(clock, Disk(), Network(clock), CrashPoints({}))
    log = PartitionLog(machine, ProducerStates, PartitionName("t", 0))
    log.leaders_before = 0
    return log


def test_a_batch_without_a_guard_opens_no_transaction(log: PartitionLog) -> None:
    """The leader has not asked the coordinator, so it does not know of one."""
    batch = Batch((Record(b"v"),), 0, producer_id=7, producer_epoch=1, base_sequence=0, transactional=True)

    with pytest.raises(RequestRefused) as refusal:
        log.append(batch, encode(batch), guard=None)

    assert refusal.value.error is Errors.INVALID_TXN_STATE
    assert log.end_offset == 0
