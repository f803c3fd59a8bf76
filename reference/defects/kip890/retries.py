"""Defects in what a coordinator keeps for a retry of EndTxn or InitProducerId: something else that it answers in between spoils it."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, NOTHING, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.ownership import ProducerIdOwnership
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction

_FENCED = seen(r"^a refusal with PRODUCER_FENCED", expected="^success", what="answer to EndTxn")
_INITIALISED = seen(r"^a refusal with PRODUCER_FENCED", expected="^success", what="answer to InitProducerId")
_UNMAPPED = seen("^a refusal with INVALID_PRODUCER_ID_MAPPING", expected="^success", what="answer to EndTxn")


class _Forgets(KafkaCoordinator):
    def forget(self, transactional_id: str) -> None:
        raise NotImplementedError


class _ForgetsAtARefusedEnd(_Forgets):
    errors: frozenset[Errors] = frozenset(Errors)

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused as refusal:
            if refusal.error in self.errors:
                self.forget(transactional_id)
            raise


class _ForgetsAtARefusedInit(_Forgets):
    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused:
            self.forget(transactional_id)
            raise


class _ForgetsTheEnd(_Forgets):
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


class _ForgetsTheOldId(_Forgets):
    def forget(self, transactional_id: str) -> None:
        known = self._transactions.get(transactional_id)
        if known is not None and known.is_idle:
            self._transactions[transactional_id] = replace(known, previous_producer_id=known.producer_id)


class _ForgetsTheLastEpoch(_Forgets):
    def forget(self, transactional_id: str) -> None:
        if (known := self._transactions.get(transactional_id)) is not None:
            self._transactions[transactional_id] = replace(known, last_producer_epoch=NOTHING)


@defect({"KIP890-064": _FENCED, "KIP890-065": _FENCED}, origin="red team: the last epoch is cleared before the state is checked")
class RetryForgottenByInvalidEnd(_ForgetsAtARefusedEnd, _ForgetsTheEnd):
    """A refused EndTxn, which the state does not allow, makes the coordinator forget the last epoch, and the retry of the end is fenced."""

    errors = frozenset({Errors.INVALID_TXN_STATE})


@defect({"KIP890-064": _FENCED}, origin="red team: a zombie's request clears what its successor needs")
class RetryForgottenByFencedEnd(_ForgetsAtARefusedEnd, _ForgetsTheEnd):
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
class RetryForgottenByRefusedInit(_ForgetsAtARefusedInit, _ForgetsTheEnd):
    """After a refused InitProducerId the owner's retry of its commit is fenced."""


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


@defect(
    {"KIP890-077": _UNMAPPED},
    origin="red team: a new producer id is taken for confirmed by the first request that has it",
)
class OldIdForgottenByInvalidEnd(_ForgetsAtARefusedEnd, _ForgetsTheOldId):
    """After an overflow, a refused EndTxn makes the coordinator forget the old producer id, and the retry of the end is refused."""


@defect(
    {"KIP890-077": _UNMAPPED},
    origin="textbook: an answer that is kept until it is read",
)
class OldIdAnsweredOnce(_ForgetsTheOldId):
    """After an overflow the coordinator answers one retry of the end, and forgets the old producer id with it."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        answer = super().end_transaction(transactional_id, producer, decision, api_version)
        if known is not None and known.producer_id != producer.producer_id:
            self.forget(transactional_id)
        return answer


@defect({"KIP890-027": _INITIALISED}, origin="red team: InitProducerId that clears before it checks")
class OldIdForgottenByRefusedInit(_ForgetsAtARefusedInit, _ForgetsTheOldId):
    """After a change of the producer id, a refused InitProducerId makes the coordinator forget the old one, and the retry is fenced."""


@defect({"KIP890-017": _INITIALISED}, origin="textbook: an answer that is kept until it is read")
class InitRetryAnsweredOnce(ProducerIdOwnership):
    """A coordinator answers one retry of InitProducerId, and fences the client that loses that answer too."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        owner = super().next_owner(transaction, expected_epoch, timeout_ms)
        return replace(owner, last_producer_epoch=NOTHING) if owner.producer == transaction.producer else owner


@defect({"KIP890-017": _INITIALISED}, origin="red team: the last epoch is cleared before the state is checked")
class InitRetryForgottenByRefusedEnd(_ForgetsAtARefusedEnd, _ForgetsTheLastEpoch):
    """A refused EndTxn makes the coordinator forget the last epoch, and the retry of InitProducerId is fenced."""


@defect({"KIP890-017": _INITIALISED}, origin="red team: InitProducerId that clears before it checks")
class InitRetryForgottenByRefusedInit(_ForgetsAtARefusedInit, _ForgetsTheLastEpoch):
    """A refused InitProducerId makes the coordinator forget the last epoch, and the retry of the one before is fenced."""


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
