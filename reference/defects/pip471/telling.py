"""Defects of metadata-driven transactions in how participants learn of an end."""

import functools
from collections.abc import Sequence
from contextlib import suppress

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.envelope import Envelope
from fencepost.reference.metadata.keys import sequence_key
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.store import NEW, IndexEntry, Record, Unavailable, Value, Version, VersionConflict
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import Operation, State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.values import Action, TxnId


class _OnlyLogsThat(TransactionRecords):
    def record(self, txn: TxnId, operation: Operation) -> str:
        try:
            return super().record(txn, operation)
        except Refused:
            return ""


class _WaitsForAll(MetadataCoordinator):
    @functools.cached_property
    def waiting(self) -> dict[TxnId, Reply]:
        """The clients that wait for participants."""
        return {}

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        self.decide(txn, action)
        self.waiting[txn] = reply

    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for txn in [txn for txn in self.waiting if not self._records.participants(txn)]:
            self.waiting.pop(txn)()


class _OnlyListens(Participation):
    def look_by_itself(self) -> None:
        """Nobody looks who was not told."""


class _LooksAtTheOldest(Participation):
    def look_by_itself(self) -> None:
        oldest = min(self._waiting(), default=None)
        if oldest is not None and self.state_of(oldest) is not State.OPEN:
            super().look_by_itself()


class _OneRecordForEachEntry(PlainStore):
    def keys_by_index(self, index: str, first: str, behind: str) -> list[str]:
        return [record.key for record in self.scan_by_index(index, first, behind)]

    def scan_by_index(self, index: str, first: str, behind: str) -> list[Record]:
        found = self._entries.records(index, first, behind)
        last = {Envelope.opened(record.value).indexes[index]: record.key for record in found}
        return [record for record in super().scan_by_index(index, first, behind) if record.key in last.values()]


class _IndexesWhatIsWritten(PlainStore):
    def write(self, key: str, envelope: Envelope, seen: Version) -> Record:
        record = self._inner.put(key, envelope.sealed(), expected=seen, partition_key=envelope.partition_key)
        self._entries.write(key, envelope)
        return record


class _CountsFromOne(PlainStore):
    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> Record:
        for number in range(1, 101):
            with suppress(VersionConflict):
                return self.put(sequence_key(prefix, number), value, expected=NEW, partition_key=partition_key, indexes=indexes)
        raise Unavailable(f"{prefix!r} was changed by others before it could be written, 100 times")


class _BeginsAgain(MetadataCoordinator):
    def tell(self, txn: TxnId, decision: State) -> None:
        try:
            super().tell(txn, decision)
        except Refused as refused:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} is {decision.value}, and must be OPEN") from refused


FAILED_RECORD_IS_ONLY_LOGGED = Defect(
    name="metadata-failed-record-is-only-logged",
    breaks={"PIP471-13": Symptom(what="^answer to SEND$", expected="^a refusal$", seen="^success$")},
    story="A message is stored and receipted also where its operation record could not be written.",
    origin="feared by readers of the proposal: two writes, and only one of them is waited for",
    parts=MetadataParts(transaction_records=_OnlyLogsThat),
)

ANSWER_WAITS_FOR_ALL = Defect(
    name="metadata-answer-waits-for-all",
    breaks={"PIP471-22": Symptom(what="^answer to END_TXN$", expected="^success$", seen="^no answer while")},
    story="An end is answered when nobody has operation records of the transaction any more, and so never while a segment is not loaded.",
    origin="apache/pulsar#19747: the answer to a commit waited for every participant",
    parts=MetadataParts(metadata_coordinator=_WaitsForAll),
)

LOST_EVENT_BLOCKS = Defect(
    name="metadata-lost-event-blocks",
    breaks={"PIP471-62": Symptom(what="^readers of orders$", expected='^"a1"$', seen="not even the sentinel")},
    story="A participant only listens, and never looks by itself: a transaction whose event is lost holds readers up for ever.",
    origin="the proposal's text, Q14, found in its review on the list",
    parts=MetadataParts(participation=_OnlyListens),
)

LOOKS_AT_THE_OLDEST = Defect(
    name="metadata-looks-at-the-oldest",
    breaks={"PIP471-62": Symptom(what="^readers of orders$", expected='^"b1"$', seen="^nothing$")},
    story="A participant that looks by itself asks for its oldest transaction, and for the others when that is over.",
    origin="textbook: the order of ids taken for the order of ends",
    parts=MetadataParts(participation=_LooksAtTheOldest),
)

PLAIN_STORE_WITH_ONE_RECORD_FOR_EACH_ENTRY = Defect(
    name="metadata-plain-index-has-one-record",
    breaks={"PIP471-66": Symptom(what="^readers of orders$", expected='^"b1"$', seen='^"a1", "b1"$')},
    story="In a store without indexes an entry leads to one record: the next one of the same index key takes its place.",
    origin="textbook: a map where a map of lists is due",
    parts=MetadataParts(plain_store=_OneRecordForEachEntry),
)

PLAIN_STORE_INDEXES_LATER = Defect(
    name="metadata-plain-index-after-its-record",
    breaks={"PIP471-66": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="In a store without indexes a record is written before its entry: a failure between the two, and the collection never finds it.",
    origin="textbook: two writes in the wrong order, and a failure between them",
    parts=MetadataParts(plain_store=_IndexesWhatIsWritten),
)

PLAIN_STORE_COUNTS_FROM_ONE = Defect(
    name="metadata-plain-sequence-without-a-counter",
    breaks={"PIP471-66": Symptom(what="^answer to SEND$", expected="^success$", seen="^ServiceNotReady .*, 100 times$")},
    story="In a store without sequences the next free number is looked for from the first one, and given up when a hundred are taken.",
    origin="textbook: a bound for writers that race, which a long sequence comes to as well",
    parts=MetadataParts(plain_store=_CountsFromOne),
)

BEGINS_AGAIN_BEHIND_AN_EVENT = Defect(
    name="metadata-begins-again-behind-an-event",
    breaks={"PIP471-62": Symptom(what="^answer to END_TXN$", expected="^success$", seen="^InvalidTxnStatus")},
    story="Where an event could not be written, the coordinator begins the end again, finds the transaction ended, and refuses: a client "
    "is told that its commit failed, and what it wrote is visible.",
    origin="feared by readers of the proposal: an end of one write has become one of many, and any of them can fail",
    parts=MetadataParts(metadata_coordinator=_BeginsAgain),
)
