"""Reads and writes what a metadata store holds of transactions, record by record, each with the index entries that it needs."""

from collections.abc import Callable, Sequence

from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import NEW, IndexEntry, MetadataStore, StoreRecord, StoreWatch, VersionConflict, only, under
from fencepost.reference.pulsar.pulsar_types import Position, SubscriptionName, TxnId

from . import paths
from .record_models import Counter, EndedEvent, Header, HeaderState, MalformedRecord, OperationRecord, Resolved, decoded


class TransactionRecords:
    """The records, as one node sees them through its client of the store."""

    def __init__(self, store: MetadataStore) -> None:
        self._store = store

    # -- Headers

    def next_sequence(self, tc_id: int) -> int:
        """Decision: a number that this coordinator never gave before, whichever broker it is on: the counter moves by compare-and-set."""
        while True:
            record = self._store.get(paths.next_sequence(tc_id))
            given = decoded(record, Counter).next if record else 0
            try:
                self._store.put(paths.next_sequence(tc_id), Counter(next=given + 1).encoded(), expected=record.version if record else NEW)
            except VersionConflict:
                continue
            return given

    def create(self, txn: TxnId, header: Header) -> None:
        """Write the header of a new transaction. Raises VersionConflict if there is one."""
        rule("PIP471-01")
        self._put_header(txn, header, NEW)

    def header(self, txn: TxnId) -> tuple[Header, int] | None:
        """A header with its version; None if there is none. Raises MalformedRecord."""
        key = paths.key_of(txn)
        record = self._store.get(paths.header(txn), partition_key=self.partition_key(key))
        return (decoded(record, Header), record.version) if record else None

    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        """Decision: write a header over the version that was read, and over no other. Raises VersionConflict."""
        rule("PIP471-04")
        self._put_header(txn, header, version)

    def delete_header(self, txn: TxnId, version: int) -> None:
        """Delete a header that is still at that version. Raises VersionConflict."""
        self._store.delete(paths.header(txn), expected=version, partition_key=self.partition_key(paths.key_of(txn)))

    def overdue(self, now: int) -> list[TxnId]:
        """The open transactions whose deadline is before that moment."""
        return _transactions(self._store.keys_by_index(paths.BY_DEADLINE, paths.number(0), paths.number(now)))

    def finalized_before(self, state: HeaderState, moment: int) -> list[TxnId]:
        """The transactions that reached a final state before that moment, the oldest first."""
        first = f"{state.value}:{paths.number(0)}"
        return _transactions(self._store.keys_by_index(paths.BY_FINAL_STATE, first, f"{state.value}:{paths.number(moment)}"))

    def all_headers(self) -> dict[TxnId, Header]:
        """Every header."""
        records = self._store.scan(*under(paths.HEADERS))
        return {_transaction(record.key, paths.HEADERS): decoded(record, Header) for record in records}

    # -- Operation records

    def record(self, txn: TxnId, operation: OperationRecord) -> str:
        """Decision: write a separate operation record, which no other one replaces. Returns its key."""
        rule("PIP471-10")
        rule("PIP471-11")
        return self._store.append(
            paths.operations(txn),
            operation.encoded(),
            partition_key=self.partition_key(paths.key_of(txn)),
            indexes=self.operation_indexes(txn, operation),
        ).key

    def take_back(self, txn: TxnId, refused: Sequence[OperationRecord]) -> None:
        """Decision: a refused operation leaves no operation record, even if the store has written one without an answer.

        No other record is equal, for what is pending is not acknowledged again.
        """
        for record in self.records_of(txn):
            if decoded(record, OperationRecord) in refused:
                self._store.delete(record.key, partition_key=self.partition_key(paths.key_of(txn)))

    def operations(self, txn: TxnId) -> list[OperationRecord]:
        """All operation records of a transaction."""
        return [decoded(record, OperationRecord) for record in self.records_of(txn)]

    def writes(self, segment: str) -> set[TxnId]:
        """Decision: the transactions that have write records on a segment, on however many pages of the index."""
        key = paths.segment(segment)
        return {_owner(found) for found in self._store.keys_by_index(paths.WRITES_BY_SEGMENT, key, key + "\0")}

    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, OperationRecord]]:
        """Decision: the acknowledgements that transactions have on a subscription, each transaction's in their order."""
        key = paths.subscription(name)
        records = self._store.scan_by_index(paths.ACKS_BY_SUBSCRIPTION, key, key + "\0")
        return [(_owner(record.key), decoded(record, OperationRecord)) for record in sorted(records, key=lambda record: record.key)]

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        """Decision: a participant deletes the operation records that it has applied: its own of that transaction, and no other
        participant's."""
        rule("PIP471-36")
        for record in self.records_of(txn):
            if participant == _participant(decoded(record, OperationRecord)):
                self._store.delete(record.key, partition_key=self.partition_key(paths.key_of(txn)))

    def participants(self, txn: TxnId) -> list[str | SubscriptionName]:
        """The participants that have operation records of a transaction, each once."""
        return list(dict.fromkeys(_participant(operation) for operation in self.operations(txn)))

    # -- Events

    def notify(self, participant: str | SubscriptionName, txn: TxnId, decision: HeaderState) -> None:
        """Write the event that notifies a participant of an end."""
        event = EndedEvent(txnId=paths.key_of(txn), decision=decision)
        self._store.append(paths.events(participant), event.encoded(), partition_key=paths.events(participant))

    def watch_events(self, participant: str | SubscriptionName, reported: Callable[[], None]) -> StoreWatch:
        """Call `reported` whenever there is a new event for that participant."""
        return self._store.watch_sequence(paths.events(participant), lambda _: reported(), partition_key=paths.events(participant))

    def forget_events(self, participant: str | SubscriptionName) -> None:
        """Delete the events of a participant that is deleted."""
        for key in self._store.keys(*under(paths.events(participant) + "-"), partition_key=paths.events(participant)):
            self._store.delete(key, partition_key=paths.events(participant))

    def watch_header(self, txn: TxnId, reported: Callable[[], None]) -> StoreWatch:
        """Call `reported` whenever a header changes."""
        return self._store.watch(*only(paths.header(txn)), lambda _: reported())

    # -- What is decided of a segment

    def watermark(self, segment: str) -> Position | None:
        """Decision: up to where everything of a segment is decided, as far as stored."""
        record = self._store.get(paths.watermark(segment))
        return decoded(record, Resolved).position if record else None

    def set_watermark(self, segment: str, position: Position) -> None:
        """Decision: under which name the place up to which everything of a segment is decided is stored."""
        self._store.put(paths.watermark(segment), _resolved(position))

    def aborted(self, segment: str) -> dict[TxnId, Position]:
        """The transactions that are aborted in a segment, each with the last position that it may have there."""
        prefix = paths.aborted(segment)
        records = self._store.scan(*under(prefix))
        return {_transaction(record.key, prefix): decoded(record, Resolved).position for record in records}

    def set_aborted(self, segment: str, txn: TxnId, last: Position) -> None:
        """Store that a transaction is aborted in a segment, for as long as its data may be read."""
        self._store.put(paths.aborted(segment, txn), _resolved(last))

    def forget_segment(self, segment: str) -> None:
        """A segment is deleted: remove what was decided there, and its events."""
        self._store.delete(paths.watermark(segment))
        for key in self._store.keys(*under(paths.aborted(segment))):
            self._store.delete(key)
        self.forget_events(segment)

    # -- Decisions about keys

    def partition_key(self, transaction: str) -> str:
        """Decision: under which key a store keeps a transaction's records together: its id."""
        rule("PIP471-12")
        return transaction

    def header_indexes(self, header: Header) -> Sequence[IndexEntry]:
        """Decision: how a header is found: while it is open by its deadline, then by its final state and the moment of the end."""
        if header.state is HeaderState.OPEN:
            rule("PIP471-41")
            return [IndexEntry(paths.BY_DEADLINE, paths.number(header.deadline))]
        rule("PIP471-42")
        return [IndexEntry(paths.BY_FINAL_STATE, f"{header.state.value}:{paths.number(header.finalizedAt or 0)}")]

    def operation_indexes(self, txn: TxnId, operation: OperationRecord) -> Sequence[IndexEntry]:
        """Decision: how an operation record is found: by its participant, and by its transaction."""
        rule("PIP471-40")
        whose = _participant(operation)
        participant = (
            IndexEntry(paths.ACKS_BY_SUBSCRIPTION, paths.subscription(whose))
            if isinstance(whose, SubscriptionName)
            else IndexEntry(paths.WRITES_BY_SEGMENT, paths.segment(whose))
        )
        return [participant, IndexEntry(paths.OPERATIONS_BY_TRANSACTION, paths.key_of(txn))]

    # -- Inside

    def _put_header(self, txn: TxnId, header: Header, expected: int) -> None:
        self._store.put(
            paths.header(txn),
            header.encoded(),
            expected=expected,
            partition_key=self.partition_key(paths.key_of(txn)),
            indexes=self.header_indexes(header),
        )

    def records_of(self, txn: TxnId) -> list[StoreRecord]:
        """Decision: which operation records are of this transaction, on however many pages of the index."""
        key = paths.key_of(txn)
        return self._store.scan_by_index(paths.OPERATIONS_BY_TRANSACTION, key, key + "\0")


def _participant(operation: OperationRecord) -> str | SubscriptionName:
    return operation.segment if operation.subscription is None else SubscriptionName(operation.segment, operation.subscription)


def _resolved(position: Position) -> bytes:
    return Resolved(ledgerId=position.ledger, entryId=position.entry).encoded()


def _owner(key: str) -> TxnId:
    """The transaction of an operation record's key. Raises MalformedRecord."""
    try:
        return paths.txn_of(key.removeprefix(paths.OPERATIONS).rpartition("-")[0])
    except ValueError as error:
        raise MalformedRecord(f"{key}: expected {paths.OPERATIONS}MOST_LEAST-NUMBER") from error


def _transactions(keys: Sequence[str]) -> list[TxnId]:
    """The transactions of these headers, except those with an unreadable key, which do not delay the others."""
    found = []
    for key in keys:
        try:
            found.append(_transaction(key, paths.HEADERS))
        except MalformedRecord:
            continue
    return found


def _transaction(key: str, prefix: str) -> TxnId:
    """The transaction whose id follows the prefix. Raises MalformedRecord."""
    try:
        return paths.txn_of(key.removeprefix(prefix))
    except ValueError as error:
        raise MalformedRecord(f"{key}: expected {prefix}MOST_LEAST") from error
