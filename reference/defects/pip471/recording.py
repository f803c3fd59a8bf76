"""Defects of metadata-driven transactions in what the store has of them."""

from collections.abc import Sequence
from contextlib import suppress

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip471.crashing import KnowsWhatItBegan
from fencepost.reference.metadata.store import IndexEntry, StoreRecord, VersionConflict
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import Header, HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

_LONGEST_MS = 60_000
_A_PAGE = 50


@defect(
    {"PIP471-01": seen("state='OPEN'", expected="^OPEN, with a deadline", what="^header of A$")},
    origin="textbook: a limit of the broker's configuration that is applied silently",
)
class MetadataTimeOutCut(MetadataCoordinator):
    """A coordinator allows no timeout of more than 60000 ms, and gives a shorter one without saying so."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(min(timeout_ms, _LONGEST_MS))


@defect(
    {"PIP471-07": seen("^1$", expected="^2$", what="^writes of A to orders$")},
    origin="feared by readers of the proposal: a write to the store for each message is what they would save",
)
class MetadataOneRecordForASegment(TransactionRecords):
    """A segment records only the first message of each transaction, since one record is enough to be notified of the end."""

    def record(self, txn: TxnId, operation: OperationRecord) -> str:
        if operation.kind == "ACK" or txn not in self.writes(operation.segment):
            return super().record(txn, operation)
        return ""


@defect(
    {"PIP471-08": seen(r"^\[\(\(\d+, \d+\), False\)\]$", expected=r"^\[\(.*\), \(.*\)\]$", what="^acknowledgements of A for workers$")},
    origin="textbook: a list that is read as if it had one element",
)
class MetadataFirstPositionRecorded(PendingAckRecords):
    """A request that acknowledges several messages leaves a record of the first one."""

    def operations_of(self, waiting: PendingAck) -> list[OperationRecord]:
        return super().operations_of(waiting)[:1]


@defect(
    {"PIP471-09": seen(r", False\)\]$", expected=r", True\)\]$", what="^acknowledgements of A for workers$")},
    origin="the proposal's text, Q9: a position without what it means",
)
class MetadataCumulativeRecordedAsSingle(PendingAckRecords):
    """The record of a cumulative acknowledgement does not say that it is one, and is read as that of one message."""

    def operations_of(self, waiting: PendingAck) -> list[OperationRecord]:
        return [operation.model_copy(update={"cumulative": None}) for operation in super().operations_of(waiting)]


@defect({"PIP471-12": seen("^another one$", expected="^the id$", what="^partition key of A$")}, origin="textbook: the wrong key")
class MetadataKeptByCoordinator(TransactionRecords):
    """Records are kept together by their coordinator and not by their transaction, so that one shard has them all."""

    def partition_key(self, transaction: str) -> str:
        return super().partition_key(transaction).partition("_")[0]


@defect(
    {"PIP471-36": seen("^1$", expected="^none$", what="^operation records of A$")},
    origin="feared by readers of the proposal: two kinds of participants delete, and one of them is forgotten",
)
class MetadataRecordsOfAcknowledgementsStay(TransactionRecords):
    """A subscription that has followed the end deletes none of its operation records; only segments do."""

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        if isinstance(participant, str):
            super().delete_operations(txn, participant)


@defect(
    {
        "PIP471-36": seen("^0$", expected="^1$", what="^writes of D to orders$"),
        "PIP471-60": seen('"d1"', expected='^"a1"$', what="^readers of orders$"),
    },
    origin="textbook: a range of keys that ends at the prefix and not at the number",
)
class MetadataDeletedByTheBeginningOfANumber(TransactionRecords):
    """A participant that has applied the end of transaction 1 also deletes its operation records of transactions 10 to 19."""

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        begins = paths.key_of(txn)
        for alike in [other for other in self.all_headers() if paths.key_of(other).startswith(begins)]:
            super().delete_operations(alike, participant)


@defect(
    {"PIP471-36": seen("^1$", expected="^none$", what="^operation records of A$")},
    origin="textbook: two writes, of which the first is treated as both",
)
class MetadataNotedIsTakenForDone(MetadataBuffer):
    """Where an abort is noted a segment that is loaded has nothing to do, and what a crash kept it from deleting stays for ever."""

    def recover(self) -> None:
        super().recover()
        self._open = {txn: position for txn, position in self._open.items() if not self.is_aborted(txn)}
        self._waiting -= self._aborted.keys()


@defect(
    {"PIP471-41": seen("^is$", expected="^is not$", what="^B in the index by deadline$")},
    origin="feared by readers of the proposal: an index of OPEN transactions from which the others are never removed",
)
class MetadataDeadlineStaysInTheIndex(TransactionRecords):
    """The end adds the entry by final state and leaves the one by deadline, so that each sweep finds all transactions that ever ended."""

    def header_indexes(self, header: Header) -> Sequence[IndexEntry]:
        by_deadline = IndexEntry(paths.BY_DEADLINE, paths.number(header.deadline))
        return list({by_deadline, *super().header_indexes(header)})


@defect(
    {"PIP471-41": seen("^is not$", expected="^is$", what="^B in the index by deadline$")},
    origin="textbook: an index with room for one record of a value",
)
class MetadataOneOfADeadlineFound(TransactionRecords):
    """The index lists one open transaction of each second: of two that are due together, the later one is missing and never expires."""

    def header_indexes(self, header: Header) -> Sequence[IndexEntry]:
        due = {one.deadline // 1000 for one in self.all_headers().values() if one.state is HeaderState.OPEN}
        return [] if header.state is HeaderState.OPEN and header.deadline // 1000 in due else super().header_indexes(header)


@defect(
    {"PIP471-42": seen("^A, B$", expected="^B, A$", what="^order in the index$")},
    origin="the proposal's text, Q2: the moment of the end is used, and declared nowhere",
)
class MetadataEndedByTheirBeginning(TransactionRecords):
    """The index by final state has the start time of the transaction, so that the collection removes long ones too early."""

    def header_indexes(self, header: Header) -> Sequence[IndexEntry]:
        begun = header.model_copy(update={"finalizedAt": header.createdAt})
        return super().header_indexes(begun)


@defect(
    {"PIP471-01": seen("twice$", what="^transaction ids$")},
    origin="feared by readers of the proposal: the text says of no counter where it is kept",
)
class MetadataIdsBehindTheLastHeader(MetadataCoordinator):
    """A coordinator continues after the last header that is left, and assigns the ids of collected transactions again."""

    def next_id(self) -> TxnId:
        given = [txn.sequence for txn in self._records.all_headers() if txn.tc_id == self.tc_id]
        return TxnId(self.tc_id, max(given, default=-1) + 1)


@defect(
    {"PIP471-01": seen("TransactionNotFound", expected="^success$", what="^answer to END_TXN$")},
    origin="the other way out of what the reference of this suite did until a red team found it: it answered nothing",
)
class MetadataIdTakenForItsOwn(MetadataCoordinator):
    """A coordinator that gets a version conflict when it creates a header treats the header as its own, and answers with the id of another
    transaction.
    """

    def new(self, timeout_ms: int) -> TxnId:
        txn = self.next_id()
        with suppress(VersionConflict):
            self._records.create(txn, Header(state=HeaderState.OPEN, timeout=timeout_ms, createdAt=self._machine.clock.now))
        return txn


@defect(
    {"PIP471-01": seen("^TransactionNotFound", expected="^success$", what="^answer to END_TXN$")},
    origin="textbook: a failure that is logged and passed over",
)
class MetadataIdWithoutAHeader(MetadataCoordinator):
    """A coordinator answers with the id of a new transaction even if the store has not confirmed the header."""

    def new(self, timeout_ms: int) -> TxnId:
        try:
            return super().new(timeout_ms)
        except CommandRefused:
            return TxnId(self.tc_id, self.last_sequence)


@defect(
    {"PIP471-42": seen("^A, B$", expected="^B, A$", what="^order in the index$")},
    origin="the proposal's text: a header is compared and set at most twice",
)
class MetadataEndedAgain(MetadataCoordinator):
    """A repeated end writes the header again, with the time of the repetition."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        super().decide(txn, action)
        if (found := self._records.header(txn)) is not None:
            self._records.replace(txn, found[0].model_copy(update={"finalizedAt": self._machine.clock.now}), found[1])


