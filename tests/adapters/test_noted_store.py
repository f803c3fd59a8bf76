"""A metadata store that notes its writes: those that succeeded, those with an unknown outcome, and nothing else."""

from contextlib import suppress

import pytest

from fencepost.adapters.noted_store import NotedStore
from fencepost.adapters.pulsar.store_writes import StoreWrite
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import NEW, IndexEntry, KeyChange, StoreError, Unavailable, VersionConflict, only, under
from fencepost.reference.metadata.store_faults import StoreFaults


class Noted:
    """A noted store in memory, its notes, and its faults."""

    def __init__(self) -> None:
        self.notes: list[tuple[StoreWrite, str | None]] = []
        self.faults = StoreFaults()
        self.store = NotedStore(MemoryStore(faults=self.faults), lambda write, doubt: self.notes.append((write, doubt)))


@pytest.fixture
def noted() -> Noted:
    """A noted store without records."""
    return Noted()


def test_each_write_that_was_done_is_noted_once(noted: Noted) -> None:
    """In order; an append with the key that the store gave."""
    noted.store.put("a", b"1", expected=NEW)
    noted.store.append("s", b"2", partition_key="p")
    noted.store.delete("a")

    assert noted.notes == [
        (StoreWrite("put", "a", b"1"), None),
        (StoreWrite("append", "s-00000000000000000001", b"2"), None),
        (StoreWrite("delete", "a"), None),
    ]


def test_a_write_that_meets_another_version_is_not_noted(noted: Noted) -> None:
    """Nothing was written."""
    record = noted.store.put("a", b"1")

    for version in (NEW, record.version + 1):
        with pytest.raises(VersionConflict):
            noted.store.put("a", b"2", expected=version)
        with pytest.raises(VersionConflict):
            noted.store.delete("a", expected=version)

    assert len(noted.notes) == 1


@pytest.mark.parametrize("fault", ["write-fails-before", "write-fails-after"])
def test_of_a_write_without_an_answer_the_doubt_is_noted(noted: Noted, fault: str) -> None:
    """The writer cannot know whether it was done, and gets the store's error."""
    for _ in range(3):
        noted.faults.arm(fault, "")
    with pytest.raises(Unavailable):
        noted.store.put("a", b"1")
    with pytest.raises(Unavailable):
        noted.store.append("s", b"2", partition_key="p")
    with pytest.raises(Unavailable):
        noted.store.delete("a")

    assert [(write.name, write.key, doubt is not None) for write, doubt in noted.notes] == [
        ("put", "a", True),
        ("append", "s", True),
        ("delete", "a", True),
    ]


def test_it_answers_as_the_store_below(noted: Noted) -> None:
    """Reads, watches and sessions are those of the store, and are not noted."""
    reported: list[KeyChange | str] = []
    store = noted.store
    store.watch(*only("a"), reported.append)
    store.watch_sequence("s", reported.append, partition_key="p")
    record = store.put("a", b"1", partition_key="p", indexes=[IndexEntry("i", "x")])
    numbered = store.append("s", b"2", partition_key="p", indexes=[IndexEntry("i", "y")])
    store.settle()

    assert store.get("a", partition_key="p") == record
    assert (store.keys(*under("")), store.scan(*under(""))) == (["a", numbered.key], [record, numbered])
    assert (store.keys_by_index("i", "x", "z"), store.scan_by_index("i", "y", "z")) == (["a", numbered.key], [numbered])
    assert [one if isinstance(one, str) else one.key for one in reported] == ["a", numbered.key]
    store.session().put_ephemeral("e", b"3")
    assert len(noted.notes) == 2

    store.close()
    with suppress(StoreError):
        store.put("a", b"4")
    assert noted.notes[-1][1] is not None
