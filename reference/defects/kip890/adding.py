"""Defects in adding partitions to a transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Addition, Additions
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState

from .leftovers_that_stay_pending import OccupiedCoordinator


@defect({"KIP890-030": seen("^Empty in no partition")}, origin="textbook: a broker that serves new clients only")
class AnnouncementForgotten(Additions):
    """A client's AddPartitionsToTxn is answered and nothing is stored, in the hope that the write itself adds the partition."""

    def of_client(self, addition: Addition) -> dict[PartitionName, Errors]:
        return self.unknown_among(addition.partitions) or dict.fromkeys(addition.partitions, Errors.NONE)


@defect(
    {"KIP890-030": seen(r"^Ongoing in accounts-\w+-0$", expected="^Ongoing in payments-0 and accounts-0$")},
    origin="red team: a loop over the partitions inside of one over the topics",
)
class FirstTopicAloneIsAdded(Additions):
    """AddPartitionsToTxn of a client with several topics adds the partitions of the first topic, and all are answered."""

    def of_client(self, addition: Addition) -> dict[PartitionName, Errors]:
        first = min((partition.topic for partition in addition.partitions), default="")
        of_first = tuple(partition for partition in addition.partitions if partition.topic == first)
        if errors := self.internal_among(addition.partitions) or self.unknown_among(addition.partitions):
            return errors
        verdicts = super().of_client(replace(addition, partitions=of_first))
        return {partition: verdicts.get(partition, Errors.NONE) for partition in addition.partitions}


@defect(
    {"KIP890-033": seen("^payments-0: success", what="answer to AddPartitionsToTxn")},
    origin="textbook: a verdict for each partition where the request is refused as a whole",
)
class UnknownPartitionStopsNothing(Additions):
    """If one partition does not exist, the others are answered as if they had been added."""

    def unknown_among(self, partitions: Iterable[PartitionName]) -> dict[PartitionName, Errors]:
        known = [partition for partition, error in super().unknown_among(partitions).items() if error is Errors.OPERATION_NOT_ATTEMPTED]
        return super().unknown_among(partitions) | dict.fromkeys(known, Errors.NONE)


@defect(
    {"KIP890-037": seen("^payments-0: ", what="answer to AddPartitionsToTxn", error="^PRODUCER_FENCED$")},
    origin="textbook: an error variable outside of the loop",
)
class BatchSharesAVerdict(Additions):
    """The coordinator answers all transactions of one request with the worst error of any of them."""

    def of_broker(self, additions: Sequence[Addition]) -> list[dict[PartitionName, Errors]]:
        verdicts = super().of_broker(additions)
        worst = max(max(errors.values()) for errors in verdicts)
        return [dict.fromkeys(errors, worst) for errors in verdicts]


@defect(
    {"KIP890-044": seen("^payments-0: ", what="answer to AddPartitionsToTxn", error="^INVALID_PRODUCER_ID_MAPPING$")},
    origin="textbook: arguments that are not checked",
)
class EmptyIdIsLookedUp(Additions):
    """An empty transactional id is looked up like any other id, one that no producer has initialised."""

    def judge(self, addition: Addition, transaction_version: int) -> dict[PartitionName, Errors]:
        verdicts = super().judge(addition, transaction_version)
        return verdicts if addition.transactional_id else dict.fromkeys(verdicts, Errors.INVALID_PRODUCER_ID_MAPPING)


@defect({"KIP890-040": seen("^Ongoing in .*payments.*-0, .*payments.*-1")}, origin="textbook: a flag that only the answer heeds")
class VerifyingAdds(Additions):
    """The flag verifyOnly is taken for a courtesy: the answer is right, and the partitions are added all the same."""

    def judge(self, addition: Addition, transaction_version: int) -> dict[PartitionName, Errors]:
        verdicts = super().judge(addition, transaction_version)
        if addition.verify_only:
            super().judge(Addition(addition.transactional_id, addition.producer, addition.partitions), transaction_version)
        return verdicts


