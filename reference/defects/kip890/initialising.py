"""Defects in InitProducerId, and in transactional ids that differ little: an id is what its bytes are."""

from dataclasses import replace
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, NOTHING, ProducerIdAndEpoch
from fencepost.reference.kafka.ownership import MAX_TIMEOUT_MS, ProducerIdOwnership
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog
from fencepost.reference.kernel.journal import Disk

from .neighbours import KnowsNeighbours

_FENCED = Symptom(expected="^success", what="answer to EndTxn")


@defect(
    {"KIP890-010": seen(r"^success with \(producer id \d+, epoch 0\)", what="answer to InitProducerId")},
    origin="textbook: a constant for those that have no name",
)
class SharedProducerId(ProducerIdOwnership):
    """Every client that requests a producer id without a transactional id gets the same one, so their batches collide."""

    _shared: ProducerIdAndEpoch | None = None

    def new_idempotent_producer(self) -> ProducerIdAndEpoch:
        self._shared = self._shared or super().new_idempotent_producer()
        return self._shared


@defect({"KIP890-011": seen("^success", expected="INVALID_REQUEST")}, origin="textbook: an argument that is not tested")
class EmptyIdInitialised(KafkaCoordinator):
    """The empty transactional id is one like others, so all clients that forgot to name theirs fence one another."""

    def is_valid_id(self, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-012": seen("^success", expected="INVALID_TRANSACTION_TIMEOUT")}, origin="textbook: a bound tested on one side")
class TimeoutWithoutMaximum(ProducerIdOwnership):
    """A producer may ask for weeks, and one that dies keeps readers of committed data waiting for so long."""

    def allows_timeout(self, timeout_ms: int) -> bool:
        return timeout_ms > 0


@defect(
    {"KIP890-012": seen("^a refusal with INVALID_TRANSACTION_TIMEOUT", expected="^success")},
    origin="textbook: less than where less or equal was meant",
)
class MaximumTimeoutRefused(ProducerIdOwnership):
    """The longest timeout that an operator allows is refused, so a client that is configured to it cannot start."""

    def allows_timeout(self, timeout_ms: int) -> bool:
        return timeout_ms > 0 and super().allows_timeout(timeout_ms + 1)


@defect({"KIP890-013": seen("^success", expected="INVALID_REQUEST")}, origin="textbook: an argument that is not tested")
class HalfAnIdentity(ProducerIdOwnership):
    """A client that sends half of its producer id and epoch is taken for one that has none, and fences itself."""

    def check_expected_producer(self, expected: ProducerIdAndEpoch) -> None:
        pass


@defect(
    {"KIP890-014": seen(r"^success with \(producer id \d+, epoch 1\)", what="answer to InitProducerId")},
    origin="textbook: trust in what a client says",
)
class IdentityAdopted(ProducerIdOwnership):
    """A client that sends a producer id and epoch with an unknown transactional id keeps them, even if they belong to another id."""

    def first_owner(self, transactional_id: str, expected: ProducerIdAndEpoch, timeout_ms: int) -> KafkaTransaction:
        fresh = super().first_owner(transactional_id, expected, timeout_ms)
        if expected.producer_id < 0:
            return fresh
        return replace(fresh, producer_id=expected.producer_id, producer_epoch=expected.epoch)


@defect(
    {"KIP890-015": seen(r"^success with \(producer id \d+, epoch 0\)")},
    origin="textbook: the first epoch of another producer id fences no client",
)
class NewProducerIdForNewOwner(ProducerIdOwnership):
    """A new instance gets a new producer id, so no partition recognises the old instance as the same producer and fences it."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        if expected_epoch == -1:
            return transaction.rotate_producer_id(self._log.new_producer_id(), timeout_ms, remember_epoch=False)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


@defect({"KIP890-016": seen(r"^success with \(producer id \d+, epoch 0\)")}, origin="textbook: an epoch that was compared and not raised")
class NoBumpForOwner(ProducerIdOwnership):
    """A client that has the current producer id and epoch keeps them, so what it sent before InitProducerId is not fenced."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        bumped = super().next_owner(transaction, expected_epoch, timeout_ms)
        return replace(bumped, producer_epoch=transaction.producer_epoch) if expected_epoch == transaction.producer_epoch else bumped


@defect(
    {"KIP890-017": seen("^a refusal with PRODUCER_FENCED")},
    origin="https://issues.apache.org/jira/browse/KAFKA-20357: the last epoch was not in the log, so a failover forgot it",
)
class RetriedInitIsFenced(ProducerIdOwnership):
    """A client whose answer was lost retries, and is treated as a fenced instance."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        return replace(super().next_owner(transaction, expected_epoch, timeout_ms), last_producer_epoch=-1)


@defect({"KIP890-019": seen("^a refusal with PRODUCER_FENCED")}, origin="textbook: an error code of a later version")
class InitFencedInNewWords(Dialect):
    """A client from before PRODUCER_FENCED is answered with that error, which it does not know."""

    def error_for(self, error: Errors, version: int, knows_fenced: int) -> Errors:  # noqa: ARG002 - that is the defect
        return error


@defect({"KIP890-020": seen("^success", expected="PRODUCER_FENCED")}, origin="textbook: half of a comparison")
class ForeignProducerId(ProducerIdOwnership):
    """A producer of another transactional id takes this one over, when only its epoch happens to be the same."""

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-021": seen("^success", expected="PRODUCER_FENCED")}, origin="textbook: two owners of one epoch")
class FencedInstanceComesBack(ProducerIdOwnership):
    """The fenced instance sends its old epoch, is treated as one that retries, and shares the new instance's epoch."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        return replace(super().next_owner(transaction, expected_epoch, timeout_ms), last_producer_epoch=transaction.producer_epoch)


@defect(
    {"KIP890-022": seen("^last stable offset 0, high watermark 1; transaction of A: Empty")},
    origin="textbook: the hanging transaction of the proposal's introduction",
)
class HangingAfterTakeover(KafkaCoordinator):
    """A takeover empties the coordinator's record of the open transaction and sends its partitions no marker: the transaction hangs
    there."""

    def abort_before_takeover(self, transaction: KafkaTransaction) -> None:
        dropped = replace(
            transaction, state=KafkaTransactionState.EMPTY, partitions=frozenset(), producer_epoch=transaction.producer_epoch + 1
        )
        self.install(dropped)


@defect({"KIP890-023": seen(r"^success with \(producer id \d+, epoch 3\)")}, origin="https://issues.apache.org/jira/browse/KAFKA-19367")
class TakeoverFencesTwice(KafkaCoordinator):
    """The epoch is bumped to fence the old instance, and once more to end its transaction."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=2)


@defect(
    {"KIP890-023": seen("^a refusal with PRODUCER_FENCED")},
    origin="textbook: the timeout and the takeover as two pieces of code, one of which fills a field",
)
class FencedForGoodByATimeout(KafkaCoordinator):
    """A timeout raises the epoch and keeps no note of the one before, so a producer that was only slow can never go on."""

    def abort_timed_out(self) -> None:
        open_before = [transaction for transaction in self.transactions() if transaction.state is KafkaTransactionState.ONGOING]
        super().abort_timed_out()
        for transaction in open_before:
            aborted = self._transactions[transaction.transactional_id]
            if aborted.state is not KafkaTransactionState.ONGOING:
                self._transactions[transaction.transactional_id] = replace(aborted, last_producer_epoch=NOTHING)


class _HandsOutAnEpochMeanwhile(ProducerIdOwnership):
    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        if transaction.state in PREPARED:
            return replace(
                transaction, state=KafkaTransactionState.EMPTY, partitions=frozenset(), producer_epoch=transaction.producer_epoch + 1
            )
        return super().next_owner(transaction, expected_epoch, timeout_ms)


@defect(
    {"KIP890-025": seen("^success", expected="CONCURRENT_TRANSACTIONS")},
    origin="textbook: a decision that is forgotten half-way",
    also=[_HandsOutAnEpochMeanwhile],
)
class OwnerBeforeCompletion(KafkaCoordinator):
    """A new epoch is handed out while markers are in flight, and the record of where they must go is gone."""

    def must_wait(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def complete(self, transactional_id: str) -> None:
        if self._transactions[transactional_id].state in PREPARED:
            super().complete(transactional_id)
        else:  # the last marker of an id that has expired
            self._pending.discard(transactional_id)


@defect({"KIP890-029": seen("^180000 ms")}, origin="textbook: a field that is set where the record is made, and nowhere else")
class FirstTimeoutKept(ProducerIdOwnership):
    """The timeout that a transactional id had first holds for all its later owners."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:  # noqa: ARG002 - the defect
        return super().next_owner(transaction, expected_epoch, transaction.timeout_ms)


@defect(
    {"KIP890-029": seen("^180000 ms$", expected="^90000 ms$")},
    origin="red team: a retry that is answered from memory",
)
class TimeoutOfARetryDropped(ProducerIdOwnership):
    """A repeated InitProducerId gets the answer of the first one, and the timeout in it is not read."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        owner = super().next_owner(transaction, expected_epoch, timeout_ms)
        return replace(owner, timeout_ms=transaction.timeout_ms) if owner.producer == transaction.producer else owner


@defect({"KIP890-029": seen("^180000 ms$", expected="^90000 ms$")}, origin="red team: two ways to make one record")
class TimeoutOfANewProducerIdDropped(ProducerIdOwnership):
    """An InitProducerId that moves to a new producer id copies the timeout of the old one."""

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        owner = super().next_owner(transaction, expected_epoch, timeout_ms)
        return replace(owner, timeout_ms=transaction.timeout_ms) if owner.producer_id != transaction.producer_id else owner


@defect(
    dict.fromkeys(
        ("KIP890-010", "KIP890-014"), Symptom(what="answer to InitProducerId", seen=r"^success with \(producer id \d+, epoch 0\)")
    ),
    origin="textbook: a counter that is stored after its answer",
)
class ProducerIdGivenTwice(KafkaTransactionLog):
    """A producer id is stored when the next one is assigned, so that after a crash two producers share the last one."""

    _last: int | None = None

    def new_producer_id(self) -> int:
        if self._last is not None:
            self._producer_ids.replace([self._last])
        self._last = super().new_producer_id()
        self._producer_ids.replace([self._last - 1])
        return self._last


@defect(
    {
        "KIP890-021": seen("^success", expected="PRODUCER_FENCED", what="answer to InitProducerId"),
        "KIP890-351": expected("^success", what="^answer to Produce", error="^INVALID_PRODUCER_EPOCH$"),
    },
    origin="textbook: a step without a transaction held for not worth keeping",
)
class TakeoverUndoneByCrash(KafkaTransactionLog):
    """That an idle id was taken over is not in the log until its next transaction. After a crash the old instance is the owner again."""

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        is_new = transaction.transactional_id not in self.replay()
        return super().must_be_durable(transaction) and (is_new or transaction.state is not KafkaTransactionState.EMPTY)


@defect(
    {"KIP890-014": seen(r"^success with \(producer id \d+, epoch 0\)", what="answer to InitProducerId")},
    origin="textbook: a second place that takes a number from a counter, and not through the counter",
)
class ProducerIdOfAnOverflowGivenTwice(KafkaTransactionLog):
    """The producer id with which a producer continues after its last epoch is not reserved, so the next producer is assigned it too."""

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        if transaction.next_producer_id != NOTHING:
            self._producer_ids.replace([transaction.next_producer_id - 1])
        return super().must_be_durable(transaction)


@defect(
    {"KIP890-010": seen(r"^success with \(producer id \d+, epoch 0\)", what="answer to InitProducerId")},
    origin="textbook: after a crash a counter continues from what the records show",
)
class ProducerIdsFromTheTransactionLog(KafkaTransactionLog):
    """After a crash the producer ids go on from the largest in the transaction log, which has none of producers without transactions."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        if first := min(self._producer_ids, default=None):
            self._producer_ids.replace([max((known.producer_id for known in self.replay().values()), default=first - 1)])


@defect({"KIP890-022": Symptom(what="transaction of C")}, origin="textbook: partitions aborted, where transactions are meant")
class TakeoverAbortsNeighbours(KnowsNeighbours):
    """A takeover aborts all that is open in the partitions of the transaction that it ends."""

    def abort_before_takeover(self, transaction: KafkaTransaction) -> None:
        for other in self.neighbours(transaction):
            self.abort_by_server(other)
        super().abort_before_takeover(transaction)


@defect({"KIP890-014": _FENCED}, origin="red team: a database whose keys ignore case")
class IdsWithoutCase(KafkaCoordinator):
    """Two transactional ids that differ in case alone are one, and each of their producers fences the other."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        return super().init_producer_id(transactional_id.lower(), timeout_ms, expected)

    def describe(self, transactional_id: str) -> KafkaTransaction:
        return super().describe(transactional_id.lower())


@defect({"KIP890-014": _FENCED}, origin="red team: names that are trimmed, as those of settings are")
class IdsWithoutBlanks(KafkaCoordinator):
    """A transactional id that begins with a blank is that without it, and each of their producers fences the other."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        return super().init_producer_id(transactional_id.strip(), timeout_ms, expected)

    def describe(self, transactional_id: str) -> KafkaTransaction:
        return super().describe(transactional_id.strip())


@defect(
    {"KIP890-012": seen("^success", expected="INVALID_TRANSACTION_TIMEOUT", what="answer to InitProducerId")},
    origin="textbook: a value that is limited where it is stored, and checked where there is one to replace",
)
class TimeoutOfANewIdIsLimited(KafkaCoordinator):
    """The first InitProducerId of a transactional id is granted the longest timeout that is allowed where it asks for more, and the client
    does not learn of it."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        is_new = transactional_id not in self._transactions
        return super().init_producer_id(transactional_id, min(timeout_ms, MAX_TIMEOUT_MS) if is_new else timeout_ms, expected)


@defect(
    {"KIP890-015": seen(r"^success with \(producer id \d+, epoch 1\)", expected="epoch 2", what="answer to InitProducerId")},
    origin="red team: the abort has raised the epoch already",
)
class AbortRaisesForTheNextOwner(KafkaCoordinator):
    """After its owner's abort a transactional id has an epoch that no request has used yet, and a new instance gets just that one: two
    instances share it."""

    def __init__(self, *parts: Any) -> None:
        self._fenced: set[str] = set()
        super().__init__(*parts)

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        self._fenced.add(transaction.transactional_id)
        super().abort_by_server(transaction)

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        owner = super().init_producer_id(transactional_id, timeout_ms, expected)
        if transactional_id in self._fenced or expected != NO_PRODUCER or known is None:
            return owner
        if known.state is not KafkaTransactionState.COMPLETE_ABORT:
            return owner
        return self.install(replace(self._transactions[transactional_id], producer_epoch=known.producer_epoch)).producer


@defect(
    {"KIP890-029": seen("^(Prepare|Complete)Abort", expected="^Ongoing", what="^transaction of B")},
    origin="red team: a timer that is set once for each transactional id",
)
class FirstTimeoutApplies(KafkaCoordinator):
    """Each InitProducerId stores its timeout, and the timer uses the first one of the transactional id."""

    def __init__(self, *parts: Any) -> None:
        self._first: dict[str, int] = {}
        super().__init__(*parts)

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        owner = super().init_producer_id(transactional_id, timeout_ms, expected)
        self._first.setdefault(transactional_id, timeout_ms)
        return owner

    def abort_timed_out(self) -> None:
        for known in self.transactions():
            ends_at = known.started_at + self._first.get(known.transactional_id, known.timeout_ms)
            if known.state is KafkaTransactionState.ONGOING and ends_at < self._machine.clock.now:
                self.abort_by_server(known)
