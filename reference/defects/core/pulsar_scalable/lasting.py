"""Defects of scalable topics in what lasts when a segment is reloaded."""

from collections.abc import Iterator

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.ledger import Entry
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, TxnId


@defect(
    {"CORE-32": seen('^"plain"$', expected='^"a1", "plain"$')},
    origin="apache/pulsar#25821: committed data was filtered after a reload, since unknown was treated as aborted",
)
class CoreScalableSeenIsGoneAfterReload(MetadataBuffer):
    """A segment keeps in memory which transactions are committed, and after a reload treats unknown ones as aborted."""

    committed: frozenset[TxnId] = frozenset()

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if action is EndAction.COMMIT:
            self.committed |= {txn}
        super().end(txn, action, low_watermark)

    def is_shown(self, message: Message) -> bool:
        return message.txn is None or message.txn in self.committed


@defect(
    {"CORE-40": seen('^"a1", "a2"$', expected="^nothing$")},
    origin="apache/pulsar#12382: what was published while a buffer recovered moved the readable position over open transactions",
)
class CoreScalableOpenForgottenByReload(MetadataBuffer):
    """A segment that is loaded does not look which of its entries are of open transactions, and readers get them."""

    def undecided(self) -> Iterator[Entry]:
        return iter(())


@defect({"CORE-40": seen('^"a1"$', expected="^nothing$")}, origin="textbook: an entry of a table is overwritten where the first one counts")
class CoreScalableOpenIsReadAfterReload(MetadataBuffer):
    """A segment that is loaded takes the last message of an open transaction as its first one, and readers get what is before it."""

    def recover(self) -> None:
        super().recover()
        for entry in self.undecided():
            if isinstance(entry.content, Message) and entry.content.txn in self._open:
                self._open[entry.content.txn] = entry.position


@defect(
    {"CORE-40": seen('"b1"', expected='^"a1"$')},
    origin="apache/pulsar#25821: a review feared that aborted messages are readable until a recovery is through",
)
class CoreScalableAbortedBesideTheOpenAfterReload(MetadataBuffer):
    """A segment that is loaded while a transaction is open does not read which others were aborted."""

    def recover(self) -> None:
        super().recover()
        if self._open:
            self._aborted = {}
