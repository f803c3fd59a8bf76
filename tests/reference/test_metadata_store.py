"""What all metadata stores do: the one in memory, and the one that makes sequences and indexes of plain records. PIP471-66."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from store_machine import StoreMachine

from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.rooted import RootedStore
from fencepost.reference.metadata.store import IndexEntry, KeyChange, MetadataStore, Unavailable, only, under


class InMemory(StoreMachine):
    """Clients of one memory."""

    def __init__(self) -> None:
        super().__init__()
        self.data = MemoryData()

    def open_client(self) -> MetadataStore:
        return MemoryStore(self.data)


class OnPlainRecords(InMemory):
    """Clients of one memory, of which only records are used."""

    def open_client(self) -> MetadataStore:
        return PlainStore(super().open_client())


class UnderARoot(InMemory):
    """Clients of a part of one memory, next to another part with the same keys in it."""

    def open_client(self) -> MetadataStore:
        beside = RootedStore(super().open_client(), "other/")
        beside.put("a", b"of another")
        beside.put("r1/a", b"of another", indexes=[IndexEntry("by time", "1")])
        return RootedStore(super().open_client(), "one/")


class OnPlainRecordsUnderARoot(UnderARoot):
    """The same, with only records."""

    def open_client(self) -> MetadataStore:
        return PlainStore(super().open_client())


def test_a_store_in_memory_is_a_metadata_store() -> None:
    """All clients of one memory see the same records, and all watches are notified."""
    run_state_machine_as_test(InMemory, settings=settings(stateful_step_count=40, deadline=None))


def test_a_store_on_plain_records_is_a_metadata_store() -> None:
    """Also if sequences and indexes are made of records."""
    run_state_machine_as_test(OnPlainRecords, settings=settings(stateful_step_count=40, deadline=None))


@pytest.mark.parametrize("machine", [UnderARoot, OnPlainRecordsUnderARoot])
def test_a_store_under_a_root_is_a_metadata_store(machine: type[StoreMachine]) -> None:
    """It has no records from outside its root."""
    run_state_machine_as_test(machine, settings=settings(stateful_step_count=40, deadline=None))


@pytest.fixture(
    params=[MemoryStore, lambda data: PlainStore(MemoryStore(data)), lambda data: RootedStore(MemoryStore(data), "root/")],
    ids=["memory", "plain", "rooted"],
)
def two_clients(request: pytest.FixtureRequest) -> tuple[MetadataStore, MetadataStore]:
    """Two clients of one store."""
    data = MemoryData()
    return request.param(data), request.param(data)


def test_a_settle_reports_also_what_is_written_because_of_it(two_clients: tuple[MetadataStore, MetadataStore]) -> None:
    """If a watch writes, that change is notified in the same settle, whichever client made it."""
    first, second = two_clients
    reported: list[str] = []
    second.watch(*only("b"), lambda change: reported.append(change.key))
    first.watch(*only("a"), lambda _: first.put("b", b"") and None)
    second.put("a", b"")

    second.settle()

    assert reported == ["b"]


def test_the_writes_of_other_clients_are_notified(two_clients: tuple[MetadataStore, MetadataStore]) -> None:
    """Without a settle, for changes and sequences; and each is notified once."""
    first, second = two_clients
    reported: list[str] = []
    first.watch(*only("a"), lambda change: reported.append(change.key))
    first.watch_sequence("s", reported.append, partition_key="s")
    second.put("a", b"")
    second.append("s", b"", partition_key="s")

    first.hear()
    first.hear()

    assert reported == ["a", "s-00000000000000000001"]


def test_watches_are_reported_in_the_order_of_the_changes(two_clients: tuple[MetadataStore, MetadataStore]) -> None:
    """Whichever client wrote, and whichever watches."""
    first, second = two_clients
    reported: list[str] = []
    first.watch(*under("a"), lambda change: reported.append(f"first {change.key}"))
    second.watch(*under("a"), lambda change: reported.append(f"second {change.key}"))
    second.put("a2", b"")
    first.put("a1", b"")

    first.settle()

    assert reported == ["first a2", "second a2", "first a1", "second a1"]


def test_a_client_that_is_closed_answers_nothing(two_clients: tuple[MetadataStore, MetadataStore]) -> None:
    """A crashed broker's client is Unavailable, its watches get nothing, and its sessions are over; the other client goes on."""
    first, second = two_clients
    reported: list[KeyChange] = []
    first.watch(*under(""), reported.append)
    session = first.session()
    session.put_ephemeral("leader", b"1")
    first.close()

    for call in (
        lambda: first.get("a"),
        lambda: first.put("a", b""),
        lambda: first.append("a", b"", partition_key="a"),
        lambda: first.delete("a"),
        lambda: first.scan("a", "b"),
        lambda: first.keys("a", "b"),
        lambda: first.scan_by_index("i", "a", "b"),
        lambda: first.keys_by_index("i", "a", "b"),
        lambda: first.watch("a", "b", reported.append),
        lambda: first.watch_sequence("a", print, partition_key="a"),
        lambda: session.put_ephemeral("a", b""),
        first.session,
        first.settle,
        first.hear,
    ):
        with pytest.raises(Unavailable):
            call()
    second.settle()

    assert reported == []
    assert second.get("leader") is None


def test_an_index_has_one_key_of_a_record(two_clients: tuple[MetadataStore, MetadataStore]) -> None:
    """Two are refused by name, and nothing is written."""
    store, _ = two_clients

    with pytest.raises(ValueError, match="'by time' was given '1' and '2'"):
        store.put("a", b"", indexes=[IndexEntry("by time", "1"), IndexEntry("by time", "2")])

    assert store.get("a") is None


def test_another_partition_key_is_refused(two_clients: tuple[MetadataStore, MetadataStore]) -> None:
    """A store of several shards would not find the record, so the mistake is reported here."""
    store, _ = two_clients
    store.put("a", b"", partition_key="t1")

    with pytest.raises(ValueError, match="was written with partition key 't1', and is asked for with 't2'"):
        store.get("a", partition_key="t2")
    with pytest.raises(ValueError, match="and is asked for with None"):
        store.delete("a")
