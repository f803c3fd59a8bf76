"""Defects of scalable topics in what readers see."""

from collections.abc import Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import Operation
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.values import BEFORE_ALL, Action, Message, Position, TxnId

_FULL = 16


class LooksOnlyWhenTold(Participation):
    """A participant that no event reaches learns of no end."""

    def look_by_itself(self) -> None:
        return


class _OneRecordForAll(TransactionRecords):
    def record(self, txn: TxnId, operation: Operation) -> str:
        return self._store.put(
            f"{paths.operations(txn)}-{paths.number(0)}",
            operation.encoded(),
            partition_key=self.partition_key(paths.key_of(txn)),
            indexes=self.operation_indexes(txn, operation),
        ).key


class _ReadsToTheEnd(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        return self._ledger.last


class _ShowsAll(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _LastFirst(MetadataBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        held: list[Readable] = []
        for readable in super().after(place):
            if held and held[-1].message.txn != readable.message.txn:
                yield from reversed(held)
                held = []
            held.append(readable)
        yield from reversed(held)


class _StopsAtTheStart(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        return BEFORE_ALL if self.ongoing() else super().max_read_position


class _StaysWhereItStopped(MetadataBuffer):
    stop: Position | None = None

    def publish(self, message: Message) -> Position:
        if message.txn is not None and self.stop is None:
            self.stop = self._ledger.last
        return super().publish(message)

    @property
    def max_read_position(self) -> Position:
        return super().max_read_position if self.stop is None else self.stop


class _KeepsOnlySome(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        if message.txn is not None and [one.txn for one in self.stored()].count(message.txn) >= _FULL:
            return self._ledger.last
        return super().publish(message)


class _GoesByProducer(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        aborted = {one.producer for one in self.stored() if one.txn is not None and self.is_aborted(one.txn)}
        return message.producer not in aborted


class _EndsAll(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        for other in (txn, *self.ongoing()):
            super().end(other, action, low_watermark)


FIRST_SEGMENT_NOT_TOLD = Defect(
    name="core-scalable-first-segment-not-told",
    breaks={"CORE-01": Symptom(what="readers of orders", expected='^"a1"$', seen='^"not even what was written last"$')},
    story="An operation record takes the place of the one before, so of several segments only the last is told of the decision.",
    origin="textbook: a put where an append is due",
    parts=MetadataParts(transaction_records=_OneRecordForAll, participation=LooksOnlyWhenTold),
)

DIRTY_READ = Defect(
    name="core-scalable-dirty-read",
    breaks={"CORE-02": Symptom(seen='^"a1"$')},
    story="An operation record holds no reader back, and messages are read before anything is decided.",
    origin="apache/pulsar#21464: a consumer of the compacted topic read what was not committed",
    parts=MetadataParts(metadata_buffer=_ReadsToTheEnd),
)

ABORTED_SHOWN = Defect(
    name="core-scalable-aborted-shown",
    breaks={"CORE-03": Symptom(seen='^"a1"')},
    story="What is not open any more is shown, whichever way it ended.",
    origin="apache/pulsar#19814: aborted messages were delivered to consumers that read again",
    parts=MetadataParts(metadata_buffer=_ShowsAll),
)

ORDER_TURNED = Defect(
    name="core-scalable-order-turned",
    breaks={"CORE-04": Symptom(seen='^"a3", "a2", "a1"$')},
    story="The messages of a transaction are handed to readers last first.",
    origin="textbook: a stack where a queue is due",
    parts=MetadataParts(metadata_buffer=_LastFirst),
)

ALL_HELD_UP = Defect(
    name="core-scalable-all-held-up",
    breaks={"CORE-05": Symptom(expected='^"early"$', seen="^nothing")},
    story="While a transaction is open in a segment, readers get nothing of it, not even what was there before.",
    origin="apache/pulsar#14889: with transactions enabled, all consumers of a broker were stuck",
    parts=MetadataParts(metadata_buffer=_StopsAtTheStart),
)

READERS_NOT_RELEASED = Defect(
    name="core-scalable-readers-not-released",
    breaks={"CORE-06": Symptom(expected='^("a1", )?"plain"$', seen='^"not even what was written last"$')},
    story="Readers are stopped where a transaction began, and stay there when it has ended.",
    origin="apache/pulsar#12382: the position up to which may be read did not move on",
    parts=MetadataParts(metadata_buffer=_StaysWhereItStopped),
)

LARGE_TRANSACTION_CUT = Defect(
    name="core-scalable-large-transaction-cut",
    breaks={"CORE-07": Symptom(seen='^"1", .*"16"$')},
    story=f"A segment has room for {_FULL} messages of a transaction, and what is sent beyond that has a receipt and is not stored.",
    origin="textbook: a buffer of fixed size",
    parts=MetadataParts(metadata_buffer=_KeepsOnlySome),
)

ABORT_BY_PRODUCER = Defect(
    name="core-scalable-abort-by-producer",
    breaks={"CORE-08": Symptom(expected='^"a1", "a3"$', seen="^nothing")},
    story="What is aborted is told by its producer, so that one abort hides all that this producer ever wrote.",
    origin="textbook: the wrong key",
    parts=MetadataParts(metadata_buffer=_GoesByProducer),
)

ONE_END_ENDS_ALL = Defect(
    name="core-scalable-one-end-ends-all",
    breaks={
        "CORE-02": Symptom(expected='^no "a1"$', seen='"a1"'),
        "CORE-09": Symptom(expected='^"b1"$', seen="^nothing"),
    },
    story="The end of one transaction ends all that are open in the segment, in the same way.",
    origin="apache/pulsar#15530: the end of one transaction aborted another",
    parts=MetadataParts(metadata_buffer=_EndsAll),
)
