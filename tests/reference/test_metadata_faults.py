"""The faults of a metadata store, in memory and any other: each does what its name says, once, to keys with its prefix."""

from collections.abc import Callable

import pytest

from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import KeyChange, MetadataStore, Unavailable, VersionConflict, under
from fencepost.reference.metadata.store_faults import NOTIFICATION_FAULTS, OPERATION_FAULTS, STORE_FAULTS, StoreFaults
from fencepost.reference.metadata.troubled import TroubledStore


@pytest.fixture
def faults() -> StoreFaults:
    """The faults of the store."""
    return StoreFaults()


@pytest.fixture
def store(faults: StoreFaults) -> MetadataStore:
    """The only client, with `a/1` at its second version."""
    store = MemoryStore(faults=faults)
    store.put("a/1", b"old")
    store.put("a/1", b"new")
    return store


def value(store: MetadataStore, key: str) -> bytes | None:
    record = store.get(key)
    return record and record.value


def test_a_name_that_is_none_is_refused(faults: StoreFaults) -> None:
    """With the known names."""
    with pytest.raises(ValueError, match=r"'watch-lots' is no fault of a metadata store; expected one of: stale-read, .*, watch-doubled"):
        faults.arm("watch-lots", "a/")


def test_each_fault_says_what_is_true_then() -> None:
    """The table has a sentence for each, and one name is one kind of fault."""
    assert all(STORE_FAULTS.values())
    assert not OPERATION_FAULTS.keys() & NOTIFICATION_FAULTS.keys()


def test_a_stale_read_answers_the_record_before_its_last_change(store: MetadataStore, faults: StoreFaults) -> None:
    """Its value and its version; the next get returns the record as it is."""
    faults.arm("stale-read", "a/")
    now = store.put("a/1", b"newer")

    stale = store.get("a/1")

    assert stale
    assert (stale.value, stale.version == now.version) == (b"new", False)
    assert store.get("a/1") == now


def test_a_read_that_fails_reports_nothing(store: MetadataStore, faults: StoreFaults) -> None:
    """The next get returns the record."""
    faults.arm("read-fails", "a/")

    with pytest.raises(Unavailable, match="'a/1' was not answered"):
        store.get("a/1")
    assert value(store, "a/1") == b"new"


def test_a_stale_read_of_a_deleted_record_answers_it_still(store: MetadataStore, faults: StoreFaults) -> None:
    """A get of a new record returns none; a key that never changed has no stale value."""
    store.delete("a/1")
    store.put("a/2", b"first")
    faults.arm("stale-read", "a/1")
    faults.arm("stale-read", "a/2")
    faults.arm("stale-read", "a/3")

    assert [value(store, key) for key in ("a/1", "a/2", "a/3")] == [b"new", None, None]
    store.put("a/3", b"first")
    assert [value(store, key) for key in ("a/1", "a/2", "a/3")] == [None, b"first", None]


def test_trouble_of_one_key_alone_comes_to_no_other_and_ends_with_a_write(store: MetadataStore, faults: StoreFaults) -> None:
    """A stale read after that write would not be the intended one; a longer key with the same beginning has separate faults."""
    store.put("a/1", b"newer")
    store.put("a/1/b", b"first")
    for _ in range(3):
        faults.arm("stale-read", "a/1", until={"a/1", "a/2"})

    assert [value(store, key) for key in ("a/1/b", "a/1")] == [b"first", b"new"]
    store.put("a/3", b"first")
    assert value(store, "a/1") == b"new"
    store.put("a/2", b"first")
    assert value(store, "a/1") == b"newer"