@defect({"KIP890-031": seen("^payments-0: success", what="answer to AddPartitionsToTxn")}, origin="textbook: comparing the epoch alone")
class ForeignProducerIdAccepted(KafkaCoordinator):
    """A client that knows the transactional id and its epoch may add partitions with any producer id."""

    def check_producer(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        super().check_producer(transaction, ProducerIdAndEpoch(transaction.producer_id, producer.epoch))


@defect({"KIP890-032": seen("^payments-0: success", what="answer to AddPartitionsToTxn")}, origin="textbook: fencing by less-than")
class EpochAheadAccepted(KafkaCoordinator):
    """An epoch that the coordinator never gave out is taken for the producer's, since only smaller ones are fenced."""

    def check_producer(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        if producer.epoch < transaction.producer_epoch:
            super().check_producer(transaction, producer)


@defect(
    {"KIP890-034": seen("^payments-0: ", what="answer to AddPartitionsToTxn", error="^INVALID_TXN_STATE$")},
    origin="textbook: adding that is not idempotent",
)
class RepeatedAnnouncementRefused(KafkaCoordinator):
    """A client that retries, because the answer was lost, is refused: its partition cannot be added twice."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).partitions.intersection(partitions):
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {"KIP890-043": seen("^payments-1: ", what="answer to AddPartitionsToTxn", error="^INVALID_TXN_STATE$")},
    origin="textbook: a state machine without the way back",
)
class CompletedIsADeadEnd(KafkaCoordinator):
    """After its first transaction an old client cannot announce anything until it initialises again."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        if transaction_version == 0 and self.describe(transactional_id).state in (
            KafkaTransactionState.COMPLETE_COMMIT,
            KafkaTransactionState.COMPLETE_ABORT,
        ):
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {
        "KIP890-038": seen(
            "^payments-1: a refusal", what="answer to AddPartitionsToTxn", error="^(INVALID_TXN_STATE|TRANSACTION_ABORTABLE)$"
        )
    },
    origin="textbook: a set that is overwritten instead of added to",
)
class VerifyingKnowsOnePartition(KafkaCoordinator):
    """Only one partition of a transaction is remembered for verifying, and batches for the others are turned away."""

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        return super().is_member(transaction, partition) and partition == min(transaction.partitions)


@defect(
    {"KIP890-039": seen("^payments-1: success", what="answer to AddPartitionsToTxn")},
    origin="KAFKA-14402, of which this is a half-done repair",
)
class OpenIsEnough(KafkaCoordinator):
    """That a transaction is open is taken for proof that every partition is in it, so a stray batch opens one that never ends."""

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        return super().is_member(transaction, partition) or transaction.state is KafkaTransactionState.ONGOING


@defect(
    {"KIP890-042": seen("^payments-0: success", what="answer to AddPartitionsToTxn")},
    origin="KAFKA-14402, of which this is a half-done repair",
)
class IdleNeedsNoVerifying(KafkaCoordinator):
    """Where no transaction is open a partition has nothing to compare with, so it appends the late batch of a transaction
    that has ended.
    """

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        return super().is_member(transaction, partition) or transaction.state is not KafkaTransactionState.ONGOING


@defect(
    {"KIP890-035": seen("^payments-0: success", what="answer to AddPartitionsToTxn")},
    origin="textbook: a decided transaction treated as a completed one",
)
class MarkersNotWaitedFor(KafkaCoordinator):
    """While markers are in flight, AddPartitionsToTxn is answered as if the next transaction had begun, and it gets lost."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).state not in PREPARED:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {"KIP890-041": seen("^payments-0: ", what="answer to AddPartitionsToTxn", error="^INVALID_TXN_STATE$")},
    origin="textbook: one error for all causes",
)
class VerifyingHasOneError(KafkaCoordinator):
    """Whatever is wrong, verifying says INVALID_TXN_STATE: a client that should retry later treats it as fatal."""

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        try:
            return super().verify_partitions(transactional_id, producer, partitions)
        except RequestRefused as refusal:
            raise RequestRefused(Errors.INVALID_TXN_STATE) from refusal


@defect(
    {"KIP890-040": seen("^payments-1: success", what="answer to AddPartitionsToTxn")},
    origin="textbook: a flag of the entries that is read once for the request",
)
class VerifyingAddsBesideAnAddition(Additions):
    """A request counts as one that verifies only if all of its entries verify; in a request that also adds, an entry that verifies adds
    its partition too."""

    def of_broker(self, additions: Sequence[Addition]) -> list[dict[PartitionName, Errors]]:
        verify_only = all(addition.verify_only for addition in additions)
        return super().of_broker([replace(addition, verify_only=verify_only) for addition in additions])


@defect(
    {"KIP890-037": seen("^payments-0: a refusal", expected="success", what="answer to AddPartitionsToTxn")},
    origin="red team: a loop that ends at the first error",
)
class RefusalOfOneIsForTheRest(Additions):
    """The transactions of a request that come after the second one share its error."""

    def of_broker(self, additions: Sequence[Addition]) -> list[dict[PartitionName, Errors]]:
        verdicts = super().of_broker(additions[:2])
        refusal = next((error for error in verdicts[-1].values() if error is not Errors.NONE), None)
        rest = additions[2:]
        return verdicts + ([dict.fromkeys(one.partitions, refusal) for one in rest] if refusal else super().of_broker(rest))


@defect(
    {"KIP890-037": seen("OPERATION_NOT_ATTEMPTED", expected="^success", what="answer to AddPartitionsToTxn")},
    origin="textbook: what is checked for each transaction is checked for the request",
)
class OneMissingPartitionRefusesAll(Additions):
    """A partition that does not exist refuses all transactions of a batch, and leaders have their writers' batches refused for it."""

    def of_broker(self, additions: Sequence[Addition]) -> list[dict[PartitionName, Errors]]:
        errors = self.unknown_among([partition for addition in additions for partition in addition.partitions])
        if not errors:
            return super().of_broker(additions)
        return [{partition: errors[partition] for partition in addition.partitions} for addition in additions]


