"""Defects of the transaction key in clients that reconnect with the current epoch."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord

from .pair import pair

_NOT_ALIKE = Symptom(what="^status of transactions$", expected="^all open, or all over$", seen="OPEN")


@pair({"TXKEY-26": _NOT_ALIKE}, origin="the proposal's text, O5: of the current epoch it says two things")
class Alternates(TransactionKeys):
    """A client that reconnects keeps its transaction every second time, and loses it the other times."""

    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch and epoch % 2 == 0


@pair({"TXKEY-26": _NOT_ALIKE}, origin="textbook: what is known of a connection, where it should be known of a key")
class KeptBesideTheOldConnection(TransactionKeys):
    """A client keeps its transaction if the coordinator still has its connection, and loses it after a crash."""

    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch and record.key in self._clients


@pair({"TXKEY-26": _NOT_ALIKE}, origin="textbook: what has no participants needs no abort")
class EmptyOnesKept(TransactionKeys):
    """A client keeps a transaction that has nothing yet, and loses one that has messages."""

    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        open_ones = self.to_fence(record)
        return epoch == record.epoch and not any(self._coordinator.describe(txn).partitions for txn in open_ones)
