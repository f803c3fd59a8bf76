"""Defects in what a leader lets into its log, and in what it answers."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerState, ProducerStates, Standing
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch, encode


class _AppendsBeforeItHears(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except Refused:
            attempt = log.guards.current(ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch))
            if operation is Operation.ADD and attempt is not None:
                log.append(batch, encode(batch), attempt.guard)
            raise


class _VerifiesEachBatch(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        guard = super().before_produce(log, transactional_id, batch, operation)
        if operation is not Operation.ADD:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            try:
                self._coordinator.verify_partitions(transactional_id, producer, [log.name])
            except Refused as refusal:
                raise self.refusal_of_produce(refusal.error, operation) from refusal
        return guard


class _StartsAtEveryBatch(ProducerStates):
    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is None and batch.transactional:
            self._states[batch.producer_id] = replace(self._states[batch.producer_id], transaction_start=batch.base_offset)
        return before


class _KeepsTheStart(ProducerStates):
    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is not None and before is not None:
            self._states[batch.producer_id] = replace(self._states[batch.producer_id], transaction_start=before.transaction_start)
        return before


class _OneForAll(Coordinator):
    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, Error]:
        results = super().verify_partitions(transactional_id, producer, partitions)
        return dict.fromkeys(results, Error.NONE) if self.describe(transactional_id).partitions else results


class _TrustsWhomItKnows(ProducerStates):
    def standing(self, producer: ProducerIdAndEpoch) -> Standing:
        standing = super().standing(producer)
        is_known = self.get(producer.producer_id) is not None
        return Standing.IN_OPEN_TRANSACTION if standing is Standing.NEW and is_known else standing


class _RemembersAllEpochs(ProducerStates):
    def __init__(self) -> None:
        super().__init__()
        self._all: dict[tuple[int, int, int, int], AppendedBatch] = {}

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is None:
            self._all[_key(batch)] = self._states[batch.producer_id].batches[-1]
        return before

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        return self._all.get(_key(batch))


def _key(batch: Batch) -> tuple[int, int, int, int]:
    return batch.producer_id, batch.producer_epoch, batch.base_sequence, len(batch.records)


class _LooksForDuplicatesFirst(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        if log.producers.duplicate_of(batch) is not None:
            return None
        return super().before_produce(log, transactional_id, batch, operation)


class _DisguisesForeigners(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except Refused as refusal:
            if refusal.error is Error.INVALID_PRODUCER_ID_MAPPING:
                raise Refused(Error.NOT_ENOUGH_REPLICAS, "the transaction could not be verified") from refusal
            raise


class _NeedsNoId(Verification):
    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Error | None:
        return None if transactional_id is None else super().refusal_of_request(transactional_id, batches)

    def before_produce(self, log: PartitionLog, transactional_id: str | None, batch: Batch, operation: Operation) -> int | None:
        if transactional_id is None:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard
        return super().before_produce(log, transactional_id, batch, operation)


class _SeesNoOpenTransaction(PartitionLog):
    def has_open_transaction(self, producer_id: int) -> bool:  # noqa: ARG002 - that is the defect
        return False


class _TellsItsEnd(PartitionLog):
    def start_told_to_producers(self) -> int:
        return self.end_offset


_TAKEN = "^success with Appended"


class _PassesTheCauseOn(Verification):
    def refusal_of_produce(self, error: Error, operation: Operation) -> Refused:
        busy = error is Error.CONCURRENT_TRANSACTIONS
        return Refused(error) if busy else super().refusal_of_produce(error, operation)


class _SaysThatItLoads(Verification):
    def refusal_of_produce(self, error: Error, operation: Operation) -> Refused:
        return Refused(error) if error is Error.COORDINATOR_LOAD_IN_PROGRESS else super().refusal_of_produce(error, operation)


class _FoldsForEverybody(Verification):
    def refusal_of_produce(self, error: Error, operation: Operation) -> Refused:
        busy = error is Error.CONCURRENT_TRANSACTIONS
        return super().refusal_of_produce(error, Operation.VERIFY if busy else operation)


PRODUCING = (
    Defect(
        name="old-clients-told-the-cause",
        breaks={"KIP890-104": Symptom(seen="^a refusal with CONCURRENT_TRANSACTIONS")},
        story="An old client is answered CONCURRENT_TRANSACTIONS by Produce, which it does not expect there and takes for fatal.",
        origin="KAFKA-15459: the coordinator's errors reached producers that did not expect them in Produce",
        parts=Parts(verification=_PassesTheCauseOn),
    ),
    Defect(
        name="producers-told-that-the-coordinator-loads",
        breaks={"KIP890-104": Symptom(what="refusals of Produce", seen="COORDINATOR_LOAD_IN_PROGRESS")},
        story="Produce passes on that the coordinator loads, which clients expect of a coordinator and of no leader.",
        origin="KAFKA-15459: the coordinator's errors reached producers that did not expect them in Produce",
        parts=Parts(verification=_SaysThatItLoads),
    ),
    Defect(
        name="new-clients-told-not-enough-replicas",
        breaks={"KIP890-105": Symptom(seen="^a refusal with NOT_ENOUGH_REPLICAS")},
        story="A new client is told NOT_ENOUGH_REPLICAS while its last transaction completes, as if replicas were missing.",
        origin="textbook: one translation of errors for all versions",
        parts=Parts(verification=_FoldsForEverybody),
    ),
    Defect(
        name="appended-before-the-coordinator-agreed",
        breaks={"KIP890-091": Symptom(seen=r"^the next record got offset \d+")},
        story="A batch is written while the coordinator is asked, and stays in the log when it refuses.",
        origin="textbook: a write that does not wait for its permission",
        parts=Parts(verification=_AppendsBeforeItHears),
    ),
    Defect(
        name="start-moves-with-each-batch",
        breaks={"KIP890-092": Symptom(what="start of the transaction of A in payments-0", seen=r"^\[\d+\]")},
        story="Each batch of a transaction is taken for its first one, so the last stable offset passes undecided records.",
        origin="textbook: a field that is set where it should be set once",
        parts=Parts(producer_states=_StartsAtEveryBatch),
    ),
    Defect(
        name="each-batch-of-an-old-client-verified",
        breaks={"KIP890-092": Symptom(what="answer to Produce", seen="^a refusal with NOT_ENOUGH_REPLICAS")},
        story="A leader asks the coordinator about each batch of an old client, and refuses what is open in its log while that is away.",
        origin="textbook: a question whose answer is in the log, asked each time",
        parts=Parts(verification=_VerifiesEachBatch),
    ),
    Defect(
        name="start-stays-after-the-marker",
        breaks={"KIP890-093": Symptom(what="start of the transaction of A in payments-0", seen=r"^offset \d+")},
        story="The marker leaves the start of the transaction in the producer's state, as if it were still open.",
        origin="textbook: a hanging transaction made by the log itself",
        parts=Parts(producer_states=_KeepsTheStart),
    ),
    Defect(
        name="one-announced-partition-lets-all-pass",
        breaks={"KIP890-098": Symptom(seen=r"payments-\d: .*Appended")},
        story="The coordinator finds a transaction with partitions in it, and does not look which ones.",
        origin="textbook: one verdict for a list of questions",
        parts=Parts(coordinator=_OneForAll),
    ),
    Defect(
        name="late-batch-of-known-producer-accepted",
        breaks={"KIP890-099": Symptom(seen=_TAKEN)},
        story="A partition that knows a producer asks no coordinator for it, so a late batch begins a transaction that nobody ends.",
        origin="KAFKA-12671: a batch that came behind the marker of its transaction held the last stable offset for ever",
        parts=Parts(producer_states=_TrustsWhomItKnows),
    ),
    Defect(
        name="duplicate-of-an-older-epoch",
        breaks={"KIP890-101": Symptom(seen=_TAKEN)},
        story="Repetitions are looked for before the epoch is, so a fenced batch is told that it was written.",
        origin="textbook: two checks in the wrong order",
        parts=Parts(producer_states=_RemembersAllEpochs, verification=_LooksForDuplicatesFirst),
    ),
    Defect(
        name="foreign-producer-id-called-transient",
        breaks={"KIP890-103": Symptom(seen="^a refusal with NOT_ENOUGH_REPLICAS")},
        story="A producer id of somebody else is answered with an error that asks to try again, for ever.",
        origin="textbook: every refusal of the coordinator in one coat",
        parts=Parts(verification=_DisguisesForeigners),
    ),
    Defect(
        name="transactional-batch-without-an-id",
        breaks={"KIP890-106": Symptom(seen=_TAKEN)},
        story="A transactional batch in a request without a transactional id is appended, since there is nobody to ask about it.",
        origin="textbook: no id, so no check",
        parts=Parts(verification=_NeedsNoId),
    ),
    Defect(
        name="plain-batch-in-an-open-transaction",
        breaks={"KIP890-107": Symptom(seen=_TAKEN)},
        story="A batch outside of transactions is appended amid the same producer's open transaction.",
        origin="textbook: a log that looks at the batch and not at its producer",
        parts=Parts(partition_log=_SeesNoOpenTransaction),
    ),
    Defect(
        name="log-end-told-for-its-start",
        breaks={"KIP890-120": Symptom(seen="^base offset -1, log start offset 2$")},
        story="A refusal says that the log starts where it ends, so its producer takes what it has written for deleted.",
        origin="textbook: two offsets of one log, and the wrong one in the answer",
        parts=Parts(partition_log=_TellsItsEnd),
    ),
)
