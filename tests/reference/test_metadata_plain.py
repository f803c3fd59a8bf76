"""Sequences and indexes made of plain records: after a crash between two writes, and with two clients at once. PIP471-66."""

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.plain_entries import BOOKKEEPING
from fencepost.reference.metadata.store import NEW, IndexEntry, KeyChange, MetadataStore, StoreRecord, Unavailable, VersionConflict, under
from fencepost.reference.metadata.store_faults import StoreFaults

WAITING = [IndexEntry("state", "waiting")]
DONE = [IndexEntry("state", "done")]


class Interrupted(MemoryStore):
    """A store for which a test acts as another client before the next write to a key with this prefix."""

    def __init__(self, data: MemoryData) -> None:
        super().__init__(data)
        self._before: list[tuple[str, Callable[[], object]]] = []

    def before_write(self, prefix: str, act: Callable[[], object]) -> None:
        self._before.append((prefix, act))

    def put(self, key: str, value: bytes, **how: Any) -> StoreRecord:
        self._interrupt(key)
        return super().put(key, value, **how)

    def delete(self, key: str, **how: Any) -> None:
        self._interrupt(key)
        super().delete(key, **how)

    def _interrupt(self, key: str) -> None:
        for one in self._before:
            if key.startswith(one[0]):
                self._before.remove(one)
                one[1]()
                return


class RecordsOnly(MemoryStore):
    """A store that has only records."""

    append = keys_by_index = scan_by_index = watch_sequence = None  # type: ignore[assignment]


@pytest.fixture
def data() -> MemoryData:
    """The stored data."""
    return MemoryData()


def found(store: MetadataStore, state: str) -> list[str]:
    return store.keys_by_index("state", state, state + "\0")


def test_only_records_are_asked_for() -> None:
    """Sequences, indexes and their watches work on a store without them."""
    store = PlainStore(RecordsOnly())
    reported: list[str] = []
    store.watch_sequence("s", reported.append, partition_key="s")

    record = store.append("s", b"1", partition_key="s", indexes=WAITING)

    store.settle()
    assert store.scan_by_index("state", "", "~") == [record]
    assert reported == [record.key]


def test_the_bookkeeping_is_hidden_from_clients(data: MemoryData) -> None:
    """Neither ranges nor watches show it, and callers cannot have such keys."""
    store = PlainStore(MemoryStore(data))
    reported: list[str] = []
    store.watch(*under(""), lambda change: reported.append(change.key))
    record = store.append("s", b"1", partition_key="s", indexes=WAITING)

    store.settle()

    assert MemoryStore(data).keys(*under(BOOKKEEPING))
    assert (store.keys(*under("")), store.scan(*under("")), reported) == ([record.key], [record], [record.key])
    for call in (
        lambda: store.get(BOOKKEEPING),
        lambda: store.put(BOOKKEEPING, b""),
        lambda: store.delete(BOOKKEEPING),
        lambda: store.session().put_ephemeral(BOOKKEEPING, b""),
    ):
        with pytest.raises(ValueError, match="keeps for itself"):
            call()


@pytest.mark.parametrize("fault", ["write-fails-before", "write-fails-after"])
@pytest.mark.parametrize("prefix", ["a", BOOKKEEPING])
@pytest.mark.parametrize("act", ["create", "change", "delete"])
def test_a_crash_between_two_writes_leaves_no_wrong_entry(data: MemoryData, fault: str, prefix: str, act: str) -> None:
    """Whichever write is the last, an index returns exactly the records that have that entry."""
    faults = StoreFaults()
    broken, healthy = PlainStore(MemoryStore(data, faults)), PlainStore(MemoryStore(data))
    if act != "create":
        healthy.put("a", b"old", indexes=WAITING)
    faults.arm(fault, prefix)

    with pytest.raises(Unavailable):
        broken.delete("a") if act == "delete" else broken.put("a", b"new", indexes=DONE)

    record = healthy.get("a")
    assert found(healthy, "waiting") == (["a"] if record and record.value == b"old" else [])
    assert found(healthy, "done") == (["a"] if record and record.value == b"new" else [])
    healthy.put("a", b"newer", indexes=WAITING)
    assert (found(healthy, "waiting"), found(healthy, "done")) == (["a"], [])


def test_leftovers_of_one_record_are_no_entries_of_the_next(data: MemoryData) -> None:
    """A record that is created in place of a deleted one has only its own entries."""
    faults = StoreFaults()
    broken, healthy = PlainStore(MemoryStore(data, faults)), PlainStore(MemoryStore(data))
    healthy.put("a", b"", indexes=WAITING)
    faults.arm("write-fails-before", BOOKKEEPING)
    with pytest.raises(Unavailable):
        broken.delete("a")

    healthy.put("a", b"")

    assert found(healthy, "waiting") == []


def test_an_entry_that_another_client_needs_again_is_not_deleted(data: MemoryData) -> None:
    """One client takes a record out of an index and is slow to delete the entry; meanwhile another has put the record back."""
    inner = Interrupted(data)
    slow, fast = PlainStore(inner), PlainStore(MemoryStore(data))
    slow.put("a", b"1", indexes=WAITING)
    inner.before_write("a", lambda: inner.before_write(BOOKKEEPING, lambda: fast.put("a", b"3", indexes=WAITING)))

    slow.put("a", b"2")

    record = fast.get("a")
    assert record
    assert record.value == b"3"
    assert found(fast, "waiting") == ["a"]


