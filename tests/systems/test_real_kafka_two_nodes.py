"""Two nodes in containers: they come up, one is paused and goes on, and nothing is left after every way out."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from docker.errors import APIError  # type: ignore[import-untyped]
from docker_here import IMAGE, containers_of

from fencepost.adapters.common import owners
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.kafka.container import KafkaContainer
from fencepost.adapters.kafka.kafka_container_broker import KafkaBroker
from fencepost.adapters.kafka.kafka_settings import kafka_settings
from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.contract.errors import NotOffered, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done

NEVER_GIVEN = 2**22 + 1
"""A process id that Linux gives to no process."""

needs_docker = pytest.mark.docker(IMAGE)

NEEDS = frozenset({"two-nodes"})
CONFIGURATION = "two-nodes"


def broker() -> KafkaBroker:
    return KafkaBroker(IMAGE, CONFIGURATION, patience_s=20.0)


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[KafkaBroker]:
    started = broker()
    try:
        started.start()
        yield started
    finally:
        started.close()


def networks_of(owner: str) -> list[str]:
    """The networks that carry this owner in their label."""
    command = ["docker", "network", "ls", "--quiet", "--filter", f"label=fencepost.owner={owner}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def belongings(owner: str) -> set[str]:
    return {*containers_of(owner), *networks_of(owner)}


@pytest.mark.parametrize(
    ("said", "refusals", "tries"), [("unable to freeze", 2, 3), ("unable to freeze", 99, 5), ("is not running", 99, 1)]
)
def test_a_node_that_cannot_be_paused_at_once_is_tried_again(monkeypatch: pytest.MonkeyPatch, said: str, refusals: int, tries: int) -> None:
    """Where a busy machine could not freeze it: not for ever, and not for another reason."""
    node, tried = KafkaContainer.__new__(KafkaContainer), []

    def pause() -> None:
        tried.append(said)
        if len(tried) <= refusals:
            raise APIError(said)

    monkeypatch.setattr(node, "get_wrapped_container", lambda: SimpleNamespace(pause=pause), raising=False)
    with pytest.raises(APIError) if refusals == 99 else nullcontext():
        node.pause()

    assert len(tried) == tries


@needs_docker
def test_what_a_paused_leader_is_reported_waits_for_it(two_nodes: KafkaBroker) -> None:
    """The decision is answered meanwhile; its partition gets the marker when the node goes on, and no sooner."""
    session = two_nodes.session(NEEDS)
    probe, name = session.client("A"), session.unique("transfer")
    topic = session.unique("accounts")
    here, there = (TopicPartition(topic, number) for number in range(2))
    assert probe.create_topic(topic, 2, leaders=(1, 2)) == Done(None)
    pair = probe.init_producer_id(name)
    assert isinstance(pair, Done)
    for partition in (here, there):
        written = probe.produce(partition, ["a"], producer=pair.value, transactional_id=name, sequence=0)
        assert isinstance(written, Done)

    session.faults.pause(2)
    ended = probe.end_txn(name, pair.value, commit=True, retry=False)
    left = {here, there}
    for _ in session.time.attempts():
        reported = probe.describe_transaction(name)
        assert isinstance(reported, Done)
        if (left := set(reported.value.partitions)) == {there}:
            break
    session.faults.resume(2)
    settled = probe.settled(name)
    session.close()

    assert isinstance(ended, Done)
    assert (reported.value.state, left) == ("PrepareCommit", {there})
    assert isinstance(settled, Done)
    assert settled.value.state == "CompleteCommit"


@needs_docker
def test_a_session_gives_back_the_nodes_that_it_paused(two_nodes: KafkaBroker) -> None:
    """A scenario that failed while a node was paused does not take the next one with it."""
    session = two_nodes.session(NEEDS)
    session.faults.pause(2)
    session.close()

    following = two_nodes.session(NEEDS)
    created = following.client("A").create_topic(following.unique("accounts"), 2, leaders=(1, 2))
    following.close()

    assert created == Done(None)


@needs_docker
def test_a_node_that_there_is_not_cannot_be_paused(two_nodes: KafkaBroker) -> None:
    """The error says how many there are."""
    session = two_nodes.session(NEEDS)
    with pytest.raises(WrongUsage, match="there is no node 3; configuration two-nodes has 2"):
        session.faults.pause(3)
    session.close()


@needs_docker
def test_nothing_is_left_when_it_is_closed_while_it_starts() -> None:
    """Wherever the start is at that moment, its containers and its network are removed."""
    before = belongings(owners.this_process())
    starting = broker()
    thread = threading.Thread(target=starting.start)

    thread.start()
    starting.close()
    thread.join(60)

    assert not thread.is_alive()
    assert belongings(owners.this_process()) == before


@needs_docker
def test_nothing_is_left_when_the_second_node_ends_as_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that waits learns at once that a node is gone, and why."""
    before = belongings(owners.this_process())
    monkeypatch.setitem(kafka_settings().configurations[CONFIGURATION].more_nodes[0], "KAFKA_PROCESS_ROLES", "nonsense")
    failing = broker()

    failing.start()
    with pytest.raises(SystemUnreachable, match=r"has lost a node, .*\n(.*\n)*.*process.roles"):
        _ = failing.offer
    failing.close()

    assert belongings(owners.this_process()) == before


