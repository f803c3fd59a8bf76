"""Defects of the transaction key in connects that race with each other, or with an end."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.transaction_key.claims import KeyConnection
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic

from .pair import pair

_NOT_OVER = Symptom(what="^answer to ACK$", expected="^success$", error="^TransactionConflict$")
_COMMIT_EXPIRED = Symptom(what="^answer to END_TXN$", error="^InvalidTxnStatus$", seen="ExpiredTransaction")
_BOTH_STAY = Symptom(what="^connections$", expected="^the higher epoch alone$", seen="the other one open$")


@pair(
    {"TXKEY-24": seen("was given 0, .* was given 0$", expected="^epochs that differ$", what="^epochs$")},
    origin="textbook: read, and then write, without a lock",
)
class OneEpochInAMoment(TransactionKeys):
    """Two connects that come at the same time find the same epoch, and both count one up from there."""

    def next_epoch(self, record: KeyRecord | None) -> int:
        is_now = record is not None and record.connectedAt == self._machine.clock.now
        return record.epoch if record is not None and is_now else super().next_epoch(record)


@pair({"TXKEY-24": _BOTH_STAY}, origin="the proposal's text, O23")
class FirstOfTwoStaysToo(TransactionKeys):
    """If two clients connect at the same time, neither closes the other's connection, and both stay."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        record = self._records[key]
        if record.connectedAt == self._machine.clock.now:
            self._clients.pop(key, None)
        super().take_over(key, client)


@pair({"TXKEY-25": _NOT_OVER}, origin="a review of the reference, which did the same")
class NextConnectionWaitsAlone(TransactionKeys):
    """A connect waits for the transaction of the connection before it, and not for what that one was still waiting for."""

    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        return super().still_ending(before.model_copy(update={"ending": ()}), txn)


@pair({"TXKEY-25": _NOT_OVER}, origin="a review of the reference, which did the same")
class DeletionWaitsForNothing(TransactionKeys):
    """The next connection of a deleted key waits for nothing, although a commit of the key is in progress."""

    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        return () if before.deleted else super().still_ending(before, txn)


# A segment of a scalable topic reads decisions when it is loaded, so after a crash no connect there has anything to wait for.
@defect({"TXKEY-25": _NOT_OVER}, origin="a review of the suite, which did not look there")
class KeyWaitsForNothingAfterACrash(KeyTopic):
    """The coordinator keeps in memory which transactions of earlier connections are ending: after a crash a connect does not wait for
    them."""

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        return {key: record.model_copy(update={"ending": ()}) for key, record in super().load().items()}


@pair({"TXKEY-24": seen("the higher one is closed", what="^connections$")}, origin="textbook: a lock where the key is for fencing")
class FirstComeFirstServed(TransactionKeys):
    """The client that has the key keeps it, and the later connection is closed, although it was given an epoch."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        if (first := self._clients.get(key)) is None:
            super().take_over(key, client)
        else:
            client.send_away()
            self._clients[key] = first


class _AbortsWhateverItIs(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        fenced = super().predecessors(record)
        if record.open_txn is not None and not fenced:
            self.abort(record.open_txn)
        return fenced


@pair({"TXKEY-25": _COMMIT_EXPIRED}, origin="a review of the suite, which asked for a commit again only where the store had failed")
class CommittedIsFenced(TransactionKeys):
    """A committed transaction is fenced as well: a client that did not receive the answer learns that the transaction expired, and does
    its work twice."""

    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        is_committed = self._status(record.open_txn) is TxnStatus.COMMITTED
        return (record.open_txn,) if record.open_txn is not None and is_committed else super().predecessors(record)


# The metadata store decides a commit at once, so that nothing is COMMITTING there.
@defect({"TXKEY-25": _COMMIT_EXPIRED}, origin="a review of the suite, which asked for a commit again only where the store had failed")
class KeyCommittingIsFenced(TransactionKeys):
    """A transaction whose commit is in progress is fenced, and the commit goes on: its client learns that the transaction expired, and
    does its work twice."""

    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        is_committing = self._status(record.open_txn) is TxnStatus.COMMITTING
        return (record.open_txn,) if record.open_txn is not None and is_committing else super().predecessors(record)


@defect(
    {"TXKEY-25": seen("^(ABORTED|nothing)$", expected="^(COMMITTED|.a1.)$", what="^(status of A|readers of orders)$")},
    origin="the proposal's text, O8: it aborts the old transaction",
    also=[_AbortsWhateverItIs],
)
class KeyCommittingIsAborted(LogCoordinator):
    """The transaction of the predecessor is aborted in every state, also where its commit is decided."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        transaction = self.describe(txn)
        is_undone = action is EndAction.ABORT and transaction.status.action is EndAction.COMMIT
        if is_undone:
            self.decide(replace(transaction, status=TxnStatus.OPEN), action, reply)
        else:
            super().end(txn, action, reply)


@defect(
    {"TXKEY-25": seen("^(ABORTED|nothing)$", expected="^(COMMITTED|.a1.)$", what="^(status of A|readers of orders)$")},
    origin="the proposal's text, O8: it aborts the old transaction",
    also=[_AbortsWhateverItIs],
)
class ScalableKeyCommittingIsAborted(MetadataCoordinator):
    """The transaction of the predecessor is aborted in every state, also where its commit is decided."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        found = self._records.header(txn)
        if action is EndAction.ABORT and found is not None and found[0].state is HeaderState.COMMITTED:
            self._records.replace(txn, found[0].model_copy(update={"state": HeaderState.ABORTED}), found[1])
        super().decide(txn, action)


@pair(
    {"TXKEY-24": seen("^closed$", expected="^open$", what="^connection of task one$")},
    origin="red team: a previous connection that is closed without a check of its owner",
)
class SecondConnectEndsItsOwnConnection(TransactionKeys):
    """A client that connects a second time on its connection is taken for its own successor, and the connection is closed."""

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        is_its_own = self._clients.get(key) is client
        super().take_over(key, client)
        if is_its_own:
            client.send_away()
