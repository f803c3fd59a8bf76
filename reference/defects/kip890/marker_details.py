"""Defects in what a marker is, and in which markers a partition takes."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.marker_writer import MarkerWriter
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.profile import Profile
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kernel.machine import Machine
from fencepost.wire.kafka.batches import Batch, Marker, encode


class _TellsTheOldEpoch(MarkerSender):
    def marker_for(self, transaction: Transaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        if transaction.transaction_version < 2:
            return marker
        data = ProducerIdAndEpoch(marker.producer.producer_id, marker.producer.epoch - 1)
        return replace(marker, producer=data, transaction_version=0)


class _AlwaysTellsTheNextEpoch(MarkerSender):
    def marker_for(self, transaction: Transaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        if transaction.transaction_version >= 2:
            return marker
        return replace(marker, producer=ProducerIdAndEpoch(marker.producer.producer_id, marker.producer.epoch + 1))


class _WritesMarkersAsIfOutsideOfTransactions(PartitionLog):
    def control_batch(self, marker: Marker, producer: ProducerIdAndEpoch) -> Batch:
        return replace(super().control_batch(marker, producer), transactional=False)


class _WritesMarkersWithoutValue(PartitionLog):
    def write(self, batch: Batch, data: bytes) -> int:
        if batch.marker is None:
            return super().write(batch, data)
        return super().write(batch, encode(replace(batch, records=tuple(replace(record, value=None) for record in batch.records))))


class _TakesAnEqualEpochForGood(ProducerStates):
    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(replace(marker, transaction_version=0))


class _TakesMarkersOfAnyEpoch(ProducerStates):
    def check_marker(self, marker: TransactionMarker) -> None:
        if (state := self.get(marker.producer.producer_id)) is not None and marker.producer.epoch < state.producer.epoch:
            return
        super().check_marker(marker)


class _RefusesRepeatedMarkers(ProducerStates):
    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(marker)
        state = self.get(marker.producer.producer_id)
        if marker.transaction_version >= 2 and state is not None and marker.producer.epoch == state.producer.epoch:
            raise Refused(Error.INVALID_PRODUCER_EPOCH)


class _TakesMarkersOfAnyCoordinator(ProducerStates):
    def check_marker(self, marker: TransactionMarker) -> None:
        state = self.get(marker.producer.producer_id)
        known = -1 if state is None else state.coordinator_epoch
        super().check_marker(replace(marker, coordinator_epoch=max(marker.coordinator_epoch, known)))


class _WantsABumpFromEverybody(ProducerStates):
    def check_marker(self, marker: TransactionMarker) -> None:
        super().check_marker(replace(marker, transaction_version=2))


class _ForgetsMarkersOfStrangers(ProducerStates):
    def apply(self, batch: Batch) -> ProducerState | None:
        if batch.marker is not None and self.get(batch.producer_id) is None:
            return None
        return super().apply(batch)


class _IndexesEveryAbort(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTransaction | None:
        if (aborted := super().aborted_by(marker, before)) is not None or marker.marker is None or marker.marker.type.value != 0:
            return aborted
        return AbortedTransaction(marker.producer_id, marker.base_offset, marker.base_offset)


class _OneForAll(MarkerWriter):
    def write_all(self, partitions: Iterable[TopicPartition], marker: TransactionMarker) -> dict[TopicPartition, Error]:
        verdicts = super().write_all(partitions, marker)
        worst = max(verdicts.values(), default=Error.NONE)
        return dict.fromkeys(verdicts, worst)


class _LooksAtTheNextRecordOnly(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        first, last = super().first_unstable_offset(), self.entries(self.end_offset - 1)[-1:]
        return last[0].batch.base_offset if first is None and last and last[0].batch.marker else first


MARKER_WITH_THE_OLD_EPOCH = Defect(
    name="marker-with-the-old-epoch",
    breaks={"KIP890-122": Symptom(what="markers added to payments-0", seen=r"^payments-0: (COMMIT|ABORT) .*, \+0 from the producer's own")},
    story="The epoch is bumped at the coordinator and not in the marker, so that partitions go on to take late data.",
    origin="textbook: the marker is made from the request and not from the prepared state",
    parts=Parts(marker_sender=_TellsTheOldEpoch),
)

MARKER_BUMPED_FOR_AN_OLD_CLIENT = Defect(
    name="marker-bumped-for-an-old-client",
    breaks={"KIP890-123": Symptom(what="markers added to payments-0", seen=r"^payments-0: (COMMIT|ABORT) .*, \+1 from the producer's own")},
    story="Markers have the next epoch for old clients too, whose next transaction then is fenced.",
    origin="textbook: one rule for both protocols",
    parts=Parts(marker_sender=_AlwaysTellsTheNextEpoch),
)

MARKER_NOT_TRANSACTIONAL = Defect(
    name="marker-not-transactional",
    breaks={"KIP890-125": Symptom(seen="^transactional: False, control: True")},
    story="Control batches lack the transactional attribute.",
    origin="textbook: a batch that is built without its attributes",
    parts=Parts(partition_log=_WritesMarkersAsIfOutsideOfTransactions),
)

LATE_MARKER_ENDS_THE_NEXT_TRANSACTION = Defect(
    name="late-marker-ends-the-next-transaction",
    breaks={"KIP890-127": Symptom(expected="INVALID_PRODUCER_EPOCH", seen="^success")},
    story="A marker that comes late, from the last transaction, ends the one that is open now.",
    origin="KAFKA-19446: Kafka before 4.2 cannot tell such a marker",
    parts=Parts(producer_states=_TakesAnEqualEpochForGood),
)

MARKER_OF_ANY_EPOCH = Defect(
    name="marker-of-any-epoch",
    breaks={"KIP890-128": Symptom(expected="INVALID_PRODUCER_EPOCH", seen="^success")},
    story="A marker of an older epoch of the producer is written.",
    origin="textbook: the hazard of the proposal's introduction",
    parts=Parts(producer_states=_TakesMarkersOfAnyEpoch),
)

REPEATED_MARKER_REFUSED = Defect(
    name="repeated-marker-refused",
    breaks={"KIP890-129": Symptom(what="answer to WriteTxnMarkers", error="^INVALID_PRODUCER_EPOCH$")},
    story="A coordinator that did not hear of a written marker sends it again, is refused, and never completes the transaction.",
    origin="KAFKA-19999",
    parts=Parts(producer_states=_RefusesRepeatedMarkers),
)

MARKER_OF_ANY_COORDINATOR = Defect(
    name="marker-of-any-coordinator",
    breaks={"KIP890-130": Symptom(expected="TRANSACTION_COORDINATOR_FENCED", seen="^success")},
    story="A coordinator that was replaced can still end transactions.",
    origin="textbook: the epoch in the marker is not compared",
    parts=Parts(producer_states=_TakesMarkersOfAnyCoordinator),
)

OPERATOR_MARKER_REFUSED = Defect(
    name="operator-marker-refused",
    breaks={"KIP890-131": Symptom(what="answer to WriteTxnMarkers", error="^INVALID_PRODUCER_EPOCH$")},
    story="Every marker has to have a bumped epoch, so the tool that clears hanging transactions clears none.",
    origin="textbook: the strict comparison for all versions",
    parts=Parts(producer_states=_WantsABumpFromEverybody),
)

MARKER_OF_A_STRANGER_FORGOTTEN = Defect(
    name="marker-of-a-stranger-forgotten",
    breaks={"KIP890-132": Symptom(seen="^success with Appended")},
    story="A marker for a producer that the partition does not know is written and not remembered, so late data is taken after it.",
    origin="KAFKA-14402: late data after the marker is how transactions came to hang",
    parts=Parts(producer_states=_ForgetsMarkersOfStrangers),
)

EMPTY_ABORT_INDEXED = Defect(
    name="empty-abort-indexed",
    breaks={"KIP890-133": Symptom(what="aborted transactions of payments-0", seen=r"^producer id \d+ from offset \d+")},
    story="An ABORT marker that ends nothing gets an entry in the index of aborted transactions.",
    origin="textbook: the index is written by the marker's type alone",
    parts=Parts(partition_log=_IndexesEveryAbort),
)

ONE_MISSING_PARTITION_FAILS_ALL = Defect(
    name="one-missing-partition-fails-all",
    breaks={"KIP890-134": Symptom(what="answer to WriteTxnMarkers", seen="-0: a refusal with UNKNOWN_TOPIC_OR_PARTITION")},
    story="One partition that cannot be found refuses a marker for all the partitions beside it.",
    origin="textbook: one verdict for the request",
    parts=Parts(marker_writer=_OneForAll),
)

STABLE_ONLY_BEFORE_THE_MARKER = Defect(
    name="stable-only-before-the-marker",
    breaks={"KIP890-135": Symptom(seen=r"^last stable offset \d+, high watermark \d+")},
    story="The last stable offset stays before the last marker until another record comes.",
    origin="textbook: it is computed while the marker is not below the high watermark yet, and not again after that",
    parts=Parts(partition_log=_LooksAtTheNextRecordOnly),
)

MARKERS_WITHOUT_VALUE = Defect(
    name="markers-without-value",
    breaks={"KIP890-125": Symptom(what="^marker in", seen="records: 1, .*coordinator epoch: -1$")},
    story="A marker says commit or abort, which is all that clients read, and not by which coordinator it was written.",
    origin="brokers whose markers have a key only",
    parts=Parts(partition_log=_WritesMarkersWithoutValue),
)


class _ForgetsCoordinatorsInACrash(PartitionLog):
    def __init__(self, machine: Machine, profile: Profile, producer_states: type[ProducerStates], name: TopicPartition) -> None:
        super().__init__(machine, profile, producer_states, name)
        self.producers.restore(replace(state, coordinator_epoch=-1) for state in self.producers.all())


DEPOSED_COORDINATOR_BACK_AFTER_CRASH = Defect(
    name="deposed-coordinator-back-after-crash",
    breaks={"KIP890-130": Symptom(what="answer to WriteTxnMarkers", expected="TRANSACTION_COORDINATOR_FENCED", seen="^success")},
    story="After a crash a partition does not know how new the coordinator was that wrote there, and takes the marker of a deposed one.",
    origin="textbook: a fence in memory only",
    parts=Parts(partition_log=_ForgetsCoordinatorsInACrash),
)


class _SendsInTurn(MarkerSender):
    def send_again(self) -> None:
        oldest = next(iter(self._waiting), None)
        later = [message for message in self._again if message.transactional_id != oldest]
        self._again = [message for message in self._again if message.transactional_id == oldest]
        super().send_again()
        self._again += later


REFUSED_MARKER_HOLDS_UP_OTHERS = Defect(
    name="refused-marker-holds-up-others",
    breaks={"KIP890-218": Symptom(what="readers of accounts-1", expected='^"a2"', seen="^nothing")},
    story="Markers are sent again in the order of their transactions, and one that a partition refuses has all others wait behind it.",
    origin="textbook: a queue whose first entry is tried until it succeeds",
    parts=Parts(marker_sender=_SendsInTurn),
)


class _ForgetsCoordinatorsWithTheEpoch(ProducerStates):
    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if before is not None and batch.marker is None and batch.producer_epoch > before.producer.epoch:
            mine = batch.producer_id
            self.restore(replace(one, coordinator_epoch=-1) if one.producer.producer_id == mine else one for one in self.all())
        return before


DEPOSED_COORDINATOR_BACK_WITH_A_NEW_EPOCH = Defect(
    name="deposed-coordinator-back-with-a-new-epoch",
    breaks={"KIP890-130": Symptom(what="answer to WriteTxnMarkers", expected="TRANSACTION_COORDINATOR_FENCED", seen="^success")},
    story="With a new epoch of the producer a partition forgets its coordinators, and takes the marker of a deposed one.",
    origin="textbook: a new epoch begins with an empty state",
    parts=Parts(producer_states=_ForgetsCoordinatorsWithTheEpoch),
)
