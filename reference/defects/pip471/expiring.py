"""Defects of metadata-driven transactions in timeouts."""

import functools

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kernel.clock import FIRST_NODE
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId

from .crashing import KnowsWhatItBegan

_MS_IN_A_SECOND = 1_000


@defect({"PIP471-43": seen("not even the sentinel", expected='^"b1"$', what="^readers of orders$")}, origin="the proposal's text, Q1")
class MetadataTimeOutIsAMoment(MetadataCoordinator):
    """The header has the end of the timeout where its duration is expected, so that the deadline is never reached."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(self._machine.clock.now + timeout_ms)


@defect(
    {"PIP471-43": seen("InvalidTxnStatus", expected="^one success each$", what="^ends$")},
    origin="feared: the protocol calls the field `txn_ttl_seconds`, and it contains milliseconds",
)
class MetadataTimeOutInWholeSeconds(MetadataCoordinator):
    """A timeout is cut down to whole seconds: a transaction is aborted up to a second before its client must have ended it."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms // _MS_IN_A_SECOND * _MS_IN_A_SECOND)


@defect(
    {"PIP471-44": seen('^"1", .*"10"$', expected='^"1", .*"12", since', what="^messages of orders$")},
    origin="apache/pulsar#14370: a timeout that raced with a client's end",
)
class MetadataLateCommitAgreed(MetadataCoordinator):
    """A commit that finds the transaction timed out is answered with success, since it is over."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        found = self._records.header(txn)
        if found and found[0].state is HeaderState.ABORTED and (found[0].finalizedAt or 0) > found[0].deadline:
            reply()
        else:
            super().end(txn, action, reply)


@defect(
    {"PIP471-43": seen("not even the sentinel", expected='^"p1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: one sweep for all, written as one of many",
)
class MetadataOnlyItsOwnTimeOuts(MetadataCoordinator):
    """The sweep runs at the first coordinator, and leaves out transactions that other coordinators have begun, as if each swept its own."""

    def abort_timed_out(self) -> None:
        for txn in self._records.overdue(self._machine.clock.now):
            if txn.tc_id == self.tc_id:
                self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen("not even the sentinel", expected='^"p1"$', what="^readers of orders$")},
    origin="textbook: work that is taken off the list before it is done",
)
class MetadataTimeOutTriedOnce(MetadataCoordinator):
    """The sweep tries once to abort an overdue transaction: where the store does not answer then, it stays open for ever."""

    @functools.cached_property
    def tried(self) -> set[TxnId]:
        """What this coordinator has found past its deadline since it started."""
        return set()

    def abort_timed_out(self) -> None:
        for txn in self._records.overdue(self._machine.clock.now):
            if txn not in self.tried:
                self.tried.add(txn)
                self.decide(txn, EndAction.ABORT)


class _CollectsAtTheFirst(Collection):
    def collect(self, txn: TxnId, state: HeaderState) -> None:
        if self._machine.node == FIRST_NODE:
            super().collect(txn, state)


@defect(
    {
        "PIP471-43": seen("not even the sentinel", expected='^"p1"$', what="^readers of orders$"),
        "PIP471-38": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$"),
    },
    origin="feared by readers of the proposal: a takeover that has nothing to replay, and forgets that a transaction had a timer",
    also=[_CollectsAtTheFirst],
)
class MetadataSweptByOneBroker(MetadataCoordinator):
    """One broker is chosen to look for overdue and finished transactions, and stays chosen when it is gone: the coordinator continues at
    another broker and answers, and nothing times out and nothing is collected any more.
    """

    def abort_timed_out(self) -> None:
        if self._machine.node == FIRST_NODE:
            super().abort_timed_out()


@defect(
    {"PIP471-43": seen("not even the sentinel", expected='^"b1"$', what="^readers of orders$")},
    origin="red team: a query that goes on from where the last one ended",
)
class MetadataDeadlinePassedWhileDown(MetadataCoordinator):
    """A coordinator looks for deadlines from its start on: a transaction whose timeout passed while it was down is open for ever."""

    def abort_timed_out(self) -> None:
        started = self.__dict__.setdefault("_started", self._machine.clock.now)
        for txn in self._records.overdue(self._machine.clock.now):
            header, _ = self._header(txn)
            if header.deadline >= started:
                self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen("^(ABORTED|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="textbook: the end of a timeout that overflows",
)
class MetadataTimeoutOverflows(MetadataCoordinator):
    """A transaction with the longest possible timeout has an end that no number of 64 bits can have, and the next sweep aborts it."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms if self._machine.clock.now + timeout_ms < 2**63 else 0)


