"""Defects in ending a transaction."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import Decision, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition


class _KeepsTheEpoch(Coordinator):
    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return False


NO_EPOCH_BUMP = Defect(
    name="no-epoch-bump",
    breaks={"KIP890-060": Symptom(seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="EndTxn v5 is handled like its older versions: the transaction ends, and the next one has the same epoch.",
    origin="KAFKA-14562: no broker raised the epoch before it",
    parts=Parts(coordinator=_KeepsTheEpoch),
)


class _KeepsTheEpochOfAborts(Coordinator):
    def prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:
        return super().prepare(transaction, decision, bumps if decision is Decision.COMMIT else 0, moves_on=moves_on)


NO_EPOCH_BUMP_ON_ABORT = Defect(
    name="no-epoch-bump-on-abort",
    breaks={"KIP890-061": Symptom(seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="Only a commit raises the epoch; after an abort the next transaction cannot be told from the aborted one.",
    origin="textbook: the epoch is raised where the commit is written",
    parts=Parts(coordinator=_KeepsTheEpochOfAborts),
)


class _WantsInitialising(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if transaction_version == 2 and self.describe(transactional_id).state in (State.COMPLETE_COMMIT, State.COMPLETE_ABORT):
            raise Refused(Error.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


ANSWERED_EPOCH_IS_USELESS = Defect(
    name="answered-epoch-is-useless",
    breaks={"KIP890-063": Symptom(what="answer to Produce", error="^INVALID_TXN_STATE$")},
    story="A producer that goes on with the epoch from EndTxn is turned away until it has called InitProducerId.",
    origin="textbook: a state machine in which Complete leads only to Empty",
    parts=Parts(coordinator=_WantsInitialising),
)


class _KnowsNoRetry(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return super().end_of_new_client(state, decision, Asked.NEITHER if asked is Asked.RETRY else asked)


RETRIED_END_IS_FENCED = Defect(
    name="retried-end-is-fenced",
    breaks={"KIP890-064": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="The epoch is raised, and the client that did not hear of it is fenced by its own commit when it asks again.",
    origin="textbook: an epoch bump without the rule for retries",
    parts=Parts(coordinator=_KnowsNoRetry),
)


class _ForgetsWhichEnd(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        ended = asked is Asked.RETRY and state in (State.COMPLETE_COMMIT, State.COMPLETE_ABORT)
        return Ending.ANSWER_AGAIN if ended else super().end_of_new_client(state, decision, asked)


LATE_ABORT_OF_A_COMMIT_SUCCEEDS = Defect(
    name="late-abort-of-a-commit-succeeds",
    breaks={"KIP890-067": Symptom(expected="INVALID_TXN_STATE", seen="^success")},
    story="A retry is recognised by its epoch alone, so an abort of what was committed is answered success.",
    origin="textbook: a retry is recognised without comparing the command",
    parts=Parts(coordinator=_ForgetsWhichEnd),
)


class _CommitsNothing(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        idle = state in (State.EMPTY, State.COMPLETE_COMMIT, State.COMPLETE_ABORT)
        if idle and asked is Asked.CURRENT and decision is Decision.COMMIT:
            return Ending.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


EMPTY_COMMIT_SUCCEEDS = Defect(
    name="empty-commit-succeeds",
    breaks={"KIP890-069": Symptom(expected="INVALID_TXN_STATE", seen="^success")},
    story="A commit with nothing open is answered success, so a producer whose writes were lost believes that they are there.",
    origin="textbook: nothing to do is taken for done",
    parts=Parts(coordinator=_CommitsNothing),
)


class _AbortsOnlySomething(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        idle = state in (State.EMPTY, State.COMPLETE_COMMIT, State.COMPLETE_ABORT)
        if idle and asked is Asked.CURRENT and decision is Decision.ABORT:
            raise Refused(Error.INVALID_TXN_STATE)
        return super().end_of_new_client(state, decision, asked)


EMPTY_ABORT_REFUSED = Defect(
    name="empty-abort-refused",
    breaks={"KIP890-070": Symptom(seen="^a refusal with INVALID_TXN_STATE")},
    story="An abort with nothing open is refused, as for old clients; a client that does not know whether it wrote cannot start afresh.",
    origin="every broker was so before KIP-890",
    parts=Parts(coordinator=_AbortsOnlySomething),
)


class MarksWhatItMarkedBefore(MarkerSender):
    def partitions_to_mark(self, transaction: Transaction) -> list[TopicPartition]:
        marked: dict[str, list[TopicPartition]] = self.__dict__.setdefault("marked", {})
        partitions = super().partitions_to_mark(transaction) or marked.get(transaction.transactional_id, [])
        marked[transaction.transactional_id] = partitions
        return partitions


EMPTY_ABORT_WRITES_MARKERS = Defect(
    name="empty-abort-writes-markers",
    breaks={"KIP890-071": Symptom(seen="^the next record got offset")},
    story="An abort with nothing open is told to the partitions of the transaction before, which has ended already.",
    origin="textbook: the set of partitions is not cleared when a transaction is complete",
    parts=Parts(marker_sender=MarksWhatItMarkedBefore),
)


class _OlderMeansAgain(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        asked = super().asked_about(transaction, producer)
        return Asked.RETRY if asked is Asked.NEITHER and producer.epoch < transaction.producer_epoch else asked


EVERY_OLDER_EPOCH_IS_A_RETRY = Defect(
    name="every-older-epoch-is-a-retry",
    breaks={"KIP890-072": Symptom(seen="^(success|a refusal with INVALID_TXN_STATE)")},
    story="Whatever epoch is older counts as the one that has just ended, so an end that comes two transactions late gets an answer.",
    origin="textbook: older than the current epoch, instead of exactly one older",
    parts=Parts(coordinator=_OlderMeansAgain),
)


class _KeepsEmptyAbortsInMemory(TransactionLog):
    _unwritten: frozenset[str] = frozenset()

    def must_be_durable(self, transaction: Transaction) -> bool:
        name = {transaction.transactional_id}
        if transaction.state is State.PREPARE_ABORT and not transaction.partitions:
            self._unwritten |= name
            return False
        is_unwritten = transaction.state is State.COMPLETE_ABORT and name <= self._unwritten
        self._unwritten -= name
        return not is_unwritten and super().must_be_durable(transaction)


EMPTY_ABORT_NOT_STORED = Defect(
    name="empty-abort-not-stored",
    breaks={"KIP890-070": Symptom(what="^answer to Produce", expected="^success", error="^INVALID_PRODUCER_EPOCH$")},
    story="An abort with nothing open is not worth a record: after a crash its producer has an epoch that the coordinator never gave.",
    origin="textbook: no partitions, so nothing to store; but there is an epoch",
    parts=Parts(transaction_log=_KeepsEmptyAbortsInMemory),
)
