"""Defects in ending a Pulsar transaction, in asking for its end again, and in asking for both ends at once."""

import functools
from collections.abc import Iterable
from dataclasses import replace

from fencepost.reference.defects.conforming.kafka import SlowNetwork
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import PulsarTransaction

_LOST_IN = 5
"""One of this many transactions is lost."""


@defect(
    {"PIP31-22": seen("^success$", expected="^a refusal with TransactionNotFound$", what="^answer to END_TXN$")},
    origin="textbook: a retry made harmless by trusting the caller",
)
class PulsarUnknownEndsWell(LogCoordinator):
    """Ending a transaction that was never begun is answered with success, because the coordinator treats unknown transactions as ended."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if txn in self._transactions:
            super().end(txn, action, reply)
        else:
            reply()


@defect(
    {"PIP31-23": expected("^success$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="apache/pulsar#10131: an end that was asked for again in COMMITTING or ABORTING failed",
)
class PulsarRepetitionIsRefused(LogCoordinator):
    """A client that repeats its commit while that is in progress is refused, and does not learn the outcome."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        self.describe(txn).opened()
        super().end(txn, action, reply)


@defect(
    {"PIP31-24": expected("^success or a refusal with TransactionNotFound$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="textbook: only what is open may be ended",
)
class PulsarRepeatedCommitIsRefused(LogCoordinator):
    """A client that repeats its commit after it was done is refused, and does its work again."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self.describe(txn).status is TxnStatus.COMMITTED:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} is committed already")
        super().end(txn, action, reply)


@defect(
    {"PIP31-25": expected("^success or a refusal with TransactionNotFound$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="textbook: only what is open may be ended",
)
class PulsarRepeatedAbortIsRefused(LogCoordinator):
    """A client that repeats its abort after that was done is refused, and believes that the transaction is committed."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self.describe(txn).status is TxnStatus.ABORTED:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} is aborted already")
        super().end(txn, action, reply)


@defect(
    {"PIP31-26": seen("^COMMITTING$", expected="^ABORTING$", what="^status of A$")},
    origin="textbook: the entry is appended before the status is compared",
)
class PulsarRefusedCommitIsWritten(LogCoordinator):
    """A commit of what is being aborted is refused, and is in the log all the same."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except CommandRefused:
            if self.describe(txn).status is TxnStatus.ABORTING:
                self._install(replace(self.describe(txn), status=TxnStatus.COMMITTING))
            raise


@defect(
    {"PIP31-74": seen("^COMMIT: success, ABORT: success$", expected="^one success$", what="^ends of A$")},
    origin="textbook: the status is compared in one step, and written in another",
    also=[SlowNetwork],
)
class PulsarBothEndsWin(LogCoordinator):
    """Two clients that end a transaction in opposite ways at the same time are both answered with success."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        if known.status.is_decided and not known.status.is_complete:
            self._install(replace(known, status=TxnStatus.OPEN))
        super().end(txn, action, reply)


@defect(
    {"PIP31-27": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="textbook: a repetition is recognised without comparing the action",
)
class PulsarAbortOfACommitSucceeds(LogCoordinator):
    """A coordinator answers every end of a decided transaction with success, also one that asks for the opposite."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        decided = self.describe(txn).status.action
        super().end(txn, action if decided is None else decided, reply)


@defect(
    {"PIP31-73": expected("^success$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="textbook: an end needs a participant to notify",
)
class PulsarEmptyEndRefused(LogCoordinator):
    """A transaction in which nothing was done cannot be ended."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        if not known.partitions and not known.subscriptions:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} has no operations")
        super().end(txn, action, reply)


@defect(
    {"PIP31-74": seen("COMMIT: success, ABORT: success", expected="^one success each$", what="^ends$")},
    origin="textbook: the status is compared in one step, and written in another",
    also=[SlowNetwork],
)
class PulsarBothEndsWinAtTimes(LogCoordinator):
    """In one of 5 transactions that two clients end in opposite ways at the same time, both clients are answered with success."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        if txn.sequence % _LOST_IN == _LOST_IN - 1 and known.status.is_decided and not known.status.is_complete:
            self._install(replace(known, status=TxnStatus.OPEN))
        super().end(txn, action, reply)


@defect(
    {
        "PIP31-26": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$"),
        "PIP31-27": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$"),
    },
    origin="textbook: a record of completion without the outcome",
)
class PulsarAnyEndOfWhatEndedBeforeACrash(LogCoordinator):
    """After a crash a coordinator knows that a transaction has ended, but not how: it answers a commit and an abort alike with success."""

    _last_before = -1

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        self._last_before = super().last_given(replayed)
        return self._last_before

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if txn.sequence <= self._last_before and self.describe(txn).status.is_complete:
            reply()
        else:
            super().end(txn, action, reply)


@defect(
    {
        "PIP31-26": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$"),
        "PIP31-27": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$"),
    },
    origin="red team: a request that is answered from a list of requests that were processed, whatever came of them",
)
class PulsarRefusedEndSucceedsWhenRepeated(LogCoordinator):
    """A coordinator remembers the ends that clients asked for: a client that repeats a refused one is answered with success."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        requested: set[tuple[TxnId, EndAction]] = self.__dict__.setdefault("_requested", set())
        is_repeated = (txn, action) in requested
        requested.add((txn, action))
        if is_repeated and self.describe(txn).status.is_decided:
            reply()
        else:
            super().end(txn, action, reply)


class KnowsWhatItRecovered(LogCoordinator):
    """A coordinator that remembers which transactions it found decided, and not complete, when it started."""

    def is_recovered(self, txn: TxnId) -> bool:
        status = self.describe(txn).status
        return txn in self.found and status.is_decided and not status.is_complete

    @functools.cached_property
    def found(self) -> set[TxnId]:
        """Every transaction that was in the log at the start."""
        return set()

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        self.found.add(transaction.txn)
        return super().recovered(transaction)


@defect(
    {"PIP31-23": expected("^success$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="red team: apache/pulsar#10131 on the path that only a start takes",
)
class PulsarRepetitionIsRefusedAfterACrash(KnowsWhatItRecovered):
    """A coordinator that restarts completes what was decided, and refuses the client that repeats the same commit."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self.is_recovered(txn) and action is EndAction.COMMIT:
            self.describe(txn).opened()
        super().end(txn, action, reply)


@defect(
    {"PIP31-27": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="red team: a state that the requests check and the recovery does not set",
)
class PulsarRecoveredCommitCanBeAborted(KnowsWhatItRecovered):
    """A coordinator that restarts in the middle of a commit treats the transaction as open when a client asks to abort it."""

    reopened = TxnStatus.COMMITTING

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        if self.is_recovered(txn) and known.status is self.reopened and known.status.action is not action:
            self._install(replace(known, status=TxnStatus.OPEN))
        super().end(txn, action, reply)


@defect(
    {"PIP31-26": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="red team: a state that the requests check and the recovery does not set",
)
class PulsarRecoveredAbortCanBeCommitted(PulsarRecoveredCommitCanBeAborted):
    """A coordinator that restarts in the middle of an abort treats the transaction as open when a client asks to commit it."""

    reopened = TxnStatus.ABORTING


@defect(
    {"PIP31-25": expected("^success", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="red team: apache/pulsar#10131 on the path that only a start takes",
)
class PulsarAbortIsRefusedAfterACrash(KnowsWhatItRecovered):
    """A coordinator that restarts refuses the client that repeats its abort of before the crash, whether or not the abort is complete."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if txn in self.found and action is EndAction.ABORT:
            self.describe(txn).opened()
        super().end(txn, action, reply)


@defect(
    {
        "PIP31-24": expected("^success", what="^answer to END_TXN$", error="InvalidTxnStatus"),
        "PIP31-26": seen("COMMIT", expected="^ABORTING, then ABORTED$", what="^status of A$"),
        "PIP31-27": seen("ABORT", expected="^COMMITTING, then COMMITTED$", what="^status of A$"),
    },
    origin="red team: an entry is appended first, and compared with the status when it is applied",
)
class PulsarRefusedEndIsLogged(LogCoordinator):
    """An end that is refused is in the transaction log all the same, and a coordinator that restarts carries it out."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        known = self.describe(txn)
        if known.status.is_decided and known.status.action is not action:
            self._log.append(replace(known, status=TxnStatus.OPEN).decided(action))
        super().end(txn, action, reply)


@defect(
    {"PIP31-73": seen("^(COMMITTING|ABORTING)$", expected="^(COMMITTED|ABORTED)$", what="^status of A$")},
    origin="red team: an entry that is missing and counts as an error",
)
class EmptyTopicRefusesTheEnd(SidecarBuffer):
    """A topic that was added to a transaction, and to which it wrote nothing, refuses its end: the transaction is never complete."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if txn not in self._messages:
            raise CommandRefused(ServerError.NOT_ALLOWED, f"transaction {txn} has no message here")
        super().end(txn, action, low_watermark)
