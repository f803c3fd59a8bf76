"""The metadata store on a real Oxia: it is a metadata store as any other, and it says in time where it is when it does not answer."""

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from docker_here import containers_of
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from store_machine import StoreMachine

from fencepost.adapters.common import owners
from fencepost.adapters.common.address import free_port
from fencepost.adapters.common.oxia_container import OXIA_IMAGE, OxiaContainer, oxia
from fencepost.adapters.common.time import WallTime
from fencepost.reference.metadata import oxia_keys
from fencepost.reference.metadata.oxia import OxiaStore
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.rooted import RootedStore
from fencepost.reference.metadata.store import (
    ChangeKind,
    IndexEntry,
    KeyChange,
    MetadataStore,
    StoreSession,
    Unavailable,
    VersionConflict,
    only,
    under,
)

pytestmark = pytest.mark.docker(OXIA_IMAGE)

IN_TIME_S = 10.0
COMES_BACK_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def server() -> Iterator[OxiaContainer]:
    """One for all tests that do not disturb it; it is removed after them."""
    before = containers_of(owners.this_process())
    with oxia(print) as container:
        yield container
    assert containers_of(owners.this_process()) == before


@pytest.fixture
def own_server() -> Iterator[OxiaContainer]:
    """One that a test may do anything to."""
    with oxia(print) as container:
        yield container


@pytest.fixture
def store(server: OxiaContainer) -> Iterator[OxiaStore]:
    """A client."""
    store = opened(server)
    yield store
    store.close()


def opened(container: OxiaContainer) -> OxiaStore:
    return OxiaStore(str(container.address))


def is_a_metadata_store(open_client: Callable[[], MetadataStore], in_order: bool = True) -> None:
    """Run the state machine, with few examples."""

    class Machine(StoreMachine):
        def open_client(self) -> MetadataStore:
            return open_client()

    Machine.in_order = in_order
    few = settings(max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Machine, settings=few)


def test_a_store_on_oxia_is_a_metadata_store(server: OxiaContainer) -> None:
    """All that holds for the store in memory holds for it."""
    is_a_metadata_store(lambda: opened(server))


def test_a_store_on_plain_records_of_oxia_is_a_metadata_store(server: OxiaContainer) -> None:
    """It needs no sequences and indexes of Oxia's."""
    is_a_metadata_store(lambda: PlainStore(opened(server)))


def test_a_store_on_an_oxia_of_two_shards_is_a_metadata_store() -> None:
    """Except for the order in which watches are notified of different keys."""
    with oxia(print, shards=2) as container:
        is_a_metadata_store(lambda: opened(container), in_order=False)


def test_a_settle_reports_also_what_other_clients_write_because_of_it(server: OxiaContainer, store: OxiaStore) -> None:
    """Two brokers that answer each other's writes are done when one of them is settled."""
    other = OxiaStore(str(server.address), beside=store)
    reported: list[str] = []

    def answer(change: KeyChange) -> None:
        reported.append(change.key)
        (other if len(reported) % 2 else store).put(f"beside/{len(reported)}", b"")

    store.watch("beside/0", "beside/3", answer)
    other.watch("beside/0", "beside/3", answer)
    store.put("beside/0", b"")

    store.settle()

    assert sorted(reported) == [f"beside/{number}" for number in (0, 0, 1, 1, 2, 2)]
    other.close()
    store.settle()


def test_a_store_under_a_root_of_oxia_is_a_metadata_store(server: OxiaContainer) -> None:
    """As brokers that are judged have it, next to each other."""
    is_a_metadata_store(lambda: RootedStore(opened(server), "a broker/"))


def test_the_write_of_another_client_is_notified_when_it_has_arrived(server: OxiaContainer, store: OxiaStore) -> None:
    """Nothing is written for that, and nothing waited for."""
    other = opened(server)
    reported: list[str] = []
    store.watch(*only("heard"), lambda change: reported.append(change.key))
    store.watch_sequence("heard too", reported.append, partition_key="heard too")
    other.put("heard", b"")
    other.append("heard too", b"", partition_key="heard too")

    for _ in WallTime(IN_TIME_S).attempts():
        store.hear()
        if len(reported) == 2:
            break

    assert sorted(reported) == ["heard", "heard too-00000000000000000001"]
    other.close()


