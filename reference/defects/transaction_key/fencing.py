"""Defects of the transaction key in what a connect does to the transaction before, and when it is answered."""

import functools
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.late_messages import KnowsOfNoEnd
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_key.claims import Claim, Client, Waiting
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord, Numbers
from fencepost.reference.pulsar.values import Action, Status, SubscriptionName, TxnId

from .pair import pair

_AS_CLIENTS_MS = 30_000
_NOT_OVER = Symptom(what="^answer to ACK$", expected="^success$", error="^TransactionConflict$")
_STILL_OPEN = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")


class _WaitsForTheTimeOut(TransactionKeys):
    def abort(self, txn: TxnId) -> None:
        """It has a time-out."""

    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:  # noqa: ARG002 - nothing is done to it
        return ()


class _AnswersAtOnce(TransactionKeys):
    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:  # noqa: ARG002 - whatever it is
        return ()


class _FencesOnce(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return () if record.fenced else super().predecessors(record)

    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return () if record.fenced else super().to_wait_for(record)


class _FencesOverdue(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return super().predecessors(record) if self._machine.clock.now > record.connectedAt else ()


class _CommitsThem(TransactionKeys):
    def abort(self, txn: TxnId) -> None:
        self._coordinator.end(txn, Action.COMMIT, lambda: None)


class _TakesDecidedForApplied(LogCoordinator):
    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn) or self.describe(txn).status.is_decided


class _TakesFinalForApplied(MetadataCoordinator):
    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn)


class _AsksSubscriptionsAlone(MetadataCoordinator):
    def is_applied(self, txn: TxnId) -> bool:
        names = self._records.participants(txn) if self.is_over(txn) else []
        return self.is_over(txn) and not any(self.is_loaded(one) for one in names if isinstance(one, SubscriptionName))


class _TellsAllButOne(Participants):
    def recipients(self, transaction: Transaction) -> list[Participant]:
        everybody = super().recipients(transaction)
        return everybody[:-1] if transaction.status.action is Action.ABORT and len(everybody) > 1 else everybody


class _TakesAbortsForOver(TransactionKeys):
    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        is_aborting = self._status(before.open_txn) in (Status.ABORTING, Status.ABORTED)
        return super().still_ending(before.model_copy(update={"open": None}) if is_aborting else before, txn)


class _WaitsForItsOwnFence(TransactionKeys):
    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        return tuple(numbers for numbers in super().still_ending(before, txn) if numbers not in before.fenced)


class _WaitsForHalfAMinute(TransactionKeys):
    @functools.cached_property
    def since(self) -> dict[Claim, int]:
        """Since when each of those who wait does."""
        return {}

    def when_over(self, waiting: Waiting) -> None:
        now = self._machine.clock.now
        if now - self.since.setdefault(waiting.claim, now) > _AS_CLIENTS_MS:
            waiting.go_on()
        else:
            super().when_over(waiting)


class _IsNotTold(Participation):
    @functools.cached_property
    def missed(self) -> set[TxnId]:
        """Those whose abort passed it by."""
        return set()

    def state_of(self, txn: TxnId) -> State:
        state, everybody = super().state_of(txn), self._records.participants(txn)
        if state is State.ABORTED and len(everybody) > 1 and everybody[0] == self._participant:
            self.missed.add(txn)
        return State.OPEN if txn in self.missed else state


class _ForgetsWhatItHasOpen(TransactionKeys):
    def forget(self, client: Client) -> None:
        for key in [key for key, one in self._clients.items() if one is client]:
            self._records[key] = self._records[key].model_copy(update={"open": None})
        super().forget(client)


WAITS_FOR_THE_TIME_OUT = pair(
    "waits-for-the-time-out",
    breaks={"TXKEY-05": _STILL_OPEN, "TXKEY-06": Symptom(what="^(readers of orders|received by workers)$")},
    story="A connect is answered, and what its predecessor has open is left to the time-out.",
    origin="every release of Apache Pulsar, which has no keys",
    transaction_keys=_WaitsForTheTimeOut,
)

FENCED_ONCE = pair(
    "fenced-once",
    breaks={"TXKEY-05": Symptom(what="^status of B$", expected="^ABORTED$", seen="^OPEN$")},
    story="A key fences its first predecessor, and none of those that come later.",
    origin="textbook: a flag that says that it was done",
    transaction_keys=_FencesOnce,
)

