"""Defects in what a marker is, and in which markers a partition takes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.marker_writer import MarkerWriter
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import KafkaTransaction
from fencepost.reference.kernel.machine import Machine
from fencepost.wire.kafka.batches import Batch, EndTransactionMarker, encode


@defect(
    {"KIP890-122": seen(r"^payments-0: (COMMIT|ABORT) .*, \+0 from the producer's own", what="markers added to payments-0")},
    origin="textbook: the marker is made from the request and not from the prepared state",
)
class MarkerWithTheOldEpoch(MarkerSender):
    """The epoch is bumped at the coordinator and not in the marker, so that partitions continue to accept late data."""

    def marker_for(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        if transaction.transaction_version < 2:
            return marker
        data = ProducerIdAndEpoch(marker.producer.producer_id, marker.producer.epoch - 1)
        return replace(marker, producer=data, transaction_version=0)


@defect(
    {"KIP890-123": seen(r"^payments-0: (COMMIT|ABORT) .*, \+1 from the producer's own", what="markers added to payments-0")},
    origin="textbook: one rule for both protocols",
)
class MarkerBumpedForAnOldClient(MarkerSender):
    """Markers have the next epoch for old clients too, whose next transaction is then fenced."""

    def marker_for(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        if transaction.transaction_version >= 2:
            return marker
        return replace(marker, producer=ProducerIdAndEpoch(marker.producer.producer_id, marker.producer.epoch + 1))


@defect({"KIP890-125": seen("^transactional: False, control: True")}, origin="textbook: a batch that is built without its attributes")
class MarkerNotTransactional(PartitionLog):
    """Control batches lack the transactional attribute."""

    def control_batch(self, marker: EndTransactionMarker, producer: ProducerIdAndEpoch) -> Batch:
        return replace(super().control_batch(marker, producer), transactional=False)


@defect({"KIP890-125": seen("records: 1, .*coordinator epoch: -1$", what="^marker in")}, origin="brokers whose markers have a key only")
class MarkersWithoutValue(PartitionLog):
    """A marker says commit or abort, which is all that clients read, and not by which coordinator it was written."""

    def write(self, batch: Batch, data: bytes) -> int:
        if batch.marker is None:
            return super().write(batch, data)
        return super().write(batch, encode(replace(batch, records=tuple(replace(record, value=None) for record in batch.records))))


@defect(
    {"KIP890-127": seen("^success", expected="INVALID_PRODUCER_EPOCH")},
    origin="KAFKA-19446: Kafka before 4.2 cannot recognise such a marker",
)
class LateMarkerEndsTheNextTransaction(ProducerStates):
    """A marker that comes late, from the last transaction, ends the one that is open now."""

    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(replace(marker, transaction_version=0))


@defect({"KIP890-128": seen("^success", expected="INVALID_PRODUCER_EPOCH")}, origin="textbook: the hazard of the proposal's introduction")
class MarkerOfAnyEpoch(ProducerStates):
    """A marker of an older epoch of the producer is written."""

    def check_marker(self, marker: TransactionMarker) -> None:
        if (state := self.get(marker.producer.producer_id)) is not None and marker.producer.epoch < state.producer.epoch:
            return
        super().check_marker(marker)


@defect({"KIP890-129": Symptom(what="answer to WriteTxnMarkers", error="^INVALID_PRODUCER_EPOCH$")}, origin="KAFKA-19999")
class RepeatedMarkerRefused(ProducerStates):
    """A coordinator that received no answer for a written marker sends it again, is refused, and never completes the transaction."""

    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(marker)
        state = self.get(marker.producer.producer_id)
        if marker.transaction_version >= 2 and state is not None and marker.producer.epoch == state.producer.epoch:
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH)


@defect(
    {"KIP890-130": seen("^success", expected="TRANSACTION_COORDINATOR_FENCED")}, origin="textbook: the epoch in the marker is not compared"
)
class MarkerOfAnyCoordinator(ProducerStates):
    """A coordinator that was replaced can still end transactions."""

    def check_marker(self, marker: TransactionMarker) -> None:
        state = self.get(marker.producer.producer_id)
        known = -1 if state is None else state.coordinator_epoch
        super().check_marker(replace(marker, coordinator_epoch=max(marker.coordinator_epoch, known)))


@defect(
    {"KIP890-131": Symptom(what="answer to WriteTxnMarkers", error="^INVALID_PRODUCER_EPOCH$")},
    origin="textbook: the strict comparison for all versions",
)
class OperatorMarkerRefused(ProducerStates):
    """Every marker has to have a bumped epoch, so the tool that clears hanging transactions clears none."""

    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(replace(marker, transaction_version=2))


@defect(
    {"KIP890-131": seen("Ongoing", what="^last stable offset of accounts-0")},
    origin="red team: a loop over the partitions inside of one over the topics",
)
class MarkerForTheFirstTopicAlone(MarkerWriter):
    """A marker of WriteTxnMarkers for several topics reaches the first topic, and all are answered."""

    def write_all(self, partitions: Iterable[PartitionName], marker: TransactionMarker) -> dict[PartitionName, Errors]:
        where = list(partitions)
        of_first = [partition for partition in where if partition.topic == where[0].topic]
        return dict.fromkeys(where, Errors.NONE) | super().write_all(of_first, marker)


@defect(
    {"KIP890-131": seen("Ongoing", what="^last stable offset of payments-0")},
    origin="red team: what is done is remembered by the partitions",
)
class MarkerTakenForTheOneBefore(MarkerWriter):
    """In WriteTxnMarkers a marker for the same partitions as the one before it is taken for its retry, also if another producer's."""

    _before: tuple[object, int] | None = None

    def write_all(self, partitions: Iterable[PartitionName], marker: TransactionMarker) -> dict[PartitionName, Errors]:
        where, before = tuple(partitions), self._before
        self._before = ((where, marker.decision), marker.producer.producer_id)
        if before is not None and before[0] == self._before[0] and before[1] != self._before[1]:
            return dict.fromkeys(where, Errors.NONE)
        return super().write_all(where, marker)