def test_tickets_do_not_fill_an_oxia(store: OxiaStore) -> None:
    """All tickets that append leaves, except the newest of each sequence, are deleted, many at a time; the numbers continue."""
    for _ in range(150):
        store.append("many", b"", partition_key="many")

    start = oxia_keys.tickets_under("many")
    left = store._link.ask(lambda client: client.list(start, start + "\uffff", partition_key="many"))

    assert len(left) <= 64 + 1
    assert store.append("many", b"", partition_key="many").key == f"many-{151:020}"


def test_what_lies_under_a_root_is_cleared(store: OxiaStore) -> None:
    """With its index entries and its tickets; records of other roots stay."""
    for root in ("cleared/", "kept/"):
        rooted = RootedStore(store, root)
        rooted.put("a", b"", indexes=[IndexEntry("cleared or not", "1")])
        rooted.append("s", b"", partition_key="s")

    store.clear("cleared/")

    assert store.keys(*under("cleared/")) == []
    assert store.keys_by_index("cleared or not", *under("")) == ["kept/a"]
    start = oxia_keys.tickets_under("cleared/")
    assert store._link.ask(lambda client: client.list(start, start + "\uffff")) == []
    assert store.keys(*under("kept/")) == ["kept/a", "kept/s-00000000000000000001"]


