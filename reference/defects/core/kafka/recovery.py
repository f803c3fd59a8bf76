"""Defects of the Kafka reference in what survives a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import recovery
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog


class _ForgetsTheOpen(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.state is not State.ONGOING


class _CommitsWhatItFinds(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, state=State.PREPARE_COMMIT) if found.state is State.PREPARE_ABORT else found


class _AbortsTheOpenItFinds(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, state=State.PREPARE_ABORT) if found.state is State.ONGOING else found


class _TellsTheFirstOfThoseItFinds(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, partitions=frozenset(sorted(found.partitions)[:1])) if found.state in PREPARED else found


OPEN_FORGOTTEN_BY_CRASH = Defect(
    name="core-kafka-open-forgotten-by-crash",
    breaks={"CORE-24": Symptom(expected='^"a1", "a2"$', seen="^nothing")},
    story="Only decisions are in the transaction log, so a crash takes every open transaction from its writer.",
    origin="textbook: what is not decided held for not worth keeping",
    parts=Parts(transaction_log=_ForgetsTheOpen),
)


COMMIT_FORGOTTEN_BY_CRASH = Defect(
    name="core-kafka-commit-forgotten-by-crash",
    breaks={"CORE-25": Symptom(expected='^"a1"$', seen="^nothing")},
    story=recovery.DECISION_FORGOTTEN_BY_CRASH.story,
    origin=recovery.DECISION_FORGOTTEN_BY_CRASH.origin,
    parts=recovery.DECISION_FORGOTTEN_BY_CRASH.parts,
)


ABORT_COMMITTED_BY_CRASH = Defect(
    name="core-kafka-abort-committed-by-crash",
    breaks={"CORE-26": Symptom(seen='^"a1"$')},
    story="A coordinator that starts commits whatever it finds decided, an abort too.",
    origin="textbook: recovery that was only tried with commits",
    parts=Parts(coordinator=_CommitsWhatItFinds),
)


OPEN_ABORTED_BY_CRASH = Defect(
    name="core-kafka-open-aborted-by-crash",
    breaks={"CORE-27": Symptom(what="answer", expected="success", error=".")},
    story="A coordinator that starts aborts whatever it finds open, as if its writer had gone with the crash.",
    origin="textbook: recovery of a database whose sessions end with it",
    parts=Parts(coordinator=_AbortsTheOpenItFinds),
)


FIRST_TOLD_AFTER_CRASH = Defect(
    name="core-kafka-first-told-after-crash",
    breaks={"CORE-28": Symptom(what="readers of payments", expected='^"a2"$', seen="^nothing")},
    story="A coordinator that starts tells what it finds decided to the first of those who took part, and takes it for complete.",
    origin="textbook: recovery that was only tried with one participant",
    parts=Parts(coordinator=_TellsTheFirstOfThoseItFinds),
)


class _LogsTheFirstOnly(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        known = self.replay().get(transaction.transactional_id)
        goes_on = known is not None and known.state is transaction.state is State.ONGOING
        return super().must_be_durable(transaction) and not goes_on


SECOND_LOG_FORGOTTEN_BY_CRASH = Defect(
    name="core-kafka-second-log-forgotten-by-crash",
    breaks={"CORE-24": Symptom(what="readers of payments", expected='^"a2"$', seen="^nothing")},
    story="What a transaction begins with is in the transaction log, what it goes on with is not. After a crash the rest stays undecided.",
    origin="textbook: a state that is stored when it changes its name",
    parts=Parts(transaction_log=_LogsTheFirstOnly),
)