@defect(
    {"PIP471-36": seen("not even the sentinel", expected='^"a1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: what the loser of the compare-and-set is answered",
)
class MetadataConflictTakenForDone(TransactionRecords):
    """A coordinator takes a failed compare-and-set for the same end by another coordinator, and answers with success."""

    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        with suppress(VersionConflict):
            super().replace(txn, header, version)


@defect(
    {"PIP471-36": seen("50", expected="^(none|0)$", what="^operation records of A$")},
    origin="red team: a list of which the first page is read",
)
class MetadataPageOfRecordsDeleted(TransactionRecords):
    """A participant that has followed an end deletes the first 50 of its operation records, once and again; the others stay for ever."""

    _is_deleting = False

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        self._is_deleting = True
        try:
            super().delete_operations(txn, participant)
        finally:
            self._is_deleting = False

    def records_of(self, txn: TxnId) -> list[StoreRecord]:
        found = super().records_of(txn)
        return found[:_A_PAGE] if self._is_deleting else found


@defect(
    {"PIP471-01": seen("TransactionNotFound", expected="^success$", what="^answer to END_TXN$")},
    origin="feared: a header that is written with the first operation, to save a write for transactions that do nothing",
)
class MetadataHeaderWithTheFirstOperation(KnowsWhatItBegan):
    """A transaction without operations is in its coordinator's memory only, and unknown after a crash."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if txn not in self.begun and not self.is_over(txn) and not self._records.participants(txn):
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"transaction {txn} was not begun here")
        super().end(txn, action, reply)