FENCED_IS_COMMITTED = pair(
    "fenced-is-committed",
    breaks={"TXKEY-05": Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(COMMITTED|.a1.)$")},
    story="What the predecessor has open is ended, as if it had asked for that: with a commit.",
    origin="textbook: the wrong one of two values",
    transaction_keys=_CommitsThem,
)


ANSWERS_AT_ONCE = pair(
    "answers-at-once",
    breaks={"TXKEY-06": _NOT_OVER, "TXKEY-25": _NOT_OVER},
    story="A connect is answered when the abort is decided, and topics and subscriptions hear of it later.",
    origin="the proposal's text, O9: it has no order",
    transaction_keys=_AnswersAtOnce,
)

_MISSES_ONE = Defect(
    name="key-abort-misses-one",
    breaks={"TXKEY-05": Symptom(what="^left for workers$", expected="i1")},
    story="An abort leaves out one of those who take part.",
    origin="textbook: a range that ends one too early",
    parts=Parts(participants=_TellsAllButOne, coordinator=KnowsOfNoEnd, transaction_keys=_AnswersAtOnce),
)

ABORT_MISSES_ONE = (
    _MISSES_ONE,
    replace(
        _MISSES_ONE,
        name="scalable-key-abort-misses-one",
        parts=MetadataParts(participation=_IsNotTold, transaction_keys=_AnswersAtOnce),
    ),
)

_DECIDED_IS_APPLIED = Defect(
    name="key-decided-is-applied",
    breaks={"TXKEY-06": _NOT_OVER, "TXKEY-14": _NOT_OVER, "TXKEY-25": _NOT_OVER},
    story="What is decided is taken for what is over: who waits for it is answered before those who take part have heard.",
    origin="a review of the suite, which saw it on slow networks alone; PIP-471 answers an end so",
    parts=Parts(coordinator=_TakesDecidedForApplied),
)

DECIDED_IS_APPLIED = (
    _DECIDED_IS_APPLIED,
    replace(
        _DECIDED_IS_APPLIED,
        name="scalable-key-decided-is-applied",
        parts=MetadataParts(metadata_coordinator=_TakesFinalForApplied),
    ),
)

ABORTS_TAKEN_FOR_OVER = pair(
    "aborts-taken-for-over",
    breaks={"TXKEY-06": _NOT_OVER},
    story="A connect waits for the aborts that it decides itself, and not for one that its predecessor, or a time-out, has decided before.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_TakesAbortsForOver,
)

ITS_OWN_FENCE_AWAITED = pair(
    "its-own-fence-awaited",
    breaks={"TXKEY-06": _NOT_OVER},
    story="A connect waits for the abort of what it fences itself, and not for what was fenced before and is being aborted still.",
    origin="a review of the suite, which looked there at commits alone; a task that is restarted twice, or whose key is deleted",
    transaction_keys=_WaitsForItsOwnFence,
)

# Segments ask by themselves how a transaction has ended, sooner than that.
HALF_A_MINUTE_WAITED = Defect(
    name="key-half-a-minute-waited",
    breaks={"TXKEY-06": _NOT_OVER},
    story="Who waits for an abort is answered after half a minute, as clients wait, whether everybody has applied it or not.",
    origin="a review of the suite: of a wait that is long it saw nothing",
    parts=Parts(transaction_keys=_WaitsForHalfAMinute),
)

TRANSACTION_GOES_WITH_ITS_CONNECTION = pair(
    "transaction-goes-with-its-connection",
    breaks={
        "TXKEY-05": Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$"),
        "TXKEY-27": Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$"),
    },
    story="What a key has open is known by its connection: where that is gone, nobody aborts it, and it is left to the time-out.",
    origin="a review of the suite, where predecessors still have their connections; in the motivation the task has terminated",
    transaction_keys=_ForgetsWhatItHasOpen,
)

SUBSCRIPTIONS_ALONE_AWAITED = Defect(
    name="scalable-key-subscriptions-alone-awaited",
    breaks={"TXKEY-06": Symptom(what="^last message for workers$", expected="^one$", seen="^none$")},
    story="Who connects is answered when all subscriptions have followed the abort, and its topics still hold up their readers.",
    origin="a review of the suite, which looked there at acknowledgements alone",
    parts=MetadataParts(metadata_coordinator=_AsksSubscriptionsAlone),
)