def test_an_entry_is_written_again_with_a_record_that_has_to_be_tried_again(data: MemoryData) -> None:
    """Between the entry and its record another client replaces the record, and deletes the entry as a leftover."""
    inner = Interrupted(data)
    slow, fast = PlainStore(inner), PlainStore(MemoryStore(data))
    fast.put("a", b"1", indexes=WAITING)
    inner.before_write("a", lambda: fast.put("a", b"2"))

    slow.put("a", b"3", indexes=WAITING)

    assert found(fast, "waiting") == ["a"]


def test_a_put_that_expects_a_version_is_not_tried_again(data: MemoryData) -> None:
    """Another client was faster: VersionConflict, and its value stays."""
    inner = Interrupted(data)
    slow, fast = PlainStore(inner), PlainStore(MemoryStore(data))
    seen = fast.put("a", b"1").version
    inner.before_write("a", lambda: fast.put("a", b"2"))

    with pytest.raises(VersionConflict):
        slow.put("a", b"3", expected=seen)

    record = fast.get("a")
    assert record
    assert record.value == b"2"


def test_a_deletion_that_expects_nothing_is_tried_again(data: MemoryData) -> None:
    """Another client changes the record meanwhile; a deletion that expects a version is refused then."""
    inner = Interrupted(data)
    slow, fast = PlainStore(inner), PlainStore(MemoryStore(data))
    seen = fast.put("a", b"1").version
    inner.before_write("a", lambda: fast.put("a", b"2"))
    with pytest.raises(VersionConflict):
        slow.delete("a", expected=seen)
    inner.before_write("a", lambda: fast.put("a", b"3"))

    slow.delete("a")

    assert fast.get("a") is None


def test_two_appends_at_once_have_two_numbers(data: MemoryData) -> None:
    """No record is overwritten."""
    inner = Interrupted(data)
    slow, fast = PlainStore(inner), PlainStore(MemoryStore(data))
    inner.before_write("s-", lambda: fast.append("s", b"fast", partition_key="s"))

    slow.append("s", b"slow", partition_key="s")

    assert [(record.key[-1], record.value) for record in fast.scan(*under("s-"))] == [("1", b"fast"), ("2", b"slow")]


@pytest.mark.parametrize("fault", ["write-fails-before", "write-fails-after"])
def test_a_number_is_not_used_again_after_a_crash(data: MemoryData, fault: str) -> None:
    """A record is created without its counter, then the record is deleted: the next record still gets the next number."""
    faults = StoreFaults()
    broken, healthy = PlainStore(MemoryStore(data, faults)), PlainStore(MemoryStore(data))
    faults.arm(fault, BOOKKEEPING)
    with pytest.raises(Unavailable):
        broken.append("s", b"1", partition_key="s")
    (key,) = healthy.keys(*under("s-"))
    healthy.delete(key, partition_key="s")

    record = healthy.append("s", b"2", partition_key="s")

    assert (key[-1], record.key[-1]) == ("1", "2")


def test_a_new_watch_is_notified_of_a_record_that_its_counter_does_not_know(data: MemoryData) -> None:
    """As after a crash between the two writes."""
    faults = StoreFaults()
    broken, healthy = PlainStore(MemoryStore(data, faults)), PlainStore(MemoryStore(data))
    faults.arm("write-fails-before", BOOKKEEPING)
    with pytest.raises(Unavailable):
        broken.append("s", b"1", partition_key="s")
    reported: list[str] = []
    healthy.watch_sequence("s", reported.append, partition_key="s")

    healthy.settle()

    assert reported == healthy.keys(*under("s-"))
    assert len(reported) == 1


def test_a_watch_is_never_reported_a_key_that_is_not_there_yet(data: MemoryData) -> None:
    """The record is created before the counter includes it."""
    inner = Interrupted(data)
    store, other = PlainStore(inner), PlainStore(MemoryStore(data))
    seen: list[StoreRecord | None] = []
    other.watch_sequence("s", lambda key: seen.append(other.get(key, partition_key="s")), partition_key="s")
    for prefix in ("s-", BOOKKEEPING):
        inner.before_write(prefix, other.settle)

    store.append("s", b"1", partition_key="s")
    other.settle()

    assert [record and record.value for record in seen] == [b"1"]


def test_a_store_that_always_conflicts_is_unavailable(data: MemoryData) -> None:
    """It does not try for ever."""

    class Conflicting(MemoryStore):
        def put(self, key: str, value: bytes, **how: Any) -> StoreRecord:
            raise VersionConflict(f"{key} {value!r} {how}")

    store = PlainStore(Conflicting(data))

    with pytest.raises(Unavailable, match="was changed by others before it could be written, 100 times"):
        store.put("a", b"")
    with pytest.raises(VersionConflict):
        store.put("a", b"", expected=NEW)


def test_a_session_over_plain_records_is_the_stores_own(data: MemoryData) -> None:
    """Its record is read as it was written, replaces an indexed one, and is gone with the session, and watchers are notified."""
    store = PlainStore(MemoryStore(data))
    reported: list[KeyChange] = []
    store.put("leader", b"0", indexes=WAITING)
    session = store.session()
    record = session.put_ephemeral("leader", b"1")
    assert (store.get("leader"), found(store, "waiting")) == (record, [])
    store.watch(*under("leader"), reported.append)

    session.close()

    store.settle()
    assert store.get("leader") is None
    assert [change.key for change in reported] == ["leader"]
