"""Defects of Pulsar in timeouts: when a transaction has timed out, who notices, and what happens then."""

import contextlib
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.api.peer import Peer
from fencepost.reference.pulsar.coordinator import Reply, TransactionCoordinator
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

_ONE_FOR_ALL_MS = 2_000
_NEVER_MS = 2**40


@defect({"PIP31-39": seen("^OPEN$", expected="^ABORTED$", what="^status of A$")}, origin="textbook: no timer")
class PulsarTimeoutIgnored(LogCoordinator):
    """Only its client can end a transaction, and one whose client is gone is open for ever."""

    def abort_timed_out(self) -> None:
        pass


class _ExpiresOthers(LogCoordinator):
    """A coordinator that also aborts what `is_taken_for_overdue`."""

    def is_taken_for_overdue(self, transaction: PulsarTransaction) -> bool:
        raise NotImplementedError

    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for transaction in self.transactions():
            if self.is_taken_for_overdue(transaction):
                self.decide(replace(transaction, status=TxnStatus.OPEN), EndAction.ABORT, None)


@defect(
    {"PIP31-40": seen(r"^ABORT(ING|ED) \d+ ms before the timeout", what="^status of A$")}, origin="textbook: a margin on the wrong side"
)
class PulsarTimeoutTooEarly(_ExpiresOthers):
    """The coordinator aborts a transaction when half of its time has passed."""

    def is_taken_for_overdue(self, transaction: PulsarTransaction) -> bool:
        age = self._machine.clock.now - transaction.started_at
        return transaction.status is TxnStatus.OPEN and age > transaction.timeout_ms / 2


@defect(
    {"PIP31-40": seen(r"^ABORT(ING|ED) \d+ ms before the timeout", what="^status of A$")},
    origin="red team: a field that was called txn_ttl_seconds, and counts milliseconds",
)
class PulsarTimeoutInWholeSeconds(_ExpiresOthers):
    """The coordinator keeps timeouts in seconds and drops what is less, so it aborts a transaction up to a second early."""

    def is_taken_for_overdue(self, transaction: PulsarTransaction) -> bool:
        age = self._machine.clock.now - transaction.started_at
        return transaction.status is TxnStatus.OPEN and age > transaction.timeout_ms // 1_000 * 1_000


