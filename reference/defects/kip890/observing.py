"""Defects in what an operator sees."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.reference.defects.conforming.kafka import SlowNetwork
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.directory import Directory
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NOTHING, PartitionName
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch


@defect({"KIP890-147": seen(r"^success with TransactionDescription\(state='Empty'")}, origin="textbook: a default where nothing is found")
class EveryIdIsKnown(KafkaCoordinator):
    """An id that was never initialised is described as an empty one, so an operator mistakes a misspelt id for an idle one."""

    def describe(self, transactional_id: str) -> KafkaTransaction:
        try:
            return super().describe(transactional_id)
        except RequestRefused as refusal:
            if refusal.error is not Errors.TRANSACTIONAL_ID_NOT_FOUND:
                raise
            return KafkaTransaction(transactional_id, producer_id=-1, producer_epoch=-1, timeout_ms=0)


@defect({"KIP890-148": seen("^Ongoing, Empty")}, origin="textbook: states folded into idle and busy")
class CompleteShownAsEmpty(KafkaCoordinator):
    """Once it is complete, a transaction is shown as if there never was one."""

    def describe(self, transactional_id: str) -> KafkaTransaction:
        transaction = super().describe(transactional_id)
        is_complete = transaction.state in (KafkaTransactionState.COMPLETE_COMMIT, KafkaTransactionState.COMPLETE_ABORT)
        return replace(transaction, state=KafkaTransactionState.EMPTY) if is_complete else transaction


class _MarkersAreUnderWay(SlowNetwork):
    every = 12  # so that a prepared transaction can be seen after the answer to its EndTxn


@defect(
    {"KIP890-149": seen(r"^PrepareCommit in blocking-\S+, payments-\S+", what="transaction of A")},
    origin="textbook: the stored partitions are shown and not those that are left",
)
class MarkedPartitionsStillListed(MarkerSender):
    """A prepared transaction is shown with all of its partitions, so an operator cannot see which one it waits for."""

    def unmarked(self, transactional_id: str) -> frozenset[PartitionName]:
        return super().unmarked(transactional_id) | self.sent[transactional_id]

    def send(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> None:
        self.sent[transaction.transactional_id] = transaction.partitions
        super().send(transaction, coordinator_epoch, transaction_version)

    @property
    def sent(self) -> dict[str, frozenset[PartitionName]]:
        sent: dict[str, frozenset[PartitionName]] = self.__dict__.setdefault("_sent", {})
        return sent


@defect(
    {"KIP890-150": seen("^A in it as Ongoing", what="list of transactions")}, origin="textbook: kindness to the user who types the filter"
)
class StateNamesInAnyCase(TransactionFilter):
    """State names are matched in upper and lower case alike."""

    def is_state(self, name: str) -> bool:
        return any(name.lower() == state.value.lower() for state in KafkaTransactionState)

    def has_state(self, transaction: KafkaTransaction, states: Sequence[str]) -> bool:
        return any(name.lower() == transaction.state.value.lower() for name in states)


@defect(
    {"KIP890-151": seen("^A in it as Ongoing", what="list of transactions")},
    origin="textbook: a new field of a message that no code reads",
)
class DurationIgnored(TransactionFilter):
    """ListTransactions ignores its duration filter and lists every open transaction, also those that began a moment ago."""

    def began_longer_ago(self, transaction: KafkaTransaction, now: int, duration_ms: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-152": seen("^B in it as Empty")}, origin="textbook: a new field of a message that no code reads")
class PatternIgnored(TransactionFilter):
    """The pattern is read and not used."""

    def __init__(self, states: Sequence[str], producer_ids: Sequence[int], longer_than_ms: int, pattern: str | None) -> None:
        del pattern
        super().__init__(states, producer_ids, longer_than_ms, None)


@defect(
    {"KIP890-150": seen("^B not in it", expected="^B is listed$", what="^list of transactions$")},
    origin="red team: the first element is used for the whole list",
)
class FirstStateAlone(TransactionFilter):
    """ListTransactions with several states uses the first one, and transactions in the others are missing."""

    def has_state(self, transaction: KafkaTransaction, states: Sequence[str]) -> bool:
        return super().has_state(transaction, states[:1])


@defect(
    {"KIP890-150": seen("^A (not )?in it", expected="^A is (not )?listed$", what="^list of transactions$")},
    origin="red team: a field that each element of a list overwrites",
)
class LastProducerIdAlone(TransactionFilter):
    """ListTransactions with several producer ids uses the last one."""

    def __init__(self, states: Sequence[str], producer_ids: Sequence[int], longer_than_ms: int, pattern: str | None) -> None:
        super().__init__(states, producer_ids[-1:], longer_than_ms, pattern)


@defect(
    {"KIP890-150": seen("^A in it as", expected="^A is not listed$", what="^list of transactions$")},
    origin="red team: the producer id by which a retry is recognised is treated as the one in force",
)
class FormerProducerIdListed(TransactionFilter):
    """ListTransactions lists a transactional id also by the producer id that it had before its epochs overflowed."""

    def has_producer_id(self, transaction: KafkaTransaction, producer_ids: Sequence[int]) -> bool:
        return super().has_producer_id(transaction, producer_ids) or transaction.previous_producer_id in producer_ids


@defect(
    {"KIP890-150": seen("^A (not )?in it", expected="^A is (not )?listed$", what="^list of transactions$")},
    origin="textbook: an index by producer id that is filled at the first use of an id",
)
class NewProducerIdUnlisted(TransactionFilter):
    """After an overflow ListTransactions finds a transactional id by its former producer id alone, until its next transaction has ended."""

    def has_producer_id(self, transaction: KafkaTransaction, producer_ids: Sequence[int]) -> bool:
        return transaction.previous_producer_id in (NOTHING, *producer_ids) and (
            transaction.previous_producer_id != NOTHING or super().has_producer_id(transaction, producer_ids)
        )


@defect(
    {"KIP890-153": seen("^last sequence 0, coordinator epoch")},
    origin="textbook: the epoch of the partition's last marker is treated as that of each producer",
)
class CoordinatorEpochOfTheLastMarkerOfAll(ProducerStates):
    """A producer without a marker is shown with the coordinator epoch of another producer's marker."""

    def all(self) -> tuple[ProducerState, ...]:
        last = max((state.coordinator_epoch for state in super().all()), default=-1)
        return tuple(replace(state, coordinator_epoch=last) for state in super().all())


