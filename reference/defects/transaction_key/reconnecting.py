"""Defects of the transaction key in clients that come again with the current epoch."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord

from .pair import pair

_STILL_OPEN = Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$")
_NOT_ALIKE = Symptom(what="^status of transactions$", expected="^all open, or all over$", seen="OPEN")


class _Alternates(TransactionKeys):
    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch and epoch % 2 == 0


class _KeepsBesideTheOld(TransactionKeys):
    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch and record.key in self._clients


class _KeepsTheEmpty(TransactionKeys):
    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        open_ones = self.to_fence(record)
        return epoch == record.epoch and not any(self._coordinator.describe(txn).partitions for txn in open_ones)


ALTERNATES = pair(
    "alternates",
    breaks={"TXKEY-26": _NOT_ALIKE},
    story="A client that comes again keeps its transaction one time, and loses it the next time.",
    origin="the proposal's text, O5: of the current epoch it says two things",
    transaction_keys=_Alternates,
)

KEPT_BESIDE_THE_OLD_CONNECTION = pair(
    "kept-beside-the-old-connection",
    breaks={"TXKEY-26": _NOT_ALIKE},
    story="A client keeps its transaction where the coordinator still has its connection, and loses it behind a crash.",
    origin="textbook: what is known of a connection, where it should be known of a key",
    transaction_keys=_KeepsBesideTheOld,
)

EMPTY_ONES_KEPT = pair(
    "empty-ones-kept",
    breaks={"TXKEY-26": _NOT_ALIKE},
    story="A client keeps a transaction that has nothing yet, and loses one that has messages.",
    origin="textbook: what has no participants needs no abort",
    transaction_keys=_KeepsTheEmpty,
)
