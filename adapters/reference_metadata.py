"""The metadata store of the reference, for scenarios that read it or cause faults in it."""

from collections.abc import Sequence

from fencepost.contract.metadata_view import HeaderSeen, OperationSeen
from fencepost.reference.metadata.plain_entries import BOOKKEEPING
from fencepost.reference.metadata.store import MetadataStore, under
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.record_models import Header, HeaderState, OperationRecord, decoded
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.scalable.names import TOPIC_DOMAIN
from fencepost.reference.scalable.paths import TOPICS, change, layout

_RECORDS = {
    "headers": paths.HEADERS,
    "operations": paths.OPERATIONS,
    "events": paths.EVENTS,
    "aborts": paths.ABORTED,
    "watermarks": paths.WATERMARKS,
    "layouts": TOPICS,
    "entries": BOOKKEEPING,
}
_ONE_HEADER = "header "
_AFTER_ONE = " after one"
_LAST = "\U0010ffff"


class StoreView:
    """What a client of the store sees."""

    def __init__(self, store: MetadataStore) -> None:
        self._store = store

    def header(self, coordinator: int, sequence: int) -> HeaderSeen | None:
        txn = TxnId(coordinator, sequence)
        record = self._store.get(paths.header(txn), partition_key=paths.key_of(txn))
        if record is None:
            return None
        header = decoded(record, Header)
        return HeaderSeen(header.state.value, header.createdAt, header.deadline, header.finalizedAt)

    def operations(self, coordinator: int, sequence: int) -> Sequence[OperationSeen]:
        prefix = paths.operations(TxnId(coordinator, sequence)) + "-"
        return [_seen(decoded(record, OperationRecord)) for record in self._store.scan(*under(prefix))]

    def is_kept_together(self, coordinator: int, sequence: int) -> bool:
        txn = TxnId(coordinator, sequence)
        keys = [paths.header(txn), *self._store.keys(*under(paths.operations(txn) + "-"))]
        try:
            return all(self._store.get(key, partition_key=paths.key_of(txn)) is not None for key in keys)
        except ValueError:  # the store in memory says so if the record was written with another partition key
            return False

    def found_by_deadline(self) -> Sequence[tuple[int, int]]:
        return [paths.txn_of(key.removeprefix(paths.HEADERS)) for key in self._store.keys_by_index(paths.BY_DEADLINE, "0", _LAST)]

    def found_by_final_state(self, state: str) -> Sequence[tuple[int, int]]:
        first = HeaderState(state).value + ":"
        keys = self._store.keys_by_index(paths.BY_FINAL_STATE, *under(first))
        return [paths.txn_of(key.removeprefix(paths.HEADERS)) for key in keys]

    def operations_found(self, coordinator: int, sequence: int) -> int:
        prefix = paths.operations(TxnId(coordinator, sequence)) + "-"
        indexes = (paths.WRITES_BY_SEGMENT, paths.ACKS_BY_SUBSCRIPTION, paths.OPERATIONS_BY_TRANSACTION)
        return sum(key.startswith(prefix) for index in indexes for key in self._store.keys_by_index(index, "0", _LAST))


class StoreTrouble:
    """The faults of the store."""

    def __init__(self, faults: StoreFaults) -> None:
        self._faults = faults

    def trouble_store(self, fault: str, records: str) -> None:
        if records.startswith(TOPIC_DOMAIN):
            noted = {change(records)} if fault == "stale-read" else set[str]()  # a write of either disarms it
            self._faults.arm(fault, layout(records), until={layout(records)} | noted)
        elif records.startswith(_ONE_HEADER):
            key = paths.HEADERS + records.removeprefix(_ONE_HEADER)
            self._faults.arm(fault, key, until={key})
        else:
            kind = records.removesuffix(_AFTER_ONE)
            self._faults.arm(fault, _RECORDS[kind], after=int(kind != records))

    def release_store(self) -> None:
        self._faults.release()


def _seen(operation: OperationRecord) -> OperationSeen:
    position = (operation.ledgerId, operation.entryId) if operation.kind == "ACK" else None
    return OperationSeen(operation.segment, operation.subscription, position, bool(operation.cumulative))