@defect({"KIP890-132": seen("^success with Appended")}, origin="KAFKA-14402: late data after the marker is how transactions came to hang")
class MarkerOfAStrangerForgotten(ProducerStates):
    """A marker for a producer that the partition does not know is written and not remembered, so late data is taken after it."""

    def apply(self, batch: Batch) -> ProducerState | None:
        if batch.marker is not None and self.get(batch.producer_id) is None:
            return None
        return super().apply(batch)


@defect(
    {"KIP890-133": seen(r"^producer id \d+ from offset \d+", what="aborted transactions of payments-0")},
    origin="textbook: the index is written by the marker's type alone",
)
class EmptyAbortIndexed(PartitionLog):
    """An ABORT marker that ends nothing gets an entry in the index of aborted transactions."""

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        if (aborted := super().aborted_by(marker, before)) is not None or marker.marker is None or marker.marker.type.value != 0:
            return aborted
        return AbortedTxn(marker.producer_id, marker.base_offset, marker.base_offset)


@defect(
    {"KIP890-134": seen("-0: a refusal with UNKNOWN_TOPIC_OR_PARTITION", what="answer to WriteTxnMarkers")},
    origin="textbook: one verdict for the request",
)
class OneMissingPartitionFailsAll(MarkerWriter):
    """If one partition of WriteTxnMarkers is unknown, every partition in the request gets its error."""

    def write_all(self, partitions: Iterable[PartitionName], marker: TransactionMarker) -> dict[PartitionName, Errors]:
        verdicts = super().write_all(partitions, marker)
        worst = max(verdicts.values(), default=Errors.NONE)
        return dict.fromkeys(verdicts, worst)


@defect(
    {"KIP890-135": seen(r"^last stable offset \d+, high watermark \d+")},
    origin="textbook: it is computed while the marker is not below the high watermark yet, and not again after that",
)
class StableOnlyBeforeTheMarker(PartitionLog):
    """The last stable offset stays before the last marker until another record comes."""

    def first_unstable_offset(self) -> int | None:
        first, last = super().first_unstable_offset(), self.entries(self.end_offset - 1)[-1:]
        return last[0].batch.base_offset if first is None and last and last[0].batch.marker else first