@defect({"KIP890-153": seen("^last sequence 1, coordinator epoch 0")}, origin="textbook: the default of an integer")
class CoordinatorEpochBeforeAnyMarker(ProducerStates):
    """A producer that no marker has come for is shown with coordinator epoch 0."""

    def all(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, coordinator_epoch=max(state.coordinator_epoch, 0)) for state in super().all())


@defect({"KIP890-153": seen("^last sequence -1, coordinator epoch 0")}, origin="textbook: a field that is set when the entry is created")
class CoordinatorEpochOfTheFirstMarker(ProducerStates):
    """A producer is shown with the coordinator epoch of the first marker that came for it."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if before is not None and batch.marker is not None and before.coordinator_epoch >= 0:
            mine = batch.producer_id
            self.restore(
                replace(one, coordinator_epoch=before.coordinator_epoch) if one.producer.producer_id == mine else one for one in self.all()
            )
        return before


@defect({"KIP890-154": seen(r"^\[1, 2\]")}, origin="textbook: a load balancer in front of the coordinators")
class CoordinatorsInTurn(Directory):
    """Clients are sent to one node and another in turn, as if any could coordinate any id."""

    def __init__(self, only_node: int) -> None:
        super().__init__(only_node)
        self._asked = 0

    def coordinator_of(self, key: str) -> int:
        self._asked += 1
        return super().coordinator_of(key) + self._asked % 2


@defect(
    {"KIP890-148": seen("; since the answer: Ongoing")}, origin="textbook: states folded into busy and idle", also=[_MarkersAreUnderWay]
)
class PreparedShownAsOpen(KafkaCoordinator):
    """A transaction whose end is decided is shown as open until its last marker is written, so an operator would abort it."""

    def describe(self, transactional_id: str) -> KafkaTransaction:
        transaction = super().describe(transactional_id)
        return replace(transaction, state=KafkaTransactionState.ONGOING) if transaction.state in PREPARED else transaction