@defect(
    {"KIP890-037": seen("^payments-0: success", expected="PRODUCER_FENCED", what="answer to AddPartitionsToTxn")},
    origin="red team: the verdicts of a batch are written over a result that has room for two",
)
class ThirdOfABatchIsAnsweredAsDone(Additions):
    """From its third transaction on, a batch is answered with success even where the coordinator refuses the transaction, so the leader
    appends what a fenced instance writes."""

    def of_broker(self, additions: Sequence[Addition]) -> list[dict[PartitionName, Errors]]:
        verdicts = super().of_broker(additions)
        return [*verdicts[:2], *(dict.fromkeys(errors, Errors.NONE) for errors in verdicts[2:])]


class AddsForThePreviousEpoch(KafkaCoordinator):
    """A coordinator that adds a partition to the open transaction also for a producer whose epoch is the previous one."""

    protocol: int

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        known, partitions = self._transactions.get(transactional_id), frozenset(partitions)
        if (
            known is not None
            and transaction_version == self.protocol
            and known.state is KafkaTransactionState.ONGOING
            and producer == replace(known, producer_epoch=known.producer_epoch - 1).producer
            and not partitions <= known.partitions | {OFFSETS_PARTITION}
        ):
            producer = known.producer
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {"KIP890-032": seen("success", expected="PRODUCER_FENCED", what="answer to AddPartitionsToTxn")},
    origin="red team: the retry of the new protocol, in a request that has none",
)
class LateAdditionToTheNextTransaction(AddsForThePreviousEpoch):
    """A late AddPartitionsToTxn of an ended transaction adds its partition to the next one."""

    protocol = 0


@defect(
    {"KIP890-034": seen(r"^Ongoing in payments-\w+-0$", expected="^Ongoing in payments-0 and payments-1", what="^transaction of A")},
    origin="red team: a request that is treated as a repetition since some of it is known",
)
class KnownPartitionEndsTheAddition(KafkaCoordinator):
    """An AddPartitionsToTxn with a partition of the open transaction is answered as a repetition, and its new ones are not added."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        known, asked = self._transactions.get(transactional_id), frozenset(partitions)
        is_open = known is not None and known.state is KafkaTransactionState.ONGOING
        repeated = known.partitions & asked if known is not None and is_open else asked
        super().add_partitions(transactional_id, producer, repeated or asked, transaction_version)


@defect(
    {"KIP890-040": seen("CONCURRENT_TRANSACTIONS", what="^answer to AddPartitionsToTxn")},
    origin="red team: what is reserved before the checks, and not released where one of them fails",
)
class RefusedVerificationStaysPending(OccupiedCoordinator):
    """A refused verification of a partition that is not in the transaction stays in progress for ever, so that the partition can never be
    added.
    """

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        verified = super().verify_partitions(transactional_id, producer, partitions)
        if any(error is not Errors.NONE for error in verified.values()):
            self.occupy(transactional_id)
        return verified
