"""Defects of the transaction key in connects that race with each other, or with an end."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction_key.claims import Client
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord, Numbers
from fencepost.reference.pulsar.values import Action, Status, TxnId

from .pair import pair

_NOT_OVER = Symptom(what="^answer to ACK$", expected="^success$", error="^TransactionConflict$")
_COMMIT_EXPIRED = Symptom(what="^answer to END_TXN$", error="^InvalidTxnStatus$", seen="ExpiredTransaction")
_BOTH_STAY = Symptom(what="^connections$", expected="^the higher epoch alone$", seen="the other one open$")


class _GivesOneEpochInAMoment(TransactionKeys):
    def next_epoch(self, record: KeyRecord | None) -> int:
        is_now = record is not None and record.connectedAt == self._machine.clock.now
        return record.epoch if record is not None and is_now else super().next_epoch(record)


class _LeavesTheFirstOpen(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
        record = self._records[key]
        if record.connectedAt == self._machine.clock.now:
            self._clients.pop(key, None)
        super().take_over(key, client)


class _ForgetsWhatWasThereBefore(TransactionKeys):
    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        return super().still_ending(before.model_copy(update={"ending": ()}), txn)


class _DeletesWhatIsEnding(TransactionKeys):
    def still_ending(self, before: KeyRecord, txn: Numbers | None) -> tuple[Numbers, ...]:
        return () if before.deleted else super().still_ending(before, txn)


class _KeepsWhatIsEndingInMemory(KeyTopic):
    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        return {key: record.model_copy(update={"ending": ()}) for key, record in super().load().items()}


class _FirstComeFirstServed(TransactionKeys):
    def take_over(self, key: TransactionKey, client: Client) -> None:
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


class _FencesTheCommitted(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        is_committed = self._status(record.open_txn) is Status.COMMITTED
        return (record.open_txn,) if record.open_txn is not None and is_committed else super().predecessors(record)


class _FencesTheCommitting(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        is_committing = self._status(record.open_txn) is Status.COMMITTING
        return (record.open_txn,) if record.open_txn is not None and is_committing else super().predecessors(record)


class _AbortsTheDecided(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        transaction = self.describe(txn)
        is_undone = action is Action.ABORT and transaction.status.action is Action.COMMIT
        if is_undone:
            self.decide(replace(transaction, status=Status.OPEN), action, reply)
        else:
            super().end(txn, action, reply)


class _AbortsTheFinal(MetadataCoordinator):
    def decide(self, txn: TxnId, action: Action) -> None:
        found = self._records.header(txn)
        if action is Action.ABORT and found is not None and found[0].state is State.COMMITTED:
            self._records.replace(txn, found[0].model_copy(update={"state": State.ABORTED}), found[1])
        super().decide(txn, action)


ONE_EPOCH_IN_A_MOMENT = pair(
    "one-epoch-in-a-moment",
    breaks={"TXKEY-24": Symptom(what="^epochs$", expected="^epochs that differ$", seen="was given 0, .* was given 0$")},
    story="Two connects that come at the same time find the same epoch, and both count one up from there.",
    origin="textbook: read, and then write, without a lock",
    transaction_keys=_GivesOneEpochInAMoment,
)

NEXT_CONNECTION_WAITS_ALONE = pair(
    "next-connection-waits-alone",
    breaks={"TXKEY-25": _NOT_OVER},
    story="A connect waits for the transaction of the connection before it, and not for what that one was still waiting for.",
    origin="a review of the reference, which had it so",
    transaction_keys=_ForgetsWhatWasThereBefore,
)

DELETION_WAITS_FOR_NOTHING = pair(
    "deletion-waits-for-nothing",
    breaks={"TXKEY-25": _NOT_OVER},
    story="A key that was deleted has nothing that its next connection would wait for, though its commit is under way.",
    origin="a review of the reference, which had it so",
    transaction_keys=_DeletesWhatIsEnding,
)

# A segment of a scalable topic reads what was decided when it is loaded, so behind a crash nobody there has anything to wait for.
WAITS_FOR_NOTHING_AFTER_A_CRASH = Defect(
    name="key-waits-for-nothing-after-a-crash",
    breaks={"TXKEY-25": _NOT_OVER},
    story="What the connections before had under way is in memory alone: behind a crash a connect does not wait for it.",
    origin="a review of the suite, which did not look there",
    parts=Parts(key_topic=_KeepsWhatIsEndingInMemory),
)

FIRST_OF_TWO_STAYS_TOO = pair(
    "first-of-two-stays-too",
    breaks={"TXKEY-24": _BOTH_STAY},
    story="Of two connects at the same time neither finds the other's connection, and both stay.",
    origin="the proposal's text, O23",
    transaction_keys=_LeavesTheFirstOpen,
)

FIRST_COME_FIRST_SERVED = pair(
    "first-come-first-served",
    breaks={"TXKEY-24": Symptom(what="^connections$", seen="the higher one is closed")},
    story="Whoever has the key keeps it, and the later connection is closed, with an epoch that it was given.",
    origin="textbook: a lock where the key is for fencing",
    transaction_keys=_FirstComeFirstServed,
)

_IS_ABORTED = Defect(
    name="key-committing-is-aborted",
    breaks={"TXKEY-25": Symptom(what="^(status of A|readers of orders)$", expected="^(COMMITTED|.a1.)$", seen="^(ABORTED|nothing)$")},
    story="The transaction of the predecessor is aborted, whatever it is at, also where its commit is decided.",
    origin="the proposal's text, O8: it aborts the old transaction",
    parts=Parts(transaction_keys=_AbortsWhateverItIs, coordinator=_AbortsTheDecided),
)

COMMITTING_IS_ABORTED = (
    _IS_ABORTED,
    replace(
        _IS_ABORTED,
        name="scalable-key-committing-is-aborted",
        parts=MetadataParts(transaction_keys=_AbortsWhateverItIs, metadata_coordinator=_AbortsTheFinal),
    ),
)

COMMITTED_IS_FENCED = pair(
    "committed-is-fenced",
    breaks={"TXKEY-25": _COMMIT_EXPIRED},
    story="What was committed is fenced as well: a client that did not hear the answer is told that it expired, and does its work twice.",
    origin="a review of the suite, which asked for a commit again only where the store had failed",
    transaction_keys=_FencesTheCommitted,
)

# The metadata store decides a commit at once, so that nothing is COMMITTING there.
COMMITTING_IS_FENCED = Defect(
    name="key-committing-is-fenced",
    breaks={"TXKEY-25": _COMMIT_EXPIRED},
    story="What is being committed is fenced, and goes on: its client is told that it expired, and does its work twice.",
    origin="a review of the suite, which asked for a commit again only where the store had failed",
    parts=Parts(transaction_keys=_FencesTheCommitting),
)
