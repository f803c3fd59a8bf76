"""Defects in what a coordinator keeps for a retry of EndTxn: something else that it answers in between spoils it."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction

_FENCED = seen(r"^a refusal with PRODUCER_FENCED", expected="^success", what="answer to EndTxn")


class _ForgetsTheEnd(KafkaCoordinator):
    """A retry is recognised until `forget` is called for the transactional id, and again after the next end."""

    @property
    def forgotten(self) -> set[tuple[str, ProducerIdAndEpoch]]:
        forgotten: set[tuple[str, ProducerIdAndEpoch]] = self.__dict__.setdefault("_forgotten", set())
        return forgotten

    def forget(self, transactional_id: str) -> None:
        known = self._transactions.get(transactional_id)
        if known is not None and known.is_idle:
            self.forgotten.add((transactional_id, known.producer))

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        is_forgotten = (transaction.transactional_id, transaction.producer) in self.forgotten
        return RequestedTransaction.NEITHER if asked is RequestedTransaction.RETRY and is_forgotten else asked


class _ForgetsAtARefusedEnd(_ForgetsTheEnd):
    errors: frozenset[Errors]

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused as refusal:
            if refusal.error in self.errors:
                self.forget(transactional_id)
            raise


@defect({"KIP890-064": _FENCED, "KIP890-065": _FENCED}, origin="red team: the last epoch is cleared before the state is checked")
class RetryForgottenByInvalidEnd(_ForgetsAtARefusedEnd):
    """A refused EndTxn, which the state does not allow, makes the coordinator forget the last epoch, and the retry of the end is fenced."""

    errors = frozenset({Errors.INVALID_TXN_STATE})


@defect({"KIP890-064": _FENCED}, origin="red team: a zombie's request clears what its successor needs")
class RetryForgottenByFencedEnd(_ForgetsAtARefusedEnd):
    """After a fenced EndTxn of an earlier epoch the owner's own retry is fenced too."""

    errors = frozenset({Errors.PRODUCER_FENCED})


@defect({"KIP890-064": _FENCED, "KIP890-065": _FENCED}, origin="textbook: an answer that is kept until it is read")
class RetryAnsweredOnce(_ForgetsTheEnd):
    """A coordinator answers one retry of an end, and fences the client that loses that answer too."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        is_retry = known is not None and known.producer_id == producer.producer_id and producer.epoch < known.producer_epoch
        answer = super().end_transaction(transactional_id, producer, decision, api_version)
        if is_retry:
            self.forget(transactional_id)
        return answer


@defect({"KIP890-064": _FENCED}, origin="red team: InitProducerId that clears before it checks")
class RetryForgottenByRefusedInit(_ForgetsTheEnd):
    """After a refused InitProducerId the owner's retry of its commit is fenced."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused:
            self.forget(transactional_id)
            raise


@defect({"KIP890-064": _FENCED}, origin="red team: a leader's question that counts as the next transaction")
class RetryForgottenByRefusedRecord(_ForgetsTheEnd):
    """After a record that the coordinator has refused to add, the owner's retry of its commit is fenced."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        try:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)
        except RequestRefused:
            self.forget(transactional_id)
            raise