def test_writers_in_several_processes_lose_nothing(server: OxiaContainer, store: OxiaStore) -> None:
    """An Oxia of 0.14.0 that got two writes at once would take none from then on."""
    program = (
        "import sys; from fencepost.reference.metadata.oxia import OxiaStore; store = OxiaStore(sys.argv[1])\n"
        "for number in range(100): store.put(f'{sys.argv[2]}{number:03}', b'')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(server.address), f"by {name}/"]) for name in ("one", "two", "three")]

    assert [writer.wait(COMES_BACK_WITHIN_S) for writer in writers] == [0, 0, 0]
    assert len(store.keys(*under("by "))) == 300


def test_concurrent_appends_have_different_numbers(server: OxiaContainer) -> None:
    """Those of several clients at once, and without a gap where none failed."""
    clients = [opened(server) for _ in range(4)]

    def append(client: OxiaStore) -> list[str]:
        return [client.append("racing", b"", partition_key="racing").key for _ in range(10)]

    with ThreadPoolExecutor(len(clients)) as pool:
        keys = [key for some in pool.map(append, clients) for key in some]

    assert sorted(keys) == [f"racing-{number:020}" for number in range(1, 41)] == clients[0].keys(*under("racing-"))
    for client in clients:
        client.close()


def test_of_concurrent_writers_that_expect_a_version_one_wins(server: OxiaContainer, store: OxiaStore) -> None:
    """The other writers are refused with VersionConflict, which names the key."""
    clients = [opened(server) for _ in range(4)]
    version = store.put("header", b"open").version

    def end(client: OxiaStore) -> str:
        try:
            return str(client.put("header", b"ended", expected=version).version)
        except VersionConflict as error:
            return str(error)

    with ThreadPoolExecutor(len(clients)) as pool:
        ends = sorted(pool.map(end, clients))

    record = store.get("header")
    assert record
    assert ends == sorted([str(record.version), *["'header' is not at the version that was expected"] * 3])
    for client in clients:
        client.close()


def test_an_index_has_one_key_of_a_record_there_too(store: OxiaStore) -> None:
    """Two are refused, as by every store, before a number is used."""
    with pytest.raises(ValueError, match="'i' was given '1' and '2'"):
        store.append("refused", b"", partition_key="refused", indexes=[IndexEntry("i", "1"), IndexEntry("i", "2")])

    assert store.append("refused", b"", partition_key="refused").key.endswith("1")


def test_a_closed_client_answers_nothing(server: OxiaContainer, store: OxiaStore) -> None:
    """Its watches and sessions have ended, of which others are notified."""
    reported: list[KeyChange] = []
    gone: list[KeyChange] = []
    store.watch(*only("closing"), reported.append)
    client = opened(server)
    client.watch(*only("closing"), gone.append)
    session = client.session()
    session.put_ephemeral("closing", b"")
    client.close()
    client.close()

    for call in calls_of(client, session):
        with pytest.raises(Unavailable, match="was closed"):
            call()
    store.settle()

    assert [change.kind for change in reported] == [ChangeKind.CREATED, ChangeKind.DELETED]
    assert gone == []


def calls_of(store: OxiaStore, session: StoreSession) -> list[Callable[[], object]]:
    """Each call of the port."""
    return [
        lambda: store.get("a"),
        lambda: store.put("a", b""),
        lambda: store.append("a", b"", partition_key="a"),
        lambda: store.delete("a"),
        lambda: store.keys("a", "b"),
        lambda: store.scan("a", "b"),
        lambda: store.keys_by_index("i", "a", "b"),
        lambda: store.scan_by_index("i", "a", "b"),
        lambda: store.watch("a", "b", print),
        lambda: store.watch_sequence("a", print, partition_key="a"),
        lambda: session.put_ephemeral("a", b""),
        store.session,
        store.settle,
        lambda: store.clear("a"),
    ]


def in_time(call: Callable[[], object], container: OxiaContainer) -> None:
    """The call is Unavailable, says where, and does not take long."""
    began = time.monotonic()
    with pytest.raises(Unavailable, match=f"the Oxia at {re.escape(str(container.address))} did not do it: "):
        call()
    assert time.monotonic() - began < IN_TIME_S


@pytest.mark.parametrize("stop", ["pause", "kill"])
def test_an_oxia_that_does_not_answer_is_unavailable_in_time(own_server: OxiaContainer, stop: str) -> None:
    """Each call reports where it is. When it is back the same client goes on, and its watches are notified."""
    store = opened(own_server)
    session = store.session()
    session.put_ephemeral("leader", b"")
    reported: list[KeyChange] = []
    store.watch(*only("b"), reported.append)
    halt(own_server, stop)

    with ThreadPoolExecutor(14) as pool:
        waits = [pool.submit(in_time, call, own_server) for call in calls_of(store, session)]
    for wait in waits:
        wait.result()
    in_time(lambda: opened(own_server), own_server)

    bring_back(own_server, stop)
    come_back(lambda: store.put("b", b"back"))
    come_back(store.settle)
    assert [change.key for change in reported][:1] == ["b"]
    store.close()


def test_closing_a_client_of_an_oxia_that_does_not_answer_takes_no_longer(own_server: OxiaContainer) -> None:
    """A broker's crash must not wait for its store."""
    store = opened(own_server)
    store.session().put_ephemeral("leader", b"")
    halt(own_server, "pause")
    began = time.monotonic()

    store.close()

    assert time.monotonic() - began < IN_TIME_S
    bring_back(own_server, "pause")


def test_an_address_without_a_listener_is_reported_in_time() -> None:
    """As one of an Oxia that was never started."""
    port = free_port()

    began = time.monotonic()
    with pytest.raises(Unavailable, match=f"the Oxia at 127.0.0.1:{port} did not do it: "):
        OxiaStore(f"127.0.0.1:{port}")
    assert time.monotonic() - began < IN_TIME_S


def halt(container: OxiaContainer, stop: str) -> None:
    if stop == "pause":
        container.get_wrapped_container().pause()
    else:
        container.kill()


def bring_back(container: OxiaContainer, stop: str) -> None:
    if stop == "pause":
        container.get_wrapped_container().unpause()
    else:
        container.start_again()


def come_back(call: Callable[[], object]) -> None:
    """Until the server serves again, the call may be Unavailable."""
    for _ in WallTime(COMES_BACK_WITHIN_S).attempts():
        with contextlib.suppress(Unavailable):
            call()
            return
    pytest.fail(f"not back within {COMES_BACK_WITHIN_S:g} s")