@defect(
    {"PIP471-43": seen("not even the sentinel", expected='^"p1"$', what="^readers of orders$")},
    origin="red team: a query for one result that continues after all that it has found",
)
class MetadataOneTimeOutOfASweep(MetadataCoordinator):
    """If several transactions are past their deadline when a coordinator looks, it aborts the first one, and treats the others as done."""

    @functools.cached_property
    def passed(self) -> set[TxnId]:
        """What it has found in an earlier sweep, or aborted."""
        return set()

    def abort_timed_out(self) -> None:
        found = [txn for txn in self._records.overdue(self._machine.clock.now) if txn not in self.passed]
        self.passed.update(found)
        for txn in found[:1]:
            self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen("^ABORTED$", expected="^OPEN$", what="^status of A$")},
    origin="feared: a timer that knows only what was begun since the start",
)
class MetadataOfAFormerLifeExpire(KnowsWhatItBegan):
    """The timer of a coordinator aborts the open transactions that were begun before its last start, whatever time they have left."""

    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for txn, header in self._records.all_headers().items():
            if header.state is HeaderState.OPEN and txn.tc_id == self.tc_id and txn not in self.begun:
                self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen("^OPEN$", expected="^not OPEN$", what="^status of A when C had timed out$")},
    origin="red team: a timer that is set when a coordinator finds a transaction, and counts from then on",
)
class MetadataTimeoutRestarted(MetadataCoordinator):
    """With each start of the coordinator the timeout of an open transaction begins again."""

    def abort_timed_out(self) -> None:
        started = self.__dict__.setdefault("_started", self._machine.clock.now)
        for txn in self._records.overdue(self._machine.clock.now):
            header, _ = self._header(txn)
            if self._machine.clock.now >= max(header.createdAt, started) + header.timeout:
                self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: one timer, which is set for the nearest deadline that a start finds",
)
class MetadataOneTimeoutRecovered(KnowsWhatItBegan):
    """A coordinator that starts watches the open transaction that times out first, and no other that was begun before."""

    def abort_timed_out(self) -> None:
        if "_watched" not in self.__dict__:
            still_open = {txn: header.deadline for txn, header in self._records.all_headers().items() if header.state is HeaderState.OPEN}
            self._watched = min(still_open, key=lambda txn: (still_open[txn], txn), default=None)
        for txn in self._records.overdue(self._machine.clock.now):
            if txn in self.begun or txn == self._watched:
                self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen("^success", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="red team: a sweep that asks who has to be notified before it decides",
)
class MetadataIdleNeverTimesOut(MetadataCoordinator):
    """The sweep omits transactions without operation records, which no participant waits for: their clients may commit long after it."""

    def abort_timed_out(self) -> None:
        idle = {txn for txn in self._records.overdue(self._machine.clock.now) if not self._records.participants(txn)}
        for txn in self._records.overdue(self._machine.clock.now):
            if txn not in idle:
                self.decide(txn, EndAction.ABORT)


@defect(
    {"PIP471-43": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="red team: a sweep for the readers that an open transaction blocks",
)
class MetadataAcknowledgedNeverTimesOut(MetadataCoordinator):
    """The sweep omits transactions that have only acknowledged, since they block no reader: what they acknowledged is never redelivered."""

    def abort_timed_out(self) -> None:
        for txn in self._records.overdue(self._machine.clock.now):
            participants = self._records.participants(txn)
            if not participants or any(isinstance(one, str) for one in participants):
                self.decide(txn, EndAction.ABORT)
