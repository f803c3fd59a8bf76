"""Defects in what survives a crash."""

from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog

from .defect import Defect


class _AnswersBeforeItWrites(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.state not in PREPARED


DECISION_FORGOTTEN_BY_CRASH = Defect(
    name="decision-forgotten-by-crash",
    breaks="KIP890-160",
    story="A decision is answered before it is in the transaction log, so a crash undoes what the producer was promised.",
    origin="textbook: acknowledging before writing",
    symptom=r"last stable offset \d+, high watermark \d+; transaction of A: Ongoing",
    parts=Parts(transaction_log=_AnswersBeforeItWrites),
)