@needs_docker
def test_nothing_is_left_after_an_interrupt() -> None:
    """Ctrl-C ends the process while a node is paused."""
    program = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # in tests that run in the background it is ignored
        "from fencepost.adapters.kafka.kafka_container_system import KafkaContainerSystem as System\n"
        "from fencepost.adapters.common.owners import this_process\n"
        "print(this_process(), flush=True)\n"
        f"system = System({IMAGE!r})\n"
        "system.open()\n"
        "system.session('a scenario', frozenset({'two-nodes'})).faults.pause(2)\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
    )

    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=600)

    assert ended.returncode == -signal.SIGINT, ended.stderr
    assert belongings(ended.stdout.strip()) == set()


@needs_docker
def test_what_a_killed_process_left_is_swept_by_the_next_start() -> None:
    """Its containers, and the network that they were in."""
    from fencepost.adapters.kafka.container_nodes import start
    from fencepost.adapters.kafka.kafka_login import Passwords

    place, _, began = owners.this_process().split()
    orphan = f"{place} {NEVER_GIVEN} {began}"
    label = f"{owners.LABEL}={orphan}"
    subprocess.run(["docker", "network", "create", "--label", label, "fencepost-orphan"], check=True, capture_output=True)
    subprocess.run(["docker", "create", "--label", label, "--network", "fencepost-orphan", IMAGE], check=True, capture_output=True)
    assert len(belongings(orphan)) == 2

    start(IMAGE, "short", Passwords({}), waits_for=lambda _: None).stop()

    assert belongings(orphan) == set()


def test_each_node_has_its_own_settings_on_top_of_those_of_all() -> None:
    """The second is no controller, and each advertises the port at which it listens."""
    known = kafka_settings()
    first, second = (known.environment(CONFIGURATION, 20_123, node=node) for node in (1, 2))

    assert known.nodes(CONFIGURATION) == 2
    assert (first["KAFKA_NODE_ID"], second["KAFKA_NODE_ID"]) == ("1", "2")
    assert second["KAFKA_PROCESS_ROLES"] == "broker"
    for environment in (first, second):
        assert environment["KAFKA_LISTENERS"].startswith("PLAINTEXT://:20123,")
        assert environment["KAFKA_ADVERTISED_LISTENERS"].startswith("PLAINTEXT://127.0.0.1:20123,")


def test_a_broker_that_another_process_runs_is_not_paused() -> None:
    """The refusal names the owner."""
    for act in (NoFaults("h:1").pause, NoFaults("h:1").resume):
        with pytest.raises(NotOffered, match="two-nodes: h:1 was not started by fencepost"):
            act(2)