@defect(
    {"KIP890-130": seen("^success", expected="TRANSACTION_COORDINATOR_FENCED", what="answer to WriteTxnMarkers")},
    origin="textbook: a fence in memory only",
)
class DeposedCoordinatorBackAfterCrash(PartitionLog):
    """After a crash a partition does not know how new the coordinator was that wrote there, and takes the marker of a deposed one."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self.producers.restore(replace(state, coordinator_epoch=-1) for state in self.producers.all())


@defect(
    {"KIP890-218": seen("^nothing", expected='^"a2"', what="readers of accounts-1")},
    origin="textbook: a queue whose first entry is tried until it succeeds",
)
class RefusedMarkerHoldsUpOthers(MarkerSender):
    """Markers are sent again in the order of their transactions, and one that a partition refuses blocks all after it."""

    def send_again(self) -> None:
        oldest = next(iter(self._waiting), None)
        later = [message for message in self._again if message.transactional_id != oldest]
        self._again = [message for message in self._again if message.transactional_id == oldest]
        super().send_again()
        self._again += later


@defect(
    {"KIP890-130": seen("^success", expected="TRANSACTION_COORDINATOR_FENCED", what="answer to WriteTxnMarkers")},
    origin="textbook: a new epoch begins with an empty state",
)
class DeposedCoordinatorBackWithANewEpoch(ProducerStates):
    """With a new epoch of the producer a partition forgets its coordinators, and takes the marker of a deposed one."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if before is not None and batch.marker is None and batch.producer_epoch > before.producer.epoch:
            mine = batch.producer_id
            self.restore(replace(one, coordinator_epoch=-1) if one.producer.producer_id == mine else one for one in self.all())
        return before


@defect(
    {"KIP890-406": seen('^nothing|"a1"', what="records that readers of payments-0 see")},
    origin="textbook: a variable set before the loop, and not in it",
)
class DecisionOfTheFirstMarker(MarkerWriter):
    """Each marker of a request has the decision of the first one, so one transaction is ended as another was decided."""

    def as_sent(self, markers: Sequence[TransactionMarker]) -> Sequence[TransactionMarker]:
        return [replace(marker, decision=markers[0].decision) for marker in markers]


@defect(
    {"KIP890-406": seen("^payments-0: success", expected="INVALID_PRODUCER_EPOCH", what="answer to WriteTxnMarkers")},
    origin="textbook: a variable set before the loop, and not in it",
)
class VersionOfTheFirstMarker(MarkerWriter):
    """The transaction version of the first marker in a request counts for all, and a late marker of a new client ends its next
    transaction."""

    def as_sent(self, markers: Sequence[TransactionMarker]) -> Sequence[TransactionMarker]:
        return [replace(marker, transaction_version=markers[0].transaction_version) for marker in markers]


@defect(
    {"KIP890-130": seen("^a refusal with TRANSACTION_COORDINATOR_FENCED", expected="^success")},
    origin="red team: one coordinator epoch for the partition, where several coordinators write",
)
class CoordinatorEpochOfThePartition(ProducerStates):
    """A partition refuses the marker of a coordinator whose epoch is smaller than that of another producer's coordinator."""

    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(marker)
        if marker.coordinator_epoch < max((state.coordinator_epoch for state in self.all()), default=-1):
            raise RequestRefused(Errors.TRANSACTION_COORDINATOR_FENCED)


@defect(
    {"KIP890-406": seen("INVALID_PRODUCER_EPOCH", expected="success", what="answer to WriteTxnMarkers")},
    origin="red team: a loop that ends at the first error",
)
class MarkersAfterARefusedOne(MarkerWriter):
    """In WriteTxnMarkers no marker after a refused one is written, and each has its error."""

    _refused: Errors | None = None

    def as_sent(self, markers: Sequence[TransactionMarker]) -> Sequence[TransactionMarker]:
        self._refused = None
        return super().as_sent(markers)

    def write_all(self, partitions: Iterable[PartitionName], marker: TransactionMarker) -> dict[PartitionName, Errors]:
        if self._refused is not None:
            return dict.fromkeys(partitions, self._refused)
        results = super().write_all(partitions, marker)
        self._refused = next((error for error in results.values() if error is Errors.INVALID_PRODUCER_EPOCH), None)
        return results


@defect(
    {
        "KIP890-130": seen(
            "-1: a refusal with TRANSACTION_COORDINATOR_FENCED", expected="^success for the other", what="^answer to WriteTxnMarkers"
        )
    },
    origin="red team: a loop that ends at the first error",
)
class PartitionsAfterARefusedOne(MarkerWriter):
    """A marker that one partition refuses is written to no later partition of the same request."""

    def write_all(self, partitions: Iterable[PartitionName], marker: TransactionMarker) -> dict[PartitionName, Errors]:
        results: dict[PartitionName, Errors] = {}
        for partition in partitions:
            fenced = Errors.TRANSACTION_COORDINATOR_FENCED in results.values()
            results |= {partition: Errors.TRANSACTION_COORDINATOR_FENCED} if fenced else super().write_all([partition], marker)
        return results
