"""Defects of the transaction key in its metrics."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.transaction_key.claims import Claim, Measured
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.values import TxnId

from .pair import pair

_AGE = Symptom(what='^age of key "payments"$', expected="^between", seen="^0 ms$")


class _MeasuresTheDeleted(TransactionKeys):
    def measured(self) -> tuple[Measured, ...]:
        return tuple(Measured(key, record.epoch, self._machine.clock.now - record.connectedAt) for key, record in self._records.items())


class _MeasuresTheEpochBefore(TransactionKeys):
    def measured(self) -> tuple[Measured, ...]:
        return tuple(replace(one, epoch=max(one.epoch - 1, 0)) for one in super().measured())


class _MeasuresOwnersAsOne(TransactionKeys):
    def measured(self) -> tuple[Measured, ...]:
        by_name = {one.key.name: one for one in super().measured()}
        return tuple(replace(one, key=TransactionKey("", name)) for name, one in by_name.items())


class _NeverAges(TransactionKeys):
    def age_ms(self, key: TransactionKey) -> int:
        return super().age_ms(key) * 0


class _AgesFromTheLoad(TransactionKeys):
    def recover(self) -> None:
        super().recover()
        now = self._machine.clock.now
        self._records = {key: record.model_copy(update={"connectedAt": now}) for key, record in self._records.items()}


class _AgesFromTheLastTransaction(TransactionKeys):
    def begun(self, claim: Claim, timeout_ms: int) -> TxnId:
        txn = super().begun(claim, timeout_ms)
        self._store(self.known(claim.key).model_copy(update={"connectedAt": self._machine.clock.now}))
        return txn


class _AgesFromTheFirst(TransactionKeys):
    def age_ms(self, key: TransactionKey) -> int:
        ages = [self._machine.clock.now - record.connectedAt for record in self._records.values()]
        return max(super().age_ms(key), *ages)


DELETED_ARE_MEASURED = pair(
    "deleted-are-measured",
    breaks={"TXKEY-31": Symptom(what="^metrics$", expected="^[^,]*refunds of", seen="payments")},
    story="Keys that were deleted are counted with those that are there.",
    origin="textbook: a gauge that only grows",
    transaction_keys=_MeasuresTheDeleted,
)

EPOCH_BEFORE_MEASURED = pair(
    "epoch-before-measured",
    breaks={"TXKEY-31": Symptom(what="^metrics$", expected="payments of nobody at 1", seen="payments of nobody at 0")},
    story="The metrics have the epoch before the latest, so that a key looks as if nobody had been fenced.",
    origin="textbook: a value that is read before it is counted up",
    transaction_keys=_MeasuresTheEpochBefore,
)

OWNERS_MEASURED_AS_ONE = pair(
    "owners-measured-as-one",
    breaks={"TXKEY-31": Symptom(what="^metrics$", expected="of alice", seen="of nobody")},
    story="The metrics have no owners, and the keys of two are one.",
    origin="the proposal's text: a label for the key alone",
    transaction_keys=_MeasuresOwnersAsOne,
)

AGE_NEVER_GROWS = pair(
    "age-never-grows",
    breaks={"TXKEY-31": _AGE},
    story="The age of a key is always 0, and an idle one cannot be told from one that is used.",
    origin="textbook: a moment that is taken when it is asked for",
    transaction_keys=_NeverAges,
)

AGE_FROM_THE_LOAD = pair(
    "age-from-the-load",
    breaks={"TXKEY-31": _AGE},
    story="Behind a crash every key is as old as its coordinator.",
    origin="textbook: a moment that is in memory alone",
    transaction_keys=_AgesFromTheLoad,
)

AGE_FROM_THE_LAST_TRANSACTION = pair(
    "age-from-the-last-transaction",
    breaks={"TXKEY-31": _AGE},
    story="Each record of a key says that it was connected with now, also that of a transaction which it begins.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_AgesFromTheLastTransaction,
)

AGE_OF_THE_OLDEST = Defect(
    name="key-age-of-the-oldest",
    breaks={"TXKEY-31": Symptom(what='^age of key "refunds"$', expected="^between")},
    story="Every key has the age of the oldest one of its coordinator.",
    origin="textbook: a minimum where a value of each is due",
    parts=Parts(transaction_keys=_AgesFromTheFirst),
)
