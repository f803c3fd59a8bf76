"""Bugs of Apache Kafka's releases, as variants of the parts of the broker. A profile names what its release does.

What stays a branch in the parts themselves is what the text leaves open, or what a release offers.
"""

from collections.abc import Iterator
from dataclasses import replace

from fencepost.reference.kernel.crash import Crash

from .kafka_coordinator import KafkaCoordinator
from .kafka_errors import Errors, RequestRefused
from .kafka_profile import Profile
from .kafka_types import MAX_EPOCH, NOTHING, PartitionName, ProducerIdAndEpoch
from .ownership import ProducerIdOwnership
from .partition_log import PartitionLog
from .transaction import KafkaTransaction
from .verification import Verification


class ForgetsTheLastEpoch(KafkaCoordinator):
    """KAFKA-20357: after a restart the coordinator does not know from which epoch InitProducerId bumped last."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), last_producer_epoch=NOTHING)


class ForgetsProducerIds(KafkaCoordinator):
    """KAFKA-20310: after a restart the coordinator does not know the producer ids before and after this one."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), previous_producer_id=NOTHING, next_producer_id=NOTHING)


class StaleInitAborts(KafkaCoordinator):
    """InitProducerId compares the epoch only when nothing is open, so a fenced producer aborts its successor's transaction."""

    def may_end_what_is_open(self, transaction: KafkaTransaction, expected: ProducerIdAndEpoch) -> bool:  # noqa: ARG002
        return True


class OpensWithoutPartitions(KafkaCoordinator):
    """AddPartitionsToTxn without a partition opens a transaction."""

    def begins(self, partitions: frozenset[PartitionName]) -> bool:  # noqa: ARG002
        return True


class FencesWithTwoBumps(KafkaCoordinator):
    """KAFKA-19367: the epoch grows by two when the server ends a transaction."""

    def fence_bumps(self) -> int:
        return 2


class StaysAtTheLastEpoch(KafkaCoordinator):
    """KAFKA-20090: the transactional id stays with the old producer id, at an epoch that no producer may have."""

    def fence_moves_on(self) -> bool:
        return False


class CannotFenceTheLastEpoch(StaysAtTheLastEpoch):
    """KAFKA-20090 in 4.0: the transaction of a producer at its last epoch is not ended."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        if self._levels.transaction_version >= 2 and transaction.epoch_is_exhausted:
            self._transactions[transaction.transactional_id] = replace(transaction, producer_epoch=MAX_EPOCH)
            raise RequestRefused(Errors.UNKNOWN_SERVER_ERROR)
        super().abort_by_server(transaction)


class CannotRepeatTheLastBump(ProducerIdOwnership):
    """The test for an exhausted epoch comes before the one for a retry."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        if transaction.epoch_is_exhausted and expected_epoch not in (NOTHING, transaction.producer_epoch):
            raise RequestRefused(Errors.UNKNOWN_SERVER_ERROR)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


class CannotStoreTheNewProtocol(KafkaCoordinator):
    """At transaction.version 0 the record of a transaction has no place for the client's protocol, so it is not written."""

    def can_be_stored(self, transaction: KafkaTransaction) -> bool:
        return self._levels.transaction_version > 0 or transaction.transaction_version < 2


class EndsWhereItCannotStore(CannotStoreTheNewProtocol):
    """A broker that finds such a prepared transaction at its start ends."""

    def check_before_resending(self, transaction: KafkaTransaction) -> None:
        if not self.can_be_stored(transaction):
            raise Crash(f"the transaction of {transaction.transactional_id} cannot be stored at level 0")


class BeginsAtAnySequence(PartitionLog):
    """The first batch of a new client in a partition may have any sequence number; the test came with 4.1."""

    def may_begin_anywhere(self, *, is_of_new_client: bool) -> bool:  # noqa: ARG002
        return True


class AddsBeforeItLooks(Verification):
    """The coordinator is asked to add a partition before its log is asked whether it accepts the batch."""

    def looks_before_adding(self) -> bool:
        return False


def of(profile: Profile) -> Iterator[tuple[str, type]]:
    """The bugs of this release, each with the part in which it is."""
    if profile.last_epoch_after_restart == "forgotten":
        yield "coordinator", ForgetsTheLastEpoch
    if profile.producer_ids_after_restart == "forgotten":
        yield "coordinator", ForgetsProducerIds
    if profile.stale_init_over_open == "aborts":
        yield "coordinator", StaleInitAborts
    if profile.empty_addition == "opens":
        yield "coordinator", OpensWithoutPartitions
    if profile.server_fence_bumps == 2:
        yield "coordinator", FencesWithTwoBumps
    if profile.server_fence_at_last_epoch == "keeps":
        yield "coordinator", StaysAtTheLastEpoch
    if profile.server_fence_at_last_epoch == "fails":
        yield "coordinator", CannotFenceTheLastEpoch
    if profile.init_retry_at_last_epoch == "fails":
        yield "ownership", CannotRepeatTheLastBump
    if profile.new_protocol_at_level_0 == "refused":
        yield "coordinator", CannotStoreTheNewProtocol
    if profile.new_protocol_at_level_0 == "refused, fatal at start":
        yield "coordinator", EndsWhereItCannotStore
    if profile.non_zero_first_sequence == "accepted":
        yield "partition_log", BeginsAtAnySequence
    if profile.refused_first_batch == "stays added":
        yield "verification", AddsBeforeItLooks
