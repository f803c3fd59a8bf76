"""Defects of the transaction key in its metrics."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.transaction_key.claims import Claim, Measured
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey

from .pair import pair

_AGE = Symptom(what='^age of key "payments"$', expected="^between", seen="^0 ms$")


@pair({"TXKEY-31": seen("payments", expected="^[^,]*refunds of", what="^metrics$")}, origin="textbook: a gauge that only grows")
class DeletedAreMeasured(TransactionKeys):
    """Keys that were deleted are counted with those that are there."""

    def measured(self) -> tuple[Measured, ...]:
        return tuple(Measured(key, record.epoch, self._machine.clock.now - record.connectedAt) for key, record in self._records.items())


@pair(
    {"TXKEY-31": seen("payments of nobody at 0", expected="payments of nobody at 1", what="^metrics$")},
    origin="textbook: a value that is read before it is counted up",
)
class EpochBeforeMeasured(TransactionKeys):
    """The metrics show the epoch before the latest one, so a key looks as if no client had been fenced."""

    def measured(self) -> tuple[Measured, ...]:
        return tuple(replace(one, epoch=max(one.epoch - 1, 0)) for one in super().measured())


@pair({"TXKEY-31": seen("of nobody", expected="of alice", what="^metrics$")}, origin="the proposal's text: a label for the key alone")
class OwnersMeasuredAsOne(TransactionKeys):
    """The metrics have no owners, and the keys of two are one."""

    def measured(self) -> tuple[Measured, ...]:
        by_name = {one.key.name: one for one in super().measured()}
        return tuple(replace(one, key=TransactionKey("", name)) for name, one in by_name.items())


@pair({"TXKEY-31": _AGE}, origin="textbook: a time that is taken when it is read")
class AgeNeverGrows(TransactionKeys):
    """The age of a key is always 0, so an idle key cannot be distinguished from one in use."""

    def age_ms(self, key: TransactionKey) -> int:
        return super().age_ms(key) * 0


@pair({"TXKEY-31": _AGE}, origin="textbook: a moment that is in memory alone")
class AgeFromTheLoad(TransactionKeys):
    """After a crash the metrics show every key as old as its coordinator."""

    def recover(self) -> None:
        super().recover()
        now = self._machine.clock.now
        self._records = {key: record.model_copy(update={"connectedAt": now}) for key, record in self._records.items()}


@pair({"TXKEY-31": _AGE}, origin="a review of the suite, which did not look there")
class AgeFromTheLastTransaction(TransactionKeys):
    """Each record of a key says that it was connected with now, also that of a transaction which it begins."""

    def begun(self, claim: Claim, timeout_ms: int) -> TxnId:
        txn = super().begun(claim, timeout_ms)
        self._store(self.known(claim.key).model_copy(update={"connectedAt": self._machine.clock.now}))
        return txn


@defect({"TXKEY-31": expected("^between", what='^age of key "refunds"$')}, origin="textbook: a minimum where a value of each is due")
class KeyAgeOfTheOldest(TransactionKeys):
    """Every key has the age of the oldest one of its coordinator."""

    def age_ms(self, key: TransactionKey) -> int:
        ages = [self._machine.clock.now - record.connectedAt for record in self._records.values()]
        return max(super().age_ms(key), *ages)
