"""Defects in InitProducerId."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.ownership import Ownership
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import NOTHING, ProducerIdAndEpoch


class _OneForAll(Ownership):
    _shared: ProducerIdAndEpoch | None = None

    def new_idempotent_producer(self) -> ProducerIdAndEpoch:
        self._shared = self._shared or super().new_idempotent_producer()
        return self._shared


SHARED_PRODUCER_ID = Defect(
    name="shared-producer-id",
    breaks={"KIP890-010": Symptom(what="answer to InitProducerId", seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="Everybody who asks for a producer id without a transactional id gets the same one, so that their batches collide.",
    origin="textbook: a constant for those that have no name",
    parts=Parts(ownership=_OneForAll),
)


class _EmptyIsAName(Coordinator):
    def is_valid_id(self, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


EMPTY_ID_INITIALISED = Defect(
    name="empty-id-initialised",
    breaks={"KIP890-011": Symptom(expected="INVALID_REQUEST", seen="^success")},
    story="The empty transactional id is one like others, so all clients that forgot to name theirs fence one another.",
    origin="textbook: an argument that is not tested",
    parts=Parts(coordinator=_EmptyIsAName),
)


class _NoMaximum(Ownership):
    def allows_timeout(self, timeout_ms: int) -> bool:
        return timeout_ms > 0


class _StopsBeforeTheMaximum(Ownership):
    def allows_timeout(self, timeout_ms: int) -> bool:
        return timeout_ms > 0 and super().allows_timeout(timeout_ms + 1)


TIMEOUT_WITHOUT_MAXIMUM = Defect(
    name="timeout-without-maximum",
    breaks={"KIP890-012": Symptom(expected="INVALID_TRANSACTION_TIMEOUT", seen="^success")},
    story="A producer may ask for weeks, and one that dies keeps readers of committed data waiting for so long.",
    origin="textbook: a bound tested on one side",
    parts=Parts(ownership=_NoMaximum),
)

MAXIMUM_TIMEOUT_REFUSED = Defect(
    name="maximum-timeout-refused",
    breaks={"KIP890-012": Symptom(expected="^success", seen="^a refusal with INVALID_TRANSACTION_TIMEOUT")},
    story="The longest time-out that an operator allows is refused, so a client that is configured to it cannot start.",
    origin="textbook: less than where less or equal was meant",
    parts=Parts(ownership=_StopsBeforeTheMaximum),
)


class _HalfIsNone(Ownership):
    def check_expected_producer(self, expected: ProducerIdAndEpoch) -> None:
        pass


HALF_AN_IDENTITY = Defect(
    name="half-an-identity",
    breaks={"KIP890-013": Symptom(expected="INVALID_REQUEST", seen="^success")},
    story="A client that sends half of its producer id and epoch is taken for one that has none, and fences itself.",
    origin="textbook: an argument that is not tested",
    parts=Parts(ownership=_HalfIsNone),
)


class _AdoptsWhatItIsTold(Ownership):
    def first_owner(self, transactional_id: str, expected: ProducerIdAndEpoch, timeout_ms: int) -> Transaction:
        fresh = super().first_owner(transactional_id, expected, timeout_ms)
        if expected.producer_id < 0:
            return fresh
        return replace(fresh, producer_id=expected.producer_id, producer_epoch=expected.epoch)


IDENTITY_ADOPTED = Defect(
    name="identity-adopted",
    breaks={"KIP890-014": Symptom(what="answer to InitProducerId", seen=r"^success with \(producer id \d+, epoch 1\)")},
    story="Who brings a producer id and epoch to an unknown transactional id keeps them, even where they belong to another id.",
    origin="textbook: trust in what a client says",
    parts=Parts(ownership=_AdoptsWhatItIsTold),
)


class _ChangesTheProducerId(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        if expected_epoch == -1:
            return transaction.rotate_producer_id(self._log.new_producer_id(), timeout_ms, remember_epoch=False)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


NEW_PRODUCER_ID_FOR_NEW_OWNER = Defect(
    name="new-producer-id-for-new-owner",
    breaks={"KIP890-015": Symptom(seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="A new instance gets a producer id of its own, so no partition can tell that the old instance is the same producer, and fenced.",
    origin="textbook: the first epoch of another producer id fences nobody",
    parts=Parts(ownership=_ChangesTheProducerId),
)


class _KeepsTheEpochOfItsOwner(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        bumped = super().next_owner(transaction, expected_epoch, timeout_ms)
        return replace(bumped, producer_epoch=transaction.producer_epoch) if expected_epoch == transaction.producer_epoch else bumped


NO_BUMP_FOR_OWNER = Defect(
    name="no-bump-for-owner",
    breaks={"KIP890-016": Symptom(seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="Who has the current producer id and epoch keeps them, so what it sent before it asked is not fenced.",
    origin="textbook: an epoch that was compared and not raised",
    parts=Parts(ownership=_KeepsTheEpochOfItsOwner),
)


class _ForgetsTheLastEpoch(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        return replace(super().next_owner(transaction, expected_epoch, timeout_ms), last_producer_epoch=-1)


RETRIED_INIT_IS_FENCED = Defect(
    name="retried-init-is-fenced",
    breaks={"KIP890-017": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="A client whose answer got lost asks again, and is taken for an instance that was fenced.",
    origin="https://issues.apache.org/jira/browse/KAFKA-20357: the last epoch was not in the log, so a fail-over forgot it",
    parts=Parts(ownership=_ForgetsTheLastEpoch),
)


class _SpeaksToTheNewestOnly(Dialect):
    def error_for(self, error: Error, version: int, knows_fenced: int) -> Error:  # noqa: ARG002 - that is the defect
        return error


INIT_FENCED_IN_NEW_WORDS = Defect(
    name="init-fenced-in-new-words",
    breaks={"KIP890-019": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="A client of the time before PRODUCER_FENCED is answered it, and takes it for an error that it does not know.",
    origin="textbook: an error code of a later version",
    parts=Parts(dialect=_SpeaksToTheNewestOnly),
)


class _ComparesOnlyTheEpoch(Ownership):
    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:  # noqa: ARG002 - that is the defect
        return True


FOREIGN_PRODUCER_ID = Defect(
    name="foreign-producer-id",
    breaks={"KIP890-020": Symptom(expected="PRODUCER_FENCED", seen="^success")},
    story="A producer of another transactional id takes this one over, when only its epoch happens to be the same.",
    origin="textbook: half of a comparison",
    parts=Parts(ownership=_ComparesOnlyTheEpoch),
)


class _RemembersTheFenced(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        return replace(super().next_owner(transaction, expected_epoch, timeout_ms), last_producer_epoch=transaction.producer_epoch)


FENCED_INSTANCE_COMES_BACK = Defect(
    name="fenced-instance-comes-back",
    breaks={"KIP890-021": Symptom(expected="PRODUCER_FENCED", seen="^success")},
    story="The instance that was taken over gives its old epoch, is taken for one that asks again, and shares the new one's epoch.",
    origin="textbook: two owners of one epoch",
    parts=Parts(ownership=_RemembersTheFenced),
)


class _DropsWhatIsOpen(Coordinator):
    def abort_before_takeover(self, transaction: Transaction) -> None:
        dropped = replace(transaction, state=State.EMPTY, partitions=frozenset(), producer_epoch=transaction.producer_epoch + 1)
        self.install(dropped)


HANGING_AFTER_TAKEOVER = Defect(
    name="hanging-after-takeover",
    breaks={"KIP890-022": Symptom(seen="^last stable offset 0, high watermark 1; transaction of A: Empty")},
    story="A takeover empties the coordinator's record of the open transaction, and its partitions are never told: it hangs in them.",
    origin="textbook: the hanging transaction of the proposal's introduction",
    parts=Parts(coordinator=_DropsWhatIsOpen),
)


class _FencesTwice(Coordinator):
    def abort_by_server(self, transaction: Transaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=2)


TAKEOVER_FENCES_TWICE = Defect(
    name="takeover-fences-twice",
    breaks={"KIP890-023": Symptom(seen=r"^success with \(producer id \d+, epoch 3\)")},
    story="The epoch is bumped to fence the old instance, and once more to end its transaction.",
    origin="https://issues.apache.org/jira/browse/KAFKA-19367",
    parts=Parts(coordinator=_FencesTwice),
)


class _ForgetsTheEpochAtATimeout(Coordinator):
    def abort_timed_out(self) -> None:
        open_before = [transaction for transaction in self.transactions() if transaction.state is State.ONGOING]
        super().abort_timed_out()
        for transaction in open_before:
            aborted = self._transactions[transaction.transactional_id]
            if aborted.state is not State.ONGOING:
                self._transactions[transaction.transactional_id] = replace(aborted, last_producer_epoch=NOTHING)


FENCED_FOR_GOOD_BY_A_TIMEOUT = Defect(
    name="fenced-for-good-by-a-timeout",
    breaks={"KIP890-023": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="A time-out raises the epoch and keeps no note of the one before, so a producer that was only slow can never go on.",
    origin="textbook: the time-out and the takeover as two pieces of code, one of which fills a field",
    parts=Parts(coordinator=_ForgetsTheEpochAtATimeout),
)


class _HandsOutAnEpochMeanwhile(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        if transaction.state in PREPARED:
            return replace(transaction, state=State.EMPTY, partitions=frozenset(), producer_epoch=transaction.producer_epoch + 1)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


class _WaitsForNoMarkers(Coordinator):
    def must_wait(self, transaction: Transaction) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def complete(self, transactional_id: str) -> None:
        if self._transactions[transactional_id].state in PREPARED:
            super().complete(transactional_id)
        else:  # the last marker of what nobody remembers
            self._pending.discard(transactional_id)


OWNER_BEFORE_COMPLETION = Defect(
    name="owner-before-completion",
    breaks={"KIP890-025": Symptom(expected="CONCURRENT_TRANSACTIONS", seen="^success")},
    story="A new epoch is handed out while markers are on their way, and the record of where they must go is gone.",
    origin="textbook: a decision that is forgotten half-way",
    parts=Parts(coordinator=_WaitsForNoMarkers, ownership=_HandsOutAnEpochMeanwhile),
)


class _KeepsTheFirstTimeout(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:  # noqa: ARG002 - the defect
        return super().next_owner(transaction, expected_epoch, transaction.timeout_ms)


FIRST_TIMEOUT_KEPT = Defect(
    name="first-timeout-kept",
    breaks={"KIP890-029": Symptom(seen="^180000 ms")},
    story="The time-out that a transactional id had first holds for all its later owners.",
    origin="textbook: a field that is set where the record is made, and nowhere else",
    parts=Parts(ownership=_KeepsTheFirstTimeout),
)


class _WritesIdsDownLate(TransactionLog):
    _last: int | None = None

    def new_producer_id(self) -> int:
        if self._last is not None:
            self._producer_ids.replace([self._last])
        self._last = super().new_producer_id()
        self._producer_ids.replace([self._last - 1])
        return self._last


class _RemembersTakeoversInMemory(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        is_new = transaction.transactional_id not in self.replay()
        return super().must_be_durable(transaction) and (is_new or transaction.state is not State.EMPTY)


PRODUCER_ID_GIVEN_TWICE = Defect(
    name="producer-id-given-twice",
    breaks=dict.fromkeys(
        ("KIP890-010", "KIP890-014"), Symptom(what="answer to InitProducerId", seen=r"^success with \(producer id \d+, epoch 0\)")
    ),
    story="A producer id is written down when the next one is given out, so that a crash makes two producers share the last one.",
    origin="textbook: a counter that is stored behind its answer",
    parts=Parts(transaction_log=_WritesIdsDownLate),
)

TAKEOVER_UNDONE_BY_CRASH = Defect(
    name="takeover-undone-by-crash",
    breaks={
        "KIP890-021": Symptom(what="answer to InitProducerId", expected="PRODUCER_FENCED", seen="^success"),
        "KIP890-351": Symptom(what="^answer to Produce", expected="^success", error="^INVALID_PRODUCER_EPOCH$"),
    },
    story="That an idle id was taken over is not in the log until its next transaction. After a crash the old instance is the owner again.",
    origin="textbook: a step without a transaction held for not worth keeping",
    parts=Parts(transaction_log=_RemembersTakeoversInMemory),
)


class _ClaimsNoIdAtAnOverflow(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        if transaction.next_producer_id != NOTHING:
            self._producer_ids.replace([transaction.next_producer_id - 1])
        return super().must_be_durable(transaction)


PRODUCER_ID_OF_AN_OVERFLOW_GIVEN_TWICE = Defect(
    name="producer-id-of-an-overflow-given-twice",
    breaks={"KIP890-014": Symptom(what="answer to InitProducerId", seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="The producer id with which a producer goes on after its last epoch is not claimed, so the next one to ask is given it too.",
    origin="textbook: a second place that takes a number from a counter, and not through the counter",
    parts=Parts(transaction_log=_ClaimsNoIdAtAnOverflow),
)
