"""Defects in what is done with an EndTxn that comes too late."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction
from fencepost.reference.kafka.values import EXHAUSTED_EPOCH, FIRST_EPOCH, ProducerIdAndEpoch, TopicPartition


class _EndsWhatIsOpen(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if state is State.ONGOING and asked is Asked.RETRY:
            return Ending.PREPARE
        return super().end_of_new_client(state, decision, asked)


class _EndsOnceMoreInSilence(Coordinator):
    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        transaction = self.describe(transactional_id)
        if transaction.state is State.ONGOING and producer.epoch == transaction.producer_epoch - 1:
            self.prepare(transaction, decision, bumps=1)
        return super().end_transaction(transactional_id, producer, decision, api_version)


class _AnswersZombies(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if state is State.EMPTY and asked is Asked.RETRY:
            return Ending.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


class _TheLastWordCounts(Coordinator):
    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        transaction = self.describe(transactional_id)
        if transaction.state in PREPARED and transaction.decision is not decision:
            self._transactions[transactional_id] = replace(transaction, state=decision.prepared)
            return transaction.producer
        return super().end_transaction(transactional_id, producer, decision, api_version)


LATE_END_ENDS_THE_NEXT = Defect(
    name="late-end-ends-the-next",
    breaks={
        "KIP890-200": Symptom(expected="^a refusal", seen="^success"),
        "KIP890-201": Symptom(expected="^a refusal", seen="^success"),
    },
    story="An end with the epoch before the current one counts as one of the open transaction, whoever sends it and however late it is.",
    origin="textbook: a retry is allowed for by the epoch, before the state is looked at",
    parts=Parts(coordinator=_EndsWhatIsOpen),
)

LATE_END_IS_REFUSED_AND_DONE = Defect(
    name="late-end-is-refused-and-done",
    breaks={"KIP890-200": Symptom(what="^transaction of A", seen="^Complete")},
    story="The answer to a late end is right, and the next transaction has been ended by it all the same.",
    origin="textbook: the decision is stored before the epoch is compared",
    parts=Parts(coordinator=_EndsOnceMoreInSilence),
)

ZOMBIE_IS_TOLD_THE_NEW_EPOCH = Defect(
    name="zombie-is-told-the-new-epoch",
    breaks={"KIP890-201": Symptom(expected="^a refusal", seen="^success with")},
    story="An end of the instance that was replaced is taken for a retry, and the answer hands it the epoch of its successor.",
    origin="textbook: a retry is told by the epoch alone, whether or not a transaction has ended at it",
    parts=Parts(coordinator=_AnswersZombies),
)

PREPARED_DECISION_OVERTURNED = Defect(
    name="prepared-decision-overturned",
    breaks={"KIP890-202": Symptom(expected="^a refusal", seen="^success")},
    story="While markers are on their way, an end with the other decision is granted, and the two kinds of markers race.",
    origin="textbook: the state is written, and what was decided before is not read",
    parts=Parts(coordinator=_TheLastWordCounts),
)


class _EndsForTheProducerIdBefore(Coordinator):
    _before: dict[str, int] | None = None

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        known = self._transactions.get(transactional_id)
        self._before = self._before or {}
        if known is not None and known.state is not State.ONGOING:
            self._before[transactional_id] = known.previous_producer_id
        super().add_partitions(transactional_id, producer, partitions, transaction_version)

    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        before = (self._before or {}).get(transaction.transactional_id)
        is_first = transaction.state is State.ONGOING and transaction.producer_epoch == FIRST_EPOCH
        if is_first and before != transaction.producer_id and producer == ProducerIdAndEpoch(before or 0, EXHAUSTED_EPOCH):
            return Asked.CURRENT
        return super().asked_about(transaction, producer)


LATE_END_ENDS_THE_FIRST = Defect(
    name="late-end-ends-the-first",
    breaks={"KIP890-200": Symptom(expected="^a refusal", seen="^success")},
    story="The end of a producer id's last transaction arrives when the first one of the next producer id is open, and ends that.",
    origin="textbook: the producer id before is remembered for retries, and the state is not looked at",
    parts=Parts(coordinator=_EndsForTheProducerIdBefore),
)
