"""Defects of scalable topics in what readers see."""

from collections.abc import Iterator

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.record_models import OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, TxnId

_FULL = 16


class LooksOnlyWhenTold(Participation):
    """A participant that no event reaches learns of no end."""

    def look_by_itself(self) -> None:
        return


@defect(
    {"CORE-01": seen('^"not even what was written last"$', expected='^"a1"$', what="readers of orders")},
    origin="textbook: a put where an append is due",
    also=[LooksOnlyWhenTold],
)
class CoreScalableFirstSegmentNotTold(TransactionRecords):
    """An operation record replaces the previous one of its transaction, so only the last of several segments is notified of the end."""

    def record(self, txn: TxnId, operation: OperationRecord) -> str:
        return self._store.put(
            f"{paths.operations(txn)}-{paths.number(0)}",
            operation.encoded(),
            partition_key=self.partition_key(paths.key_of(txn)),
            indexes=self.operation_indexes(txn, operation),
        ).key


@defect({"CORE-02": seen('^"a1"$')}, origin="apache/pulsar#21464: a consumer of the compacted topic read what was not committed")
class CoreScalableDirtyRead(MetadataBuffer):
    """An operation record holds no reader back, and messages are read before anything is decided."""

    @property
    def max_read_position(self) -> Position:
        return self._ledger.last


@defect({"CORE-03": seen('^"a1"')}, origin="apache/pulsar#19814: aborted messages were delivered to consumers that read again")
class CoreScalableAbortedShown(MetadataBuffer):
    """A message is shown once its transaction is not open any more, whichever way it ended."""

    def is_shown(self, message: Message) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"CORE-04": seen('^"a3", "a2", "a1"$')}, origin="textbook: a stack where a queue is due")
class CoreScalableOrderTurned(MetadataBuffer):
    """The messages of a transaction are handed to readers last first."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        held: list[Readable] = []
        for readable in super().after(place):
            if held and held[-1].message.txn != readable.message.txn:
                yield from reversed(held)
                held = []
            held.append(readable)
        yield from reversed(held)


@defect(
    {"CORE-05": seen("^nothing", expected='^"early"$')},
    origin="apache/pulsar#14889: with transactions enabled, all consumers of a broker were stuck",
)
class CoreScalableAllHeldUp(MetadataBuffer):
    """While a transaction is open in a segment, readers get nothing of the segment, not even what was there before."""

    @property
    def max_read_position(self) -> Position:
        return BEFORE_ALL if self.ongoing() else super().max_read_position


@defect(
    {"CORE-06": seen('^"not even what was written last"$', expected='^("a1", )?"plain"$')},
    origin="apache/pulsar#12382: the position up to which may be read did not move on",
)
class CoreScalableReadersNotReleased(MetadataBuffer):
    """Readers are stopped where a transaction began, and stay there when it has ended."""

    stop: Position | None = None

    def publish(self, message: Message) -> Position:
        if message.txn is not None and self.stop is None:
            self.stop = self._ledger.last
        return super().publish(message)

    @property
    def max_read_position(self) -> Position:
        return super().max_read_position if self.stop is None else self.stop


@defect({"CORE-07": seen('^"1", .*"16"$')}, origin="textbook: a buffer of fixed size")
class CoreScalableLargeTransactionCut(MetadataBuffer):
    """A segment has room for 16 messages of a transaction; further ones are acknowledged with a receipt and not stored."""

    def publish(self, message: Message) -> Position:
        if message.txn is not None and [one.txn for one in self.stored()].count(message.txn) >= _FULL:
            return self._ledger.last
        return super().publish(message)


@defect({"CORE-08": seen("^nothing", expected='^"a1", "a3"$')}, origin="textbook: the wrong key")
class CoreScalableAbortByProducer(MetadataBuffer):
    """A topic finds aborted messages by their producer, so one abort hides all messages that this producer ever wrote."""

    def is_shown(self, message: Message) -> bool:
        aborted = {one.producer for one in self.stored() if one.txn is not None and self.is_aborted(one.txn)}
        return message.producer not in aborted


@defect(
    {"CORE-02": seen('"a1"', expected='^no "a1"$'), "CORE-09": seen("^nothing", expected='^"b1"$')},
    origin="apache/pulsar#15530: the end of one transaction aborted another",
)
class CoreScalableOneEndEndsAll(MetadataBuffer):
    """The end of one transaction ends all that are open in the segment, with the same outcome."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        for other in (txn, *self.ongoing()):
            super().end(other, action, low_watermark)
