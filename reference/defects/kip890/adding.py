"""Defects in adding partitions to a transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.additions import Addition, Additions
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition


class _AnswersAndForgets(Additions):
    def of_client(self, addition: Addition) -> dict[TopicPartition, Error]:
        return self.unknown_among(addition.partitions) or dict.fromkeys(addition.partitions, Error.NONE)


class _KnowsPartsOfTopics(Additions):
    def unknown_among(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, Error]:
        known = [partition for partition, error in super().unknown_among(partitions).items() if error is Error.OPERATION_NOT_ATTEMPTED]
        return super().unknown_among(partitions) | dict.fromkeys(known, Error.NONE)


class _OneVerdictForAll(Additions):
    def of_broker(self, additions: Sequence[Addition]) -> list[dict[TopicPartition, Error]]:
        verdicts = super().of_broker(additions)
        worst = max(max(errors.values()) for errors in verdicts)
        return [dict.fromkeys(errors, worst) for errors in verdicts]


class _TakesEmptyForUnknown(Additions):
    def judge(self, addition: Addition, transaction_version: int) -> dict[TopicPartition, Error]:
        verdicts = super().judge(addition, transaction_version)
        return verdicts if addition.transactional_id else dict.fromkeys(verdicts, Error.INVALID_PRODUCER_ID_MAPPING)


class _VerifyingAdds(Additions):
    def judge(self, addition: Addition, transaction_version: int) -> dict[TopicPartition, Error]:
        verdicts = super().judge(addition, transaction_version)
        if addition.verify_only:
            super().judge(Addition(addition.transactional_id, addition.producer, addition.partitions), transaction_version)
        return verdicts


class _TrustsTheProducerId(Coordinator):
    def check_producer(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> None:
        super().check_producer(transaction, ProducerIdAndEpoch(transaction.producer_id, producer.epoch))


class _FencesOnlyWhatIsBehind(Coordinator):
    def check_producer(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> None:
        if producer.epoch < transaction.producer_epoch:
            super().check_producer(transaction, producer)


class _AddsNothingTwice(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).partitions.intersection(partitions):
            raise Refused(Error.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


class _WantsInitialisingInBetween(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if transaction_version == 0 and self.describe(transactional_id).state in (State.COMPLETE_COMMIT, State.COMPLETE_ABORT):
            raise Refused(Error.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


class _KnowsOneMember(Coordinator):
    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        return super().is_member(transaction, partition) and partition == min(transaction.partitions)


class _OpenIsEnough(Coordinator):
    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        return super().is_member(transaction, partition) or transaction.state is State.ONGOING


class _IdleNeedsNoVerifying(Coordinator):
    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        return super().is_member(transaction, partition) or transaction.state is not State.ONGOING


class _DoesNotWaitForMarkers(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).state not in PREPARED:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)


class _VerifiesWithOneError(Coordinator):
    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, Error]:
        try:
            return super().verify_partitions(transactional_id, producer, partitions)
        except Refused as refusal:
            raise Refused(Error.INVALID_TXN_STATE) from refusal


ANNOUNCEMENT_FORGOTTEN = Defect(
    name="announcement-forgotten",
    breaks={"KIP890-030": Symptom(seen="^Empty in no partition")},
    story="A client's AddPartitionsToTxn is answered and nothing is stored, in the hope that the write itself adds the partition.",
    origin="textbook: a broker that serves new clients only",
    parts=Parts(additions=_AnswersAndForgets),
)

FOREIGN_PRODUCER_ID_ACCEPTED = Defect(
    name="foreign-producer-id-accepted",
    breaks={"KIP890-031": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: success")},
    story="Whoever knows the transactional id and its epoch may add partitions, with any producer id.",
    origin="textbook: comparing the epoch alone",
    parts=Parts(coordinator=_TrustsTheProducerId),
)

EPOCH_AHEAD_ACCEPTED = Defect(
    name="epoch-ahead-accepted",
    breaks={"KIP890-032": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: success")},
    story="An epoch that the coordinator never gave out is taken for the producer's, since only smaller ones are fenced.",
    origin="textbook: fencing by less-than",
    parts=Parts(coordinator=_FencesOnlyWhatIsBehind),
)

UNKNOWN_PARTITION_STOPS_NOTHING = Defect(
    name="unknown-partition-stops-nothing",
    breaks={"KIP890-033": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: success")},
    story="Beside a partition that does not exist the others are answered as if they had been added.",
    origin="textbook: a verdict for each partition where the request stands or falls as a whole",
    parts=Parts(additions=_KnowsPartsOfTopics),
)

REPEATED_ANNOUNCEMENT_REFUSED = Defect(
    name="repeated-announcement-refused",
    breaks={"KIP890-034": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: ", error="^INVALID_TXN_STATE$")},
    story="A client that asks again, because the answer was lost, is told that its partition cannot be added twice.",
    origin="textbook: adding that is not idempotent",
    parts=Parts(coordinator=_AddsNothingTwice),
)

MARKERS_NOT_WAITED_FOR = Defect(
    name="markers-not-waited-for",
    breaks={"KIP890-035": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: success")},
    story="While markers are on their way, AddPartitionsToTxn is answered as if the next transaction had begun, and it gets lost.",
    origin="textbook: a decided transaction taken for a completed one",
    parts=Parts(coordinator=_DoesNotWaitForMarkers),
)

BATCH_SHARES_A_VERDICT = Defect(
    name="batch-shares-a-verdict",
    breaks={"KIP890-037": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: ", error="^PRODUCER_FENCED$")},
    story="One transaction's trouble is told to all that were asked about in the same request.",
    origin="textbook: an error variable outside of the loop",
    parts=Parts(additions=_OneVerdictForAll),
)

VERIFYING_KNOWS_ONE_PARTITION = Defect(
    name="verifying-knows-one-partition",
    breaks={
        "KIP890-038": Symptom(
            what="answer to AddPartitionsToTxn", seen="^payments-1: a refusal", error="^(INVALID_TXN_STATE|TRANSACTION_ABORTABLE)$"
        )
    },
    story="Only one partition of a transaction is remembered for verifying, and batches for the others are turned away.",
    origin="textbook: a set that is overwritten instead of added to",
    parts=Parts(coordinator=_KnowsOneMember),
)

OPEN_IS_ENOUGH = Defect(
    name="open-is-enough",
    breaks={"KIP890-039": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-1: success")},
    story="That a transaction is open is taken for proof that every partition is in it, so a stray batch opens one that never ends.",
    origin="KAFKA-14402, of which this is a half-done repair",
    parts=Parts(coordinator=_OpenIsEnough),
)

VERIFYING_ADDS = Defect(
    name="verifying-adds",
    breaks={"KIP890-040": Symptom(seen="^Ongoing in .*payments.*-0, .*payments.*-1")},
    story="The flag verifyOnly is taken for a courtesy: the answer is right, and the partitions are added all the same.",
    origin="textbook: a flag that only the answer heeds",
    parts=Parts(additions=_VerifyingAdds),
)

VERIFYING_HAS_ONE_ERROR = Defect(
    name="verifying-has-one-error",
    breaks={"KIP890-041": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: ", error="^INVALID_TXN_STATE$")},
    story="Whatever is wrong, verifying says INVALID_TXN_STATE: a client that should ask again later takes it for fatal.",
    origin="textbook: one error for all causes",
    parts=Parts(coordinator=_VerifiesWithOneError),
)

IDLE_NEEDS_NO_VERIFYING = Defect(
    name="idle-needs-no-verifying",
    breaks={"KIP890-042": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: success")},
    story="Where no transaction is open there is nothing to compare with, so that the late batch of one that has ended goes through.",
    origin="KAFKA-14402, of which this is a half-done repair",
    parts=Parts(coordinator=_IdleNeedsNoVerifying),
)

COMPLETED_IS_A_DEAD_END = Defect(
    name="completed-is-a-dead-end",
    breaks={"KIP890-043": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-1: ", error="^INVALID_TXN_STATE$")},
    story="After its first transaction an old client cannot announce anything until it initialises again.",
    origin="textbook: a state machine without the way back",
    parts=Parts(coordinator=_WantsInitialisingInBetween),
)

EMPTY_ID_IS_LOOKED_UP = Defect(
    name="empty-id-is-looked-up",
    breaks={"KIP890-044": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-0: ", error="^INVALID_PRODUCER_ID_MAPPING$")},
    story="An empty transactional id is an id like any other, that nobody happens to have initialised.",
    origin="textbook: arguments that are not checked",
    parts=Parts(additions=_TakesEmptyForUnknown),
)


class _OneKindOfEntry(Additions):
    def of_broker(self, additions: Sequence[Addition]) -> list[dict[TopicPartition, Error]]:
        verify_only = all(addition.verify_only for addition in additions)
        return super().of_broker([replace(addition, verify_only=verify_only) for addition in additions])


VERIFYING_ADDS_BESIDE_AN_ADDITION = Defect(
    name="verifying-adds-beside-an-addition",
    breaks={"KIP890-040": Symptom(what="answer to AddPartitionsToTxn", seen="^payments-1: success")},
    story="A request is one to verify where all of its entries are; beside one that adds, the question adds its partition too.",
    origin="textbook: a flag of the entries that is read once for the request",
    parts=Parts(additions=_OneKindOfEntry),
)
