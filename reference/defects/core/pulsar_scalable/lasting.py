"""Defects of scalable topics in what lasts when a segment is loaded anew."""

from collections.abc import Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.ledger import Entry
from fencepost.reference.pulsar.values import Action, Message, TxnId


class _ShowsWhatThisLifeCommits(MetadataBuffer):
    committed: frozenset[TxnId] = frozenset()

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if action is Action.COMMIT:
            self.committed |= {txn}
        super().end(txn, action, low_watermark)

    def is_shown(self, message: Message) -> bool:
        return message.txn is None or message.txn in self.committed


class _SeesNoEntryUndecided(MetadataBuffer):
    def undecided(self) -> Iterator[Entry]:
        return iter(())


class _BeginsAtTheLast(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        for entry in self.undecided():
            if isinstance(entry.content, Message) and entry.content.txn in self._open:
                self._open[entry.content.txn] = entry.position


class _ForgetsAbortsBesideTheOpen(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        if self._open:
            self._aborted = {}


SEEN_IS_GONE_AFTER_RELOAD = Defect(
    name="core-scalable-seen-is-gone-after-reload",
    breaks={"CORE-32": Symptom(expected='^"a1", "plain"$', seen='^"plain"$')},
    story="Which transactions are committed is kept in memory, and a segment that is loaded anew takes the unknown for aborted.",
    origin="apache/pulsar#25821: committed data was filtered after a reload, since unknown was taken for aborted",
    parts=MetadataParts(metadata_buffer=_ShowsWhatThisLifeCommits),
)

OPEN_FORGOTTEN_BY_RELOAD = Defect(
    name="core-scalable-open-forgotten-by-reload",
    breaks={"CORE-40": Symptom(expected="^nothing$", seen='^"a1", "a2"$')},
    story="A segment that is loaded does not look which of its entries are of open transactions, and readers get them.",
    origin="apache/pulsar#12382: what was published while a buffer recovered moved the readable position over open transactions",
    parts=MetadataParts(metadata_buffer=_SeesNoEntryUndecided),
)

OPEN_IS_READ_AFTER_RELOAD = Defect(
    name="core-scalable-open-is-read-after-reload",
    breaks={"CORE-40": Symptom(expected="^nothing$", seen='^"a1"$')},
    story="A segment that is loaded takes the last message of an open transaction for its first, and readers get what is before it.",
    origin="textbook: an entry of a table is overwritten where the first one counts",
    parts=MetadataParts(metadata_buffer=_BeginsAtTheLast),
)

ABORTED_BESIDE_THE_OPEN_AFTER_RELOAD = Defect(
    name="core-scalable-aborted-beside-the-open-after-reload",
    breaks={"CORE-40": Symptom(expected='^"a1"$', seen='"b1"')},
    story="A segment that is loaded while a transaction is open does not read which others were aborted.",
    origin="apache/pulsar#25821: a review feared that aborted messages are readable until a recovery is through",
    parts=MetadataParts(metadata_buffer=_ForgetsAbortsBesideTheOpen),
)