@defect(
    {"PIP31-40": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="textbook: a setting that is not checked",
)
class PulsarTimeoutOfTheCoordinator(_ExpiresOthers):
    """The coordinator has one timeout for all transactions, whatever a client requested."""

    def is_taken_for_overdue(self, transaction: PulsarTransaction) -> bool:
        return transaction.status is TxnStatus.OPEN and self._machine.clock.now - transaction.started_at > _ONE_FOR_ALL_MS


@defect(
    {"PIP31-44": seen("^ABORTING", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="textbook: a timeout that does not look at the status",
)
class PulsarTimeoutAbortsACommit(_ExpiresOthers):
    """The scan looks only at the time, and aborts a commit for which a participant is still awaited."""

    def is_taken_for_overdue(self, transaction: PulsarTransaction) -> bool:
        return transaction.status is TxnStatus.COMMITTING and self._machine.clock.now - transaction.started_at > transaction.timeout_ms


@defect(
    {"PIP31-41": seen("^success$", expected="^a refusal$", what="^answer to ADD_PARTITION_TO_TXN$")}, origin="textbook: an idle timeout"
)
class PulsarTimeoutFromTheLastChange(LogCoordinator):
    """The timeout counts from the last update of the metadata, so a transaction that is added to never ends."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        self._install(replace(self.describe(txn), started_at=self._machine.clock.now))


@defect({"PIP31-42": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")}, origin="textbook: what has ended needs no end")
class PulsarLateCommitSucceeds(LogCoordinator):
    """The commit of a transaction that has timed out is answered with success, and its messages are gone."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        aborted = self.describe(txn).status.action is EndAction.ABORT
        super().end(txn, EndAction.ABORT if aborted else action, reply)


@defect(
    {"PIP31-43": seen("^OPEN$", expected="^ABORTED$", what="^status of A$")},
    origin="textbook: a tracker that does not learn what a replay finds",
)
class PulsarTimeoutForgottenByCrash(LogCoordinator):
    """Only transactions that were begun since the last start are watched for their timeouts."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(transaction, timeout_ms=_NEVER_MS)


@defect(
    {"PIP31-45": seen("^ABORTING, then ABORTING$", expected="^ABORTING, then ABORTED$", what="^status of A$")},
    origin="apache/pulsar#10131: the end of a transaction was not tried again after a failure",
)
class PulsarHeldAbortStays(LogCoordinator):
    """A participant that could not apply an abort is not notified again, so the transaction stays in ABORTING for ever."""

    def send_again(self) -> None:
        pass


@defect(
    {"PIP31-75": expected("succeeded$", what="^messages of orders$")}, origin="apache/pulsar#14370: a commit that raced with the timeout"
)
class PulsarCommittedAndCalledLate(LogCoordinator):
    """Between the timeout and the scan a commit is carried out, and then answered as one that came too late."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        is_late = self.describe(txn).is_overdue(self._machine.clock.now)
        super().end(txn, action, (lambda: None) if is_late else reply)
        if is_late:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"the timeout of transaction {txn} has passed")


@defect(
    {"PIP31-75": expected("16 succeeded$", what="^messages of orders$")}, origin="textbook: an answer that is not made from the outcome"
)
class PulsarAbortedAndCalledCommitted(PulsarLateCommitSucceeds):
    """A commit that comes after the scan is answered with success, and the transaction stays aborted."""


@defect(
    {"PIP31-39": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="textbook: a queue in the order of beginnings, where timeouts differ",
)
class PulsarShortWaitsForLong(LogCoordinator):
    """The coordinator looks for timeouts from the oldest transaction on, up to the first that has time left: later ones have to wait."""

    def abort_timed_out(self) -> None:
        everything = self._transactions
        undecided = [one for one in everything.values() if not one.status.is_decided]
        overdue = itertools.takewhile(lambda one: one.is_overdue(self._machine.clock.now), undecided)
        self._transactions = {one.txn: one for one in overdue}
        super().abort_timed_out()
        self._transactions = everything | self._transactions


@defect(
    {"PIP31-43": seen("^OPEN$", expected="^not OPEN$", what="^status of A when C had timed out$")},
    origin="red team: a timer that is set when a transaction is put into memory",
)
class PulsarTimeoutRestarted(LogCoordinator):
    """With each start of the coordinator the timeout of an open transaction begins again."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(super().recovered(transaction), started_at=self._machine.clock.now)


@defect(
    {"PIP31-43": seen(r"^ABORT(ING|ED) \d+ ms before", expected="^OPEN until its timeout$", what="^status of A$")},
    origin="red team: a timeout that is scaled when it is written, and again when it is read",
)
class PulsarTimeoutHalvedByRestart(LogCoordinator):
    """With each start of the coordinator an open transaction has half of its timeout left."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(super().recovered(transaction), timeout_ms=transaction.timeout_ms // 2)


@defect(
    {"PIP31-43": seen("^OPEN$", expected="^ABORTED$", what="^status of A$")},
    origin="red team: a timer for each deadline that lies ahead, and none for one that does not",
)
class PulsarDeadlinePassedWhileDown(LogCoordinator):
    """A coordinator that starts watches the transactions that have time left; one whose timeout passed meanwhile is open for ever."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        is_overdue = transaction.is_overdue(self._machine.clock.now)
        return replace(super().recovered(transaction), timeout_ms=_NEVER_MS if is_overdue else transaction.timeout_ms)


_MOST = 2**63


def _overflowing(now: int, timeout_ms: int) -> int:
    """A timeout whose end is computed in 64 signed bits."""
    end = now + timeout_ms
    return (end - 2 * _MOST if end >= _MOST else end) - now


@defect(
    {"PIP31-40": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="textbook: the end of a timeout that overflows",
)
class PulsarTimeoutOverflows(LogCoordinator):
    """A transaction with the longest possible timeout ends before it began, and is aborted at once."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(_overflowing(self._machine.clock.now, timeout_ms))


@defect(
    {"PIP31-40": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="textbook: a timer whose end overflows when it is set again",
)
class PulsarTimeoutOverflowsAfterACrash(LogCoordinator):
    """A coordinator that recovers aborts the transactions with the longest possible timeout."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        recovered = super().recovered(transaction)
        return replace(recovered, timeout_ms=_overflowing(self._machine.clock.now, recovered.timeout_ms))


@defect(
    {"PIP31-43": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: one timer, which is set for the first transaction that a replay finds",
)
class PulsarOneTimeoutRecovered(LogCoordinator):
    """A coordinator that starts watches the oldest open transaction, and no other that was open before."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        found = super().recovered(transaction)
        if found.status is not TxnStatus.OPEN:
            return found
        is_first, self._watches = not hasattr(self, "_watches"), True
        return found if is_first else replace(found, timeout_ms=_NEVER_MS)


@defect(
    {"PIP31-44": seen("^ABORTING", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="red team: a replay that asks for the time before it asks for the status",
)
class PulsarOverdueCommitRolledBackByAStart(LogCoordinator):
    """A coordinator that starts aborts every transaction whose timeout has passed and that is not complete, also one that is being
    committed."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        found = super().recovered(transaction)
        is_late = self._machine.clock.now - found.started_at > found.timeout_ms
        return replace(found, status=TxnStatus.ABORTING) if is_late and found.status is TxnStatus.COMMITTING else found


@defect(
    {"PIP31-39": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: a loop that waits in its body",
)
class PulsarTimeoutWaitsForTheOneBefore(LogCoordinator):
    """The timer aborts the next overdue transaction when the one before it is complete, so one unavailable topic keeps all others
    open."""

    _last: TxnId | None = None

    def abort_timed_out(self) -> None:
        for transaction in self.transactions():
            before = self._transactions.get(self._last) if self._last is not None else None
            if before is not None and not before.status.is_complete:
                return
            if transaction.is_overdue(self._machine.clock.now):
                self._last = transaction.txn
                self.decide(transaction, EndAction.ABORT, None)


@defect(
    {"PIP31-43": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: a queue that is filled in the order of the log, and read as one in the order of timeouts",
)
class PulsarRecoveredTimeoutsQueue(LogCoordinator):
    """After a crash the timer looks at the oldest open transaction only, and at the next one when that has ended."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        self.__dict__.setdefault("_queue", []).append(transaction.txn)
        return super().recovered(transaction)

    def abort_timed_out(self) -> None:
        queue: list[TxnId] = self.__dict__.get("_queue", [])
        waiting = [one for one in self.transactions() if one.txn in queue and not one.status.is_decided]
        later = {one.txn: replace(one, started_at=self._machine.clock.now) for one in waiting[1:]}
        kept = dict(self._transactions)
        self._transactions |= later
        super().abort_timed_out()
        self._transactions |= {txn: kept[txn] for txn in later}


@defect(
    {"PIP31-42": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="red team: a timer that changes a state which only requests write to the log",
)
class PulsarTimedOutIsOpenAfterACrash(LogCoordinator):
    """An abort by the timeout is in memory only: a coordinator that restarts treats the transaction as open, with a new timeout."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        now, found = self._machine.clock.now, super().recovered(transaction)
        is_timed_out = found.status.action is EndAction.ABORT and now - found.started_at > found.timeout_ms
        return replace(found, status=TxnStatus.OPEN, started_at=now) if is_timed_out else found


@defect(
    {"PIP31-40": seen("InvalidTxnStatus", expected="^success$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="red team: a transaction that is a resource of its connection, as a producer is",
)
class PulsarConnectionEndAborts(NodeKeys):
    """When a connection ends, the coordinator aborts the open transactions that began there, though their timeouts have not passed."""

    def __init__(self, *made_of: Any) -> None:
        super().__init__(*made_of)
        self._coordinators: dict[int, TransactionCoordinator] = {}
        self._begun: list[tuple[Mapping[tuple[bool, int], Claim], TxnId]] = []

    def start(self, coordinator: TransactionCoordinator, tc_id: int, *, scalable: bool) -> None:
        super().start(coordinator, tc_id, scalable=scalable)
        if not scalable:
            self._coordinators[tc_id] = coordinator

    def claim_at(self, claims: Mapping[tuple[bool, int], Claim], tc_id: int, *, scalable: bool) -> Claim | None:
        claim = super().claim_at(claims, tc_id, scalable=scalable)
        if claim is None and not scalable and tc_id in self._coordinators:
            self._begun.append((claims, TxnId(tc_id, self._coordinators[tc_id].last_sequence + 1)))
        return claim

    def forget(self, client: KeyConnection) -> None:
        super().forget(client)
        for txn in [txn for claims, txn in self._begun if isinstance(client, Peer) and claims is client.claims]:
            with contextlib.suppress(CommandRefused):  # it has ended, the other way
                self._coordinators[txn.tc_id].end(txn, EndAction.ABORT, lambda: None)


@defect(
    {"PIP31-39": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: a timer that waits for what it has begun",
)
class PulsarHeldAbortStopsTheTimer(LogCoordinator):
    """While an abort is incomplete, because one participant does not answer, the coordinator does not look for overdue transactions."""

    def abort_timed_out(self) -> None:
        if all(one.status is not TxnStatus.ABORTING for one in self._transactions.values()):
            super().abort_timed_out()
