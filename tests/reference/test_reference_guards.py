"""Verification guards: a marker that comes between the question to the coordinator and the append."""

import pytest

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.transaction import Decision
from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.wire.kafka.batches import Batch, Record, encode

PRODUCER = ProducerIdAndEpoch(7, 1)


@pytest.fixture
def log() -> PartitionLog:
    clock = Clock()
    machine = Machine(clock, Disk(), Network(clock), CrashPoints({}))
    log = PartitionLog(machine, ProducerStates, PartitionName("t", 0))
    log.leaders_before = 0
    return log


def append(log: PartitionLog, guard: int | None, sequence: int = 0) -> int:
    batch = Batch((Record(b"v"),), 0, PRODUCER.producer_id, PRODUCER.epoch, sequence, transactional=True)
    return log.append(batch, encode(batch), guard)


def test_a_batch_without_a_guard_opens_no_transaction(log: PartitionLog) -> None:
    """The leader has not asked the coordinator, so it does not know of one."""
    with pytest.raises(RequestRefused) as refusal:
        append(log, None)

    assert refusal.value.error is Errors.INVALID_TXN_STATE
    assert log.end_offset == 0


def test_a_marker_takes_the_guard_away(log: PartitionLog) -> None:
    """The leader asks, a marker comes, and the append is refused; after the leader asks again, it is accepted."""
    attempt = log.guards.draw(PRODUCER, 0, bumps_epoch=False)
    log.append_marker(TransactionMarker(PRODUCER, Decision.ABORT, coordinator_epoch=0, transaction_version=0))

    with pytest.raises(RequestRefused) as refusal:
        append(log, attempt.guard)

    assert refusal.value.error is Errors.INVALID_TXN_STATE
    assert append(log, log.guards.draw(PRODUCER, 0, bumps_epoch=False).guard) == 1


def test_a_later_batch_does_not_overtake_the_one_that_is_being_verified(log: PartitionLog) -> None:
    """Two batches wait for the coordinator, and the second one reaches the log first."""
    log.guards.draw(PRODUCER, 0, bumps_epoch=False)
    attempt = log.guards.draw(PRODUCER, 1, bumps_epoch=False)

    with pytest.raises(RequestRefused) as refusal:
        append(log, attempt.guard, sequence=1)

    assert refusal.value.error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert append(log, attempt.guard, sequence=0) == 0
