"""Defects in what is given up after a while, and what may not be."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import State, Transaction
from fencepost.reference.kafka.transaction_log import Tombstone, TransactionLog
from fencepost.wire.kafka.batches import Batch


class _WritesNoTombstone(TransactionLog):
    def forget(self, transactional_id: str) -> None:  # noqa: ARG002 - that is the defect
        return


EXPIRY_WITHOUT_TOMBSTONE = Defect(
    name="expiry-without-tombstone",
    breaks={"KIP890-165": Symptom(what="transaction of A", seen="^success with")},
    story="An expired transactional id is removed from memory only, and is back after the next restart.",
    origin="textbook: a cache that is cleaned and a log that is not",
    parts=Parts(transaction_log=_WritesNoTombstone),
)


class _KeepsIdsForEver(Coordinator):
    def may_be_forgotten(self, transaction: Transaction) -> bool:  # noqa: ARG002 - that is the defect
        return False


IDS_KEPT_FOR_EVER = Defect(
    name="ids-kept-for-ever",
    breaks={"KIP890-165": Symptom(what="transaction of A", seen="^success with")},
    story="Transactional ids are never removed, and the coordinator grows with each name that was ever used.",
    origin="textbook: a clean-up that is never due",
    parts=Parts(coordinator=_KeepsIdsForEver),
)


class _ForgetsWhatIsOpen(Coordinator):
    def may_be_forgotten(self, transaction: Transaction) -> bool:
        return transaction.is_idle or bool(transaction.partitions)


OPEN_TRANSACTION_EXPIRES = Defect(
    name="open-transaction-expires",
    breaks={"KIP890-166": Symptom(seen="^a refusal: TRANSACTIONAL_ID_NOT_FOUND")},
    story="The clean-up looks at the time and not at the state, so an open transaction loses the only one who could end it.",
    origin="textbook: hanging transactions by expiry",
    parts=Parts(coordinator=_ForgetsWhatIsOpen),
)


class _ForgetsWhatIsDecided(Coordinator):
    def may_be_forgotten(self, transaction: Transaction) -> bool:
        return transaction.state is not State.ONGOING


PREPARED_TRANSACTION_EXPIRES = Defect(
    name="prepared-transaction-expires",
    breaks={"KIP890-166": Symptom(what="^answer$", error="^TRANSACTIONAL_ID_NOT_FOUND$")},
    story="The clean-up spares what is Ongoing alone, so nobody sends the markers any more of what was decided and is not complete.",
    origin="textbook: one state that must not expire is named, and those behind it are forgotten",
    parts=Parts(coordinator=_ForgetsWhatIsDecided),
)


class _ForgetsEverybody(ProducerStates):
    def may_be_forgotten(self, state: ProducerState) -> bool:  # noqa: ARG002 - that is the defect
        return True


OPEN_STATE_EXPIRES = Defect(
    name="open-state-expires",
    breaks={"KIP890-167": Symptom(seen="^no such producer")},
    story="A partition forgets a producer in the middle of its transaction, and shows readers what is not decided.",
    origin="textbook: expiry by time alone",
    parts=Parts(producer_states=_ForgetsEverybody),
)


class _TrustsTheReturning(ProducerStates):
    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere or batch.base_sequence > 0)


RETURNING_PRODUCER_TRUSTED = Defect(
    name="returning-producer-trusted",
    breaks={"KIP890-168": Symptom(expected="OUT_OF_ORDER_SEQUENCE_NUMBER", seen="^success with")},
    story="A new client that comes back after its state expired goes on where it was, and what it lost meanwhile goes unnoticed.",
    origin="Apache Kafka 4.0.0",
    parts=Parts(producer_states=_TrustsTheReturning),
)


class _RemembersTheNumber(ProducerStates):
    _last: dict[int, int]

    def __init__(self) -> None:
        super().__init__()
        self._last = {}

    def apply(self, batch: Batch) -> ProducerState | None:
        self._last[batch.producer_id] = max(self._last.get(batch.producer_id, -1), batch.base_sequence)
        return super().apply(batch)

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if self.get(batch.producer_id) is None and batch.base_sequence > self._last.get(batch.producer_id, batch.base_sequence) + 1:
            raise Refused(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
        super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


EXPIRED_STATE_STILL_COUNTS = Defect(
    name="expired-state-still-counts",
    breaks={"KIP890-167": Symptom(what="answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    story="The state is gone from what is shown, and its sequence number is still held against the producer.",
    origin="textbook: two maps, one of them cleaned",
    parts=Parts(producer_states=_RemembersTheNumber),
)


class _GoneOnceGoneForEver(TransactionLog):
    def replay(self) -> dict[str, Transaction]:
        gone = {record.transactional_id for record in self._records if isinstance(record, Tombstone)}
        return {name: transaction for name, transaction in super().replay().items() if name not in gone}


EXPIRED_ID_NOT_LOADED = Defect(
    name="expired-id-not-loaded",
    breaks={
        "KIP890-166": Symptom(what="^answer$", error="^TRANSACTIONAL_ID_NOT_FOUND$"),
    },
    story="A coordinator that loads its log takes an id with a tombstone for gone, and passes over all that came behind it.",
    origin="textbook: tombstones are collected apart, and the order of the log is lost",
    parts=Parts(transaction_log=_GoneOnceGoneForEver),
)
