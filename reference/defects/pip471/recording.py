"""Defects of metadata-driven transactions in what the store has of them."""

from collections.abc import Sequence
from contextlib import suppress

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.store import IndexEntry, VersionConflict
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.records import Header, Operation, State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.values import Action, SubscriptionName, TxnId

_LONGEST_MS = 60_000


class _CutsTheTimeOut(MetadataCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        return super().new(min(timeout_ms, _LONGEST_MS))


class _RecordsASegmentOnce(TransactionRecords):
    def record(self, txn: TxnId, operation: Operation) -> str:
        if operation.kind == "ACK" or txn not in self.writes(operation.segment):
            return super().record(txn, operation)
        return ""


class _RecordsTheFirstPosition(PendingAckRecords):
    def operations_of(self, waiting: Waiting) -> list[Operation]:
        return super().operations_of(waiting)[:1]


class _CumulativeIsSingle(PendingAckRecords):
    def operations_of(self, waiting: Waiting) -> list[Operation]:
        return [operation.model_copy(update={"cumulative": None}) for operation in super().operations_of(waiting)]


class _KeptByCoordinator(TransactionRecords):
    def partition_key(self, transaction: str) -> str:
        return super().partition_key(transaction).partition("_")[0]


class _AcknowledgementsStay(TransactionRecords):
    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        if isinstance(participant, str):
            super().delete_operations(txn, participant)


class _DeletesWhatBeginsAlike(TransactionRecords):
    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        begins = paths.key_of(txn)
        for alike in [other for other in self.all_headers() if paths.key_of(other).startswith(begins)]:
            super().delete_operations(alike, participant)


class _TakesTheNotedForDone(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._open = {txn: position for txn, position in self._open.items() if not self.is_aborted(txn)}
        self._waiting -= self._aborted.keys()


class _DeadlineStays(TransactionRecords):
    def header_indexes(self, header: Header) -> Sequence[IndexEntry]:
        by_deadline = IndexEntry(paths.BY_DEADLINE, paths.number(header.deadline))
        return list({by_deadline, *super().header_indexes(header)})


class _EndedByTheirBeginning(TransactionRecords):
    def header_indexes(self, header: Header) -> Sequence[IndexEntry]:
        begun = header.model_copy(update={"finalizedAt": header.createdAt})
        return super().header_indexes(begun)


class _GoesOnBehindTheLastHeader(MetadataCoordinator):
    def next_id(self) -> TxnId:
        given = [txn.sequence for txn in self._records.all_headers() if txn.tc_id == self.tc_id]
        return TxnId(self.tc_id, max(given, default=-1) + 1)


class _TakesTheIdForItsOwn(MetadataCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        txn = self.next_id()
        with suppress(VersionConflict):
            self._records.create(txn, Header(state=State.OPEN, timeout=timeout_ms, createdAt=self._machine.clock.now))
        return txn


class _GivesTheIdAllTheSame(MetadataCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        try:
            return super().new(timeout_ms)
        except Refused:
            return TxnId(self.tc_id, self.last_sequence)


class _EndsAgain(MetadataCoordinator):
    def decide(self, txn: TxnId, action: Action) -> None:
        super().decide(txn, action)
        if (found := self._records.header(txn)) is not None:
            self._records.replace(txn, found[0].model_copy(update={"finalizedAt": self._machine.clock.now}), found[1])


class _TakesAConflictForDone(TransactionRecords):
    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        with suppress(VersionConflict):
            super().replace(txn, header, version)


TIME_OUT_CUT = Defect(
    name="metadata-time-out-cut",
    breaks={"PIP471-01": Symptom(what="^header of A$", expected="^OPEN, with a deadline", seen="state='OPEN'")},
    story=f"A coordinator allows no time-out of more than {_LONGEST_MS} ms, and gives a shorter one without saying so.",
    origin="textbook: a limit of the broker's configuration that is applied silently",
    parts=MetadataParts(metadata_coordinator=_CutsTheTimeOut),
)

ONE_RECORD_FOR_A_SEGMENT = Defect(
    name="metadata-one-record-for-a-segment",
    breaks={"PIP471-07": Symptom(what="^writes of A to orders$", expected="^2$", seen="^1$")},
    story="A segment to which a transaction has written before leaves no further records, since one is enough to be told of the end.",
    origin="feared by readers of the proposal: a write to the store for each message is what they would save",
    parts=MetadataParts(transaction_records=_RecordsASegmentOnce),
)

FIRST_POSITION_RECORDED = Defect(
    name="metadata-first-position-recorded",
    breaks={
        "PIP471-08": Symptom(
            what="^acknowledgements of A for workers$", expected=r"^\[\(.*\), \(.*\)\]$", seen=r"^\[\(\(\d+, \d+\), False\)\]$"
        )
    },
    story="A request that acknowledges several messages leaves a record of the first one.",
    origin="textbook: a list that is read as if it had one element",
    parts=MetadataParts(pending_ack_records=_RecordsTheFirstPosition),
)

CUMULATIVE_RECORDED_AS_SINGLE = Defect(
    name="metadata-cumulative-recorded-as-single",
    breaks={"PIP471-09": Symptom(what="^acknowledgements of A for workers$", expected=r", True\)\]$", seen=r", False\)\]$")},
    story="The record of a cumulative acknowledgement does not say that it is one, and is read as that of one message.",
    origin="the proposal's text, Q9: a position without what it means",
    parts=MetadataParts(pending_ack_records=_CumulativeIsSingle),
)

KEPT_BY_COORDINATOR = Defect(
    name="metadata-kept-by-coordinator",
    breaks={"PIP471-12": Symptom(what="^partition key of A$", expected="^the id$", seen="^another one$")},
    story="Records are kept together by their coordinator and not by their transaction, so that one shard has them all.",
    origin="textbook: the wrong key",
    parts=MetadataParts(transaction_records=_KeptByCoordinator),
)

ACKNOWLEDGEMENTS_STAY = Defect(
    name="metadata-records-of-acknowledgements-stay",
    breaks={"PIP471-36": Symptom(what="^operation records of A$", expected="^none$", seen="^1$")},
    story="A subscription that has followed the end deletes none of its operation records; only segments do.",
    origin="feared by readers of the proposal: two kinds of participants delete, and one of them is forgotten",
    parts=MetadataParts(transaction_records=_AcknowledgementsStay),
)

DEADLINE_STAYS = Defect(
    name="metadata-deadline-stays-in-the-index",
    breaks={"PIP471-41": Symptom(what="^B in the index by deadline$", expected="^is not$", seen="^is$")},
    story="The end adds the entry by final state and leaves the one by deadline, so that each sweep finds all that ever ended.",
    origin="feared by readers of the proposal: an index of OPEN transactions that nobody takes the others out of",
    parts=MetadataParts(transaction_records=_DeadlineStays),
)

ENDED_BY_THEIR_BEGINNING = Defect(
    name="metadata-ended-by-their-beginning",
    breaks={"PIP471-42": Symptom(what="^order in the index$", expected="^B, A$", seen="^A, B$")},
    story="The index by final state has the moment of the beginning, so that the collection takes long transactions before their time.",
    origin="the proposal's text, Q2: the moment of the end is used, and declared nowhere",
    parts=MetadataParts(transaction_records=_EndedByTheirBeginning),
)

IDS_BEHIND_THE_LAST_HEADER = Defect(
    name="metadata-ids-behind-the-last-header",
    breaks={"PIP471-01": Symptom(what="^transaction ids$", seen="twice$")},
    story="A coordinator goes on behind the last header that there is, and gives the ids of collected transactions again.",
    origin="feared by readers of the proposal: the text says of no counter where it is kept",
    parts=MetadataParts(metadata_coordinator=_GoesOnBehindTheLastHeader),
)

ENDED_AGAIN = Defect(
    name="metadata-ended-again",
    breaks={"PIP471-42": Symptom(what="^order in the index$", expected="^B, A$", seen="^A, B$")},
    story="An end that comes again writes the header again, with the moment at which it came.",
    origin="the proposal's text: a header is compared and set at most twice",
    parts=MetadataParts(metadata_coordinator=_EndsAgain),
)

NOTED_IS_TAKEN_FOR_DONE = Defect(
    name="metadata-noted-is-taken-for-done",
    breaks={"PIP471-36": Symptom(what="^operation records of A$", expected="^none$", seen="^1$")},
    story="Where an abort is noted a segment that is loaded has nothing to do, and what a crash kept it from deleting stays for ever.",
    origin="textbook: two writes, of which the first is taken for both",
    parts=MetadataParts(metadata_buffer=_TakesTheNotedForDone),
)

CONFLICT_TAKEN_FOR_DONE = Defect(
    name="metadata-conflict-taken-for-done",
    breaks={"PIP471-36": Symptom(what="^readers of orders$", expected='^"a1"$', seen="not even the sentinel")},
    story="A compare-and-set that fails is taken for the same end by somebody else, and answered with success.",
    origin="feared by readers of the proposal: what the loser of the compare-and-set is told",
    parts=MetadataParts(transaction_records=_TakesAConflictForDone),
)

ID_TAKEN_FOR_ITS_OWN = Defect(
    name="metadata-id-taken-for-its-own",
    breaks={"PIP471-01": Symptom(what="^answer to END_TXN$", expected="^success$", seen="TransactionNotFound")},
    story="A coordinator that is told of another version when it makes a header takes the header for made, and gives an id that has none.",
    origin="the other way out of what the reference of this suite did until a red team found it: it answered nothing",
    parts=MetadataParts(metadata_coordinator=_TakesTheIdForItsOwn),
)

DELETED_BY_THE_BEGINNING = Defect(
    name="metadata-deleted-by-the-beginning-of-a-number",
    breaks={
        "PIP471-36": Symptom(what="^writes of D to orders$", expected="^1$", seen="^0$"),
        "PIP471-60": Symptom(what="^readers of orders$", expected='^"a1"$', seen='"d1"'),
    },
    story="Whoever has followed the end of transaction 1 deletes its own operation records of transactions 10 to 19 as well.",
    origin="textbook: a range of keys that ends at the prefix and not at the number",
    parts=MetadataParts(transaction_records=_DeletesWhatBeginsAlike),
)

ID_WITHOUT_A_HEADER = Defect(
    name="metadata-id-without-a-header",
    breaks={"PIP471-01": Symptom(what="^answer to END_TXN$", expected="^success$", seen="^TransactionNotFound")},
    story="A client is told the id of its new transaction also where the store has not answered that there is a header.",
    origin="textbook: a failure that is logged and passed over",
    parts=MetadataParts(metadata_coordinator=_GivesTheIdAllTheSame),
)
