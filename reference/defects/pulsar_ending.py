"""Defects in ending a Pulsar transaction."""

from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Coordinator, Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.values import Action, Status, TxnId

from .defect import Defect


class _ForgetsTheCommitted(Coordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self._known(txn).status is Status.COMMITTED:
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"coordinator {self.tc_id} does not know transaction {txn}")
        super().end(txn, action, reply)


PULSAR_COMMITTED_IS_FORGOTTEN = Defect(
    name="pulsar-committed-is-forgotten",
    breaks="PIP31-24",
    story="A client that repeats its commit after it was done is told that there is no such transaction.",
    origin="every Pulsar 4 release, which removes the metadata at the end",
    symptom="what was asked is done; seen TransactionNotFound",
    parts=Parts(coordinator=_ForgetsTheCommitted),
)


class _AgreesToEverything(Coordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        decided = self._known(txn).status.action
        super().end(txn, action if decided is None else decided, reply)


PULSAR_ABORT_OF_A_COMMIT_SUCCEEDS = Defect(
    name="pulsar-abort-of-a-commit-succeeds",
    breaks="PIP31-27",
    story="Whoever asks for the end of a decided transaction is told that it succeeded, also who asked for the opposite.",
    origin="textbook: a repetition is recognised without comparing the action",
    symptom="a refusal; seen",
    parts=Parts(coordinator=_AgreesToEverything),
)


class _WantsOperations(Coordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        known = self._known(txn)
        if not known.partitions and not known.subscriptions:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} has no operations")
        super().end(txn, action, reply)


PULSAR_EMPTY_END_REFUSED = Defect(
    name="pulsar-empty-end-refused",
    breaks="PIP31-73",
    story="A transaction in which nothing was done cannot be ended.",
    origin="textbook: an end needs somebody to tell",
    symptom="what was asked is done; seen InvalidTxnStatus",
    parts=Parts(coordinator=_WantsOperations),
)
