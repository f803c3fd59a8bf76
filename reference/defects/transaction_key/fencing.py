"""Defects of the transaction key in what a connect does to the transaction before, and when it is answered."""

import functools
from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.late_messages import KnowsOfNoEnd
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection, WaitingConnect
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers

from .pair import pair

_AS_CLIENTS_MS = 30_000
_NOT_OVER = Symptom(what="^answer to ACK$", expected="^success$", error="^TransactionConflict$")
_STILL_OPEN = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")


@pair(
    {"TXKEY-05": _STILL_OPEN, "TXKEY-06": Symptom(what="^(readers of orders|received by workers)$")},
    origin="every release of Apache Pulsar, which has no keys",
)
class WaitsForTheTimeOut(TransactionKeys):
    """A connect is answered, and what its predecessor has open is left to the timeout."""

    def abort(self, txn: TxnId) -> None:
        """It has a timeout."""

    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:  # noqa: ARG002 - nothing is done to it
        return ()


class _AnswersAtOnce(TransactionKeys):
    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:  # noqa: ARG002 - whatever it is
        return ()


@pair({"TXKEY-05": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")}, origin="textbook: a flag that says that it was done")
class FencedOnce(TransactionKeys):
    """A key fences its first predecessor, and none of those that come later."""

    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return () if record.fenced else super().predecessors(record)

    def to_wait_for(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return () if record.fenced else super().to_wait_for(record)


@pair(
    {"TXKEY-05": seen("^(COMMITTED|.a1.)$", expected="^(ABORTED|nothing)$", what="^(status of A|readers of orders)$")},
    origin="textbook: the wrong one of two values",
)
class FencedIsCommitted(TransactionKeys):
    """The predecessor's open transaction is ended as if the predecessor had asked for that: with a commit."""

    def abort(self, txn: TxnId) -> None:
        self._coordinator.end(txn, EndAction.COMMIT, lambda: None)


@defect(
    {"TXKEY-06": _NOT_OVER, "TXKEY-14": _NOT_OVER, "TXKEY-25": _NOT_OVER},
    origin="a review of the suite, which saw it on slow networks alone; PIP-471 answers an end in this way",
)
class KeyDecidedIsApplied(LogCoordinator):
    """A decided end counts as applied: the waiting connect is answered before the participants have learned of the end."""

    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn) or self.describe(txn).status.is_decided


@defect(
    {"TXKEY-06": _NOT_OVER, "TXKEY-14": _NOT_OVER, "TXKEY-25": _NOT_OVER},
    origin="a review of the suite, which saw it on slow networks alone; PIP-471 answers an end in this way",
)
class ScalableKeyDecidedIsApplied(MetadataCoordinator):
    """A decided end counts as applied: the waiting connect is answered before the participants have learned of the end."""

    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn)


@defect({"TXKEY-06": _NOT_OVER}, origin="found by a mutant: the first of several participants speaks for all")
class ScalableKeyTheFirstParticipantAwaited(MetadataCoordinator):
    """A connect is answered when the participant that the old transaction used first has applied the abort, or is not loaded."""

    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn) and not any(self.is_loaded(one) for one in self._records.participants(txn)[:1])


@defect(
    {"TXKEY-06": seen("^none$", expected="^one$", what="^last message for workers$")},
    origin="a review of the suite, which looked there at acknowledgements alone",
)
class ScalableKeySubscriptionsAloneAwaited(MetadataCoordinator):
    """A connect is answered when all subscriptions have applied the abort, while topics still withhold messages from their readers."""

    def is_applied(self, txn: TxnId) -> bool:
        names = self._records.participants(txn) if self.is_over(txn) else []
        return self.is_over(txn) and not any(self.is_loaded(one) for one in names if isinstance(one, SubscriptionName))


@defect(
    {"TXKEY-05": expected("i1", what="^left for workers$")},
    origin="textbook: a range that ends one too early",
    also=[KnowsOfNoEnd, _AnswersAtOnce],
)
class KeyAbortMissesOne(Participants):
    """An abort leaves out one of those who take part."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        everybody = super().recipients(transaction)
        return everybody[:-1] if transaction.status.action is EndAction.ABORT and len(everybody) > 1 else everybody


_SECOND_SUBSCRIPTION = seen("^(nothing|TransactionConflict)", expected='^("i1"|success)', what="packers|answer to ACK")


@defect(
    {"TXKEY-06": _SECOND_SUBSCRIPTION},
    origin="red team: the last of several subscriptions",
    also=[KnowsOfNoEnd, _AnswersAtOnce],
)
class KeyAbortReachesOneSubscription(Participants):
    """An abort reaches all topics of a transaction, and the first of its subscriptions."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        participants = super().recipients(transaction)
        left_out = [one for one in participants if isinstance(one, SubscriptionName)][1:]
        return [one for one in participants if one not in left_out] if transaction.status.action is EndAction.ABORT else participants