WRITES: dict[str, Callable[[MetadataStore], object]] = {
    "put": lambda store: store.put("a/1", b"newest"),
    "append": lambda store: store.append("a/s", b"", partition_key="a"),
    "delete": lambda store: store.delete("a/1"),
    "put_ephemeral": lambda store: store.session().put_ephemeral("a/2", b""),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_write_that_fails_before_has_written_nothing(
    store: MetadataStore, faults: StoreFaults, write: Callable[[MetadataStore], object]
) -> None:
    """It is answered Unavailable, no watcher is notified of a change, and the same write succeeds the second time."""
    reported: list[KeyChange] = []
    store.watch(*under("a/"), reported.append)
    before = store.scan(*under(""))
    faults.arm("write-fails-before", "a/")

    with pytest.raises(Unavailable):
        write(store)

    store.settle()
    assert (store.scan(*under("")), reported) == (before, [])
    write(store)
    assert store.scan(*under("")) != before


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_write_that_fails_after_is_done(store: MetadataStore, faults: StoreFaults, write: Callable[[MetadataStore], object]) -> None:
    """It is answered Unavailable, but the change is made, and watchers are notified of it."""
    reported: list[KeyChange] = []
    store.watch(*under("a/"), reported.append)
    before = store.scan(*under(""))
    faults.arm("write-fails-after", "a/")

    with pytest.raises(Unavailable):
        write(store)

    store.settle()
    assert store.scan(*under("")) != before
    assert len(reported) == 1


def test_an_append_that_failed_after_has_used_its_number(store: MetadataStore, faults: StoreFaults) -> None:
    """The next record of the sequence gets another number."""
    faults.arm("write-fails-after", "s-")
    with pytest.raises(Unavailable):
        store.append("s", b"1", partition_key="s")

    store.append("s", b"2", partition_key="s")

    assert [(record.key[-1], record.value) for record in store.scan(*under("s-"))] == [("1", b"1"), ("2", b"2")]


def test_a_version_conflict_without_a_change(store: MetadataStore, faults: StoreFaults) -> None:
    """Only a write that expects a version can meet it: it was not done, and the retry is."""
    record = store.get("a/1")
    assert record
    faults.arm("version-conflict", "a/")
    record = store.put("a/1", b"newer")

    with pytest.raises(VersionConflict):
        store.put("a/1", b"newest", expected=record.version)

    assert value(store, "a/1") == b"newer"
    assert store.put("a/1", b"newest", expected=record.version).value == b"newest"


def test_a_session_expires_before_its_client_asks(store: MetadataStore, faults: StoreFaults) -> None:
    """Ephemeral records are gone, the session answers Unavailable from then on, and a new one works."""
    session = store.session()
    session.put_ephemeral("leader", b"1")
    faults.arm("session-expires", "a/")
    assert value(store, "leader") == b"1"

    store.get("a/1")

    assert value(store, "leader") is None
    with pytest.raises(Unavailable):
        session.put_ephemeral("leader", b"1")
    assert store.session().put_ephemeral("leader", b"2").value == b"2"


ASKS: dict[str, Callable[[MetadataStore], object]] = {
    "get": lambda store: store.get("a/1"),
    "put": lambda store: store.put("a/1", b"1"),
    "keys": lambda store: store.keys(*under("a/")),
    "scan": lambda store: store.scan(*under("a/")),
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_session_with_any_other_store_expires_as_well(faults: StoreFaults, ask: Callable[[MetadataStore], object]) -> None:
    """Before its client's next request of any kind."""
    store = TroubledStore(MemoryStore(), faults)
    session = store.session()
    session.put_ephemeral("leader", b"1")
    faults.arm("session-expires", "a/")

    ask(store)

    assert value(store, "leader") is None
    with pytest.raises(Unavailable):
        session.put_ephemeral("leader", b"1")
    assert store.session().put_ephemeral("leader", b"2").value == b"2"


def test_a_session_that_expires_when_it_writes_has_not_written(store: MetadataStore, faults: StoreFaults) -> None:
    """The write that meets it is answered Unavailable."""
    session = store.session()
    faults.arm("session-expires", "leader")

    with pytest.raises(Unavailable):
        session.put_ephemeral("leader", b"1")

    assert value(store, "leader") is None


def notified_of(store: MetadataStore) -> list[str]:
    """The values of `a/1` and other keys when a watch is notified of them, from now on."""
    reported: list[str] = []
    store.watch(*under(""), lambda change: reported.append(change.key))
    return reported


def test_a_watch_that_is_lost_is_never_reported(store: MetadataStore, faults: StoreFaults) -> None:
    """It misses that change; it is notified of the next one, and of other keys."""
    reported = notified_of(store)
    faults.arm("watch-lost", "a/")
    for key in ("b/1", "a/1", "a/2"):
        store.put(key, b"")

    store.settle()

    assert reported == ["b/1", "a/2"]


def test_a_watch_that_is_late_is_reported_when_it_is_released(store: MetadataStore, faults: StoreFaults) -> None:
    """In a settle, in the order of the changes, with later ones of that prefix; others are not held."""
    reported = notified_of(store)
    faults.arm("watch-late", "a/")
    for key in ("a/1", "b/1", "a/2"):
        store.put(key, b"")
    store.settle()
    assert reported == ["b/1"]
    store.put("a/3", b"")
    store.settle()
    assert reported == ["b/1"]

    faults.release()

    assert reported == ["b/1"]
    store.put("a/4", b"")
    store.settle()
    assert reported == ["b/1", "a/1", "a/2", "a/3", "a/4"]


def test_what_was_released_is_not_held_again(store: MetadataStore, faults: StoreFaults) -> None:
    """Also if no change had matched before the release."""
    reported = notified_of(store)
    faults.arm("watch-late", "a/")
    faults.release()
    store.put("a/1", b"")

    store.settle()

    assert reported == ["a/1"]


def test_a_watch_that_is_doubled_is_reported_twice(store: MetadataStore, faults: StoreFaults) -> None:
    """For one change, at once."""
    reported = notified_of(store)
    faults.arm("watch-doubled", "a/")
    for key in ("a/1", "a/2"):
        store.put(key, b"")

    store.settle()

    assert reported == ["a/1", "a/1", "a/2"]


def test_notifications_of_a_sequence_have_the_same_faults(store: MetadataStore, faults: StoreFaults) -> None:
    """A number that was not notified is found with the next one."""
    reported: list[str] = []
    store.watch_sequence("s", lambda key: reported.append(key[-1]), partition_key="s")
    faults.arm("watch-lost", "s-")
    store.append("s", b"", partition_key="s")
    store.append("s", b"", partition_key="s")

    store.settle()

    assert reported == ["2"]


def test_the_faults_of_one_client_are_not_those_of_another() -> None:
    """Two brokers watch the same key, and one of them is not notified; nor does a failed read of one fail the other's."""
    data, faults = MemoryData(), StoreFaults()
    troubled, other = MemoryStore(data, faults), MemoryStore(data)
    nothing, reported = notified_of(troubled), notified_of(other)
    faults.arm("watch-lost", "a")
    faults.arm("stale-read", "a")
    other.put("a", b"1")

    other.settle()

    assert (nothing, reported) == ([], ["a"])
    assert (value(other, "a"), value(troubled, "a")) == (b"1", None)


def test_a_fault_happens_to_the_first_that_matches_and_only_to_that(store: MetadataStore, faults: StoreFaults) -> None:
    """Armed twice, it happens twice."""
    faults.arm("write-fails-before", "a/")
    faults.arm("write-fails-before", "a/")

    store.put("b/1", b"")
    for _ in range(2):
        with pytest.raises(Unavailable):
            store.put("a/1", b"newest")
    store.put("a/1", b"newest")

    assert value(store, "a/1") == b"newest"


def test_a_fault_after_one_happens_to_the_second(store: MetadataStore, faults: StoreFaults) -> None:
    """The first write with the prefix succeeds; without that count, it would have the fault. A fault that is armed as well affects the
    first.
    """
    faults.arm("write-fails-before", "a/", after=1)
    store.put("b/1", b"")
    store.put("a/1", b"first")
    with pytest.raises(Unavailable):
        store.put("a/1", b"second")
    store.put("a/1", b"third")

    faults.arm("write-fails-before", "a/", after=1)
    faults.arm("write-fails-before", "a/")
    for _ in range(2):
        with pytest.raises(Unavailable):
            store.put("a/1", b"fourth")

    assert value(store, "a/1") == b"third"


def test_a_watch_that_raises_does_not_lose_what_is_held(store: MetadataStore, faults: StoreFaults) -> None:
    """The caller gets the error; the other notifications come in the next settle."""
    reported = notified_of(store)
    faults.arm("watch-late", "a/")

    def fail(_: KeyChange) -> None:
        raise RuntimeError("a broker's own")

    watch = store.watch(*under("b/"), fail)
    for key in ("a/1", "b/1", "a/2"):
        store.put(key, b"")
    with pytest.raises(RuntimeError, match="a broker's own"):
        store.settle()
    watch.close()
    faults.release()

    store.settle()

    assert reported == ["b/1", "a/1", "a/2"]


def test_a_watch_that_was_closed_is_notified_nothing_and_has_no_fault(store: MetadataStore, faults: StoreFaults) -> None:
    """Also no pending notification; the fault meets the next watch."""
    reported: list[KeyChange] = []
    reported_too: list[KeyChange] = []
    watch = store.watch(*under("a/"), reported.append)
    store.watch(*under("a/"), reported_too.append)
    faults.arm("watch-lost", "a/")
    store.put("a/1", b"")
    watch.close()

    store.settle()

    assert (reported, reported_too) == ([], [])


def test_a_watch_that_closes_itself_is_not_notified_the_second_time(store: MetadataStore, faults: StoreFaults) -> None:
    """A broker that crashes at a notification must not get the second one."""
    reported: list[KeyChange] = []

    def notify(change: KeyChange) -> None:
        reported.append(change)
        watch.close()

    watch = store.watch(*under("a/"), notify)
    faults.arm("watch-doubled", "a/")
    store.put("a/1", b"")

    store.settle()

    assert len(reported) == 1


def test_earlier_states_of_a_key_are_forgotten_after_many_changes(store: MetadataStore, faults: StoreFaults) -> None:
    """A store that serves for long keeps no values of records deleted long ago; then they have no stale read."""
    for number in range(1_000):
        store.put(f"b/{number}", b"")
    faults.arm("stale-read", "a/")

    assert value(store, "a/1") == b"new"
    store.put("a/1", b"newer")
    assert value(store, "a/1") == b"new"
