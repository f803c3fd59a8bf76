"""Defects in what a coordinator keeps for a retry of InitProducerId."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, NOTHING, ProducerIdAndEpoch
from fencepost.reference.kafka.ownership import ProducerIdOwnership
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction

_INITIALISED = seen(r"^a refusal with PRODUCER_FENCED", expected="^success", what="answer to InitProducerId")


@defect({"KIP890-017": _INITIALISED}, origin="textbook: an answer that is kept until it is read")
class InitRetryAnsweredOnce(ProducerIdOwnership):
    """A coordinator answers one retry of InitProducerId, and fences the client that loses that answer too."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        owner = super().next_owner(transaction, expected_epoch, timeout_ms)
        return replace(owner, last_producer_epoch=NOTHING) if owner.producer == transaction.producer else owner


class _ForgetsTheLastEpoch(KafkaCoordinator):
    def forget(self, transactional_id: str) -> None:
        if (known := self._transactions.get(transactional_id)) is not None:
            self._transactions[transactional_id] = replace(known, last_producer_epoch=NOTHING)


@defect({"KIP890-017": _INITIALISED}, origin="red team: the last epoch is cleared before the state is checked")
class InitRetryForgottenByRefusedEnd(_ForgetsTheLastEpoch):
    """A refused EndTxn makes the coordinator forget the last epoch, and the retry of InitProducerId is fenced."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused:
            self.forget(transactional_id)
            raise


@defect({"KIP890-017": _INITIALISED}, origin="red team: InitProducerId that clears before it checks")
class InitRetryForgottenByRefusedInit(_ForgetsTheLastEpoch):
    """A refused InitProducerId makes the coordinator forget the last epoch, and the retry of the one before is fenced."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused:
            self.forget(transactional_id)
            raise


class _KeepsNoLastEpoch(KafkaCoordinator):
    of: Decision

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        prepared = super().prepare(transaction, decision, bumps, moves_on=moves_on)
        if bumps and decision is self.of and not self.is_of_server(transaction):
            current = self._transactions[transaction.transactional_id]
            self._transactions[transaction.transactional_id] = replace(current, last_producer_epoch=NOTHING)
        return prepared

    def is_of_server(self, transaction: KafkaTransaction) -> bool:
        return transaction.transactional_id in self.__dict__.get("_aborting", ())

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        self.__dict__["_aborting"] = {transaction.transactional_id}
        super().abort_by_server(transaction)
        self.__dict__["_aborting"] = set()


@defect({"KIP890-412": _INITIALISED}, origin="red team: an epoch that two requests raise, and one of them keeps the old one")
class CommitKeepsNoLastEpoch(_KeepsNoLastEpoch):
    """A commit raises the epoch without keeping the last one, so a producer that lost the answer and initialises is fenced."""

    of = Decision.COMMIT


@defect({"KIP890-412": _INITIALISED}, origin="red team: an epoch that is kept where the commit is written")
class AbortKeepsNoLastEpoch(_KeepsNoLastEpoch):
    """An abort raises the epoch without keeping the last one, so a producer that lost the answer and initialises is fenced."""

    of = Decision.ABORT


@defect({"KIP890-412": Symptom(seen="^success", what="answer to InitProducerId")}, origin="red team: every InitProducerId raises the epoch")
class InitAfterEndRaisesTwice(ProducerIdOwnership):
    """InitProducerId with the identity of the transaction that ended last raises the epoch once more, which fences the end's own answer."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        is_after_end = transaction.state.value.startswith("Complete") and expected_epoch == transaction.last_producer_epoch != NOTHING
        return super().next_owner(transaction, transaction.producer_epoch if is_after_end else expected_epoch, timeout_ms)


@defect(
    {"KIP890-021": seen("^success", expected="PRODUCER_FENCED", what="answer to InitProducerId")},
    origin="textbook: what a retry is compared with is kept whether there can be a retry or not",
)
class RotationPassesForARetry(ProducerIdOwnership):
    """A takeover at the last usable epoch keeps that epoch as the last one, so the old instance passes for a retry of the new one."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        if transaction.epoch_is_exhausted and expected_epoch == NOTHING:
            expected_epoch = transaction.producer_epoch
        return super().next_owner(transaction, expected_epoch, timeout_ms)