@pair({"TXKEY-06": _NOT_OVER}, origin="a review of the suite, which did not look there")
class AbortsTakenForOver(TransactionKeys):
    """A connect waits for the aborts that it decides itself, and not for one that its predecessor, or a timeout, has decided before."""

    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        is_aborting = self._status(before.open_txn) in (TxnStatus.ABORTING, TxnStatus.ABORTED)
        return super().still_ending(before.model_copy(update={"open": None}) if is_aborting else before, txn)


@pair(
    {"TXKEY-06": _NOT_OVER},
    origin="a review of the suite, which looked there at commits alone; a task that is restarted twice, or whose key is deleted",
)
class ItsOwnFenceAwaited(TransactionKeys):
    """A connect waits for the abort of what it fences itself, and not for what was fenced before and is still being aborted."""

    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        return tuple(numbers for numbers in super().still_ending(before, txn) if numbers not in before.fenced)


# Segments ask by themselves how a transaction has ended, sooner than that.
@defect({"TXKEY-06": _NOT_OVER}, origin="a review of the suite: of a wait that is long it saw nothing")
class KeyHalfAMinuteWaited(TransactionKeys):
    """A connect that waits for an abort is answered after half a minute, the timeout of clients, whether all participants have applied
    it or not."""

    @functools.cached_property
    def since(self) -> dict[Claim, int]:
        """Since when each waiting connect waits."""
        return {}

    def when_over(self, waiting: WaitingConnect) -> None:
        now = self._machine.clock.now
        if now - self.since.setdefault(waiting.claim, now) > _AS_CLIENTS_MS:
            waiting.go_on()
        else:
            super().when_over(waiting)


@defect({"TXKEY-05": expected("i1", what="^left for workers$")}, origin="textbook: a range that ends one too early", also=[_AnswersAtOnce])
class ScalableKeyAbortMissesOne(Participation):
    """An abort leaves out one of those who take part."""

    @functools.cached_property
    def missed(self) -> set[TxnId]:
        """The transactions whose abort the first participant missed."""
        return set()

    def state_of(self, txn: TxnId) -> HeaderState:
        state, everybody = super().state_of(txn), self._records.participants(txn)
        if state is HeaderState.ABORTED and len(everybody) > 1 and everybody[0] == self._participant:
            self.missed.add(txn)
        return HeaderState.OPEN if txn in self.missed else state


@pair(
    {
        "TXKEY-05": seen("^OPEN$", expected="^ABORTED$", what="^status of A$"),
        "TXKEY-27": seen("^OPEN$", expected="^ABORTED$", what="^status of A$"),
    },
    origin="a review of the suite, where predecessors still have their connections; in the motivation the task has terminated",
)
class TransactionGoesWithItsConnection(TransactionKeys):
    """The coordinator finds a key's open transaction by its connection: when the connection is gone, no connect aborts the transaction,
    and it stays open until its timeout."""

    def forget(self, client: KeyConnection) -> None:
        for key in [key for key, one in self._clients.items() if one is client]:
            self._records[key] = self._records[key].model_copy(update={"open": None})
        super().forget(client)


@pair({"TXKEY-06": _NOT_OVER, "TXKEY-25": _NOT_OVER}, origin="the proposal's text, O9: it has no order")
class AnswersAtOnce(_AnswersAtOnce):
    """A connect is answered when the abort is decided, and topics and subscriptions learn of it later."""


@pair(
    {"TXKEY-05": seen("^OPEN$", expected="^ABORTED$", what="^status of A$")},
    origin="red team: a refusal that ends the old connection before the check",
)
class NotStoredForgetsTheTransaction(TransactionKeys):
    """A coordinator that cannot store a connect forgets the open transaction of the key: the next connect does not abort it."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        try:
            super().persist(key, epoch, fenced, txn)
        except CommandRefused:
            if (record := self._records.get(key)) is not None:
                self._records[key] = record.model_copy(update={"open": None})
            raise
