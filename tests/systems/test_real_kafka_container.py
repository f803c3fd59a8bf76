"""Kafka in a container: it is ready when it reports that, survives a crash with its disk, and is removed however the run ends.

That the interpreter's end is one, and that the next start sweeps what a killed process left, is seen of two nodes:
test_real_kafka_two_nodes.py.
"""

import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from commands import compliance, fencepost, verdicts
from docker_here import IMAGE, OLDER_IMAGE, abandoned_owners, begun_by, containers_of
from stopped import begun

from fencepost.adapters.common import owners
from fencepost.adapters.kafka.handshake import WITHOUT_SEALING
from fencepost.adapters.kafka.kafka_container_broker import KafkaBroker
from fencepost.adapters.kafka.kafka_container_system import KafkaContainerSystem
from fencepost.adapters.kafka.kafka_login import Passwords
from fencepost.adapters.kafka.kafka_settings import kafka_settings
from fencepost.adapters.kafka.kafka_values import LAST_USABLE_EPOCH, IsolationLevel, ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.kafka.system import KafkaAt
from fencepost.contract.errors import NotOffered, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.contract.ports import Handshake

NEVER_GIVEN = 2**22 + 1
"""A process id that Linux gives to no process."""


needs_docker = pytest.mark.docker(IMAGE)


def address_of(handshake: Handshake) -> str:
    (nodes,) = [note for note in handshake.notes if note.startswith("nodes: ")]
    return nodes.removeprefix("nodes: 1 at ")


def levels_of(probe: KafkaProbe) -> Mapping[str, int]:
    answer = probe.api_versions(4)
    assert isinstance(answer, Done)
    return answer.value.finalized


@needs_docker
def test_a_release_is_known_by_its_tag_and_its_features(kafka_container: tuple[KafkaContainerSystem, Handshake]) -> None:
    """The handshake of a released image: exact, with its profile, and nothing missing but what no Kafka has."""
    _, handshake = kafka_container

    assert (handshake.version, handshake.version_is_exact, handshake.profile) == ("4.3.1", True, "kafka-4.3")
    assert handshake.judged_as == ("kafka", "4.3.1")
    assert handshake.image is not None
    assert (handshake.image.name, str(handshake.image.digest)[:7]) == (IMAGE, "sha256:")
    assert handshake.capabilities == {"transactions-v2", "wire-faults"} | kafka_settings().capabilities
    assert handshake.not_offered == (WITHOUT_SEALING,)


@needs_docker
def test_a_broker_with_an_authorizer_lets_in_whom_it_knows_and_logs_no_password(
    monkeypatch: pytest.MonkeyPatch, kafka_container: tuple[KafkaContainerSystem, Handshake]
) -> None:
    """The kit's own user may do everything, another one nothing yet; what the broker wrote, from its start on, has no password."""
    passwords = Passwords.made_up_for(kafka_settings().users("authorizer"))
    monkeypatch.setattr(Passwords, "made_up_for", lambda _: passwords)
    system, _ = kafka_container
    session = system.session("a guarded scenario", frozenset({"authorizer"}))
    probe = session.client("A")

    assert isinstance(probe.init_producer_id(session.unique("x")), Done)
    probe.log_in_as("ordinary")
    assert isinstance(probe.init_producer_id(session.unique("x")), Refused)
    session.close()

    logs = [
        subprocess.run(["docker", "logs", container], check=True, capture_output=True, text=True)
        for container in containers_of(owners.this_process())
    ]
    assert sum("Kafka Server started" in log.stdout for log in logs) == 2
    assert not any(password in log.stdout + log.stderr for log in logs for password in passwords.by_user.values())


@needs_docker
def test_a_scenario_begins_at_the_levels_that_the_broker_was_started_with(
    kafka_container: tuple[KafkaContainerSystem, Handshake],
) -> None:
    """The one before it on this broker left another level."""
    system, _ = kafka_container
    needs = frozenset({"feature-levels"})
    first = system.session("a scenario that moves a level", needs)
    probe = first.client("A")
    before = levels_of(probe)
    assert isinstance(probe.update_feature("transaction.version", 0, lower=True), Done)
    assert any(levels_of(probe) != before for _ in first.time.attempts())
    first.close()

    second = system.session("the next one", needs)

    assert levels_of(second.client("B")) == before
    second.close()


@needs_docker
def test_the_same_broker_by_its_address_is_known_without_a_tag(kafka_container: tuple[KafkaContainerSystem, Handshake]) -> None:
    """A user who names a running broker gets its release, not exactly, and no crashes."""
    _, handshake = kafka_container
    system = KafkaAt(address_of(handshake))

    reported = system.open()
    session = system.session("a scenario")

    assert (reported.version, reported.version_is_exact, reported.profile) == ("4.3", False, "kafka-4.3")
    assert (reported.judged_as, reported.looks_like, reported.image) == (None, ("kafka", "4.3"), None)
    assert reported.capabilities == {"transactions-v2", "aged-ids", "wire-faults"}
    assert {line.split(":")[0] for line in reported.not_offered} == (kafka_settings().capabilities | {"sealing"}) - {"aged-ids"}
    assert any(f"{address_of(handshake)} was not started by fencepost" in line for line in reported.not_offered)
    with pytest.raises(NotOffered, match=r"crash: .* was not started by fencepost"):
        session.faults.crash()
    with pytest.raises(NotOffered, match=r"restart: .* was not started by fencepost"):
        session.faults.restart()


@needs_docker
def test_a_broker_that_already_runs_is_judged_and_not_killed(
    kafka_container: tuple[KafkaContainerSystem, Handshake], tmp_path: Path
) -> None:
    """With --bootstrap, a scenario that kills the broker is not offered; and the doctor reports that before."""
    address = address_of(kafka_container[1])

    out = fencepost("doctor", "kafka", "--bootstrap", address, expect=0).out
    fencepost("run", "kafka", "--bootstrap", address, "--only", "KIP890-060", "--only", "KIP890-160", "--results", tmp_path, expect=0)
    assert verdicts(tmp_path) == {"KIP890-060": "met", "KIP890-160": "not_offered"}
    assert compliance(tmp_path)["system"]["version"] == "4.3"
    for part in (
        "kafka 4.3",
        "profile kafka-4.3",
        "transaction.version 2",
        "EndTxn v0 to v5",
        f"({address} was not started by fencepost; --restart-command CMD says how it is killed and started)",
    ):
        assert part in out


@needs_docker
def test_a_crash_ends_the_broker_and_a_restart_brings_its_log_back(kafka_container: tuple[KafkaContainerSystem, Handshake]) -> None:
    """While it is down nothing is answered; afterwards what was acknowledged is still there, and connections are new."""
    system, _ = kafka_container
    session = system.session("a crash")
    probe = session.client("writer")
    partition = TopicPartition(session.unique("payments"), 0)
    assert probe.create_topic(partition.topic, 1) == Done(None)
    assert isinstance(probe.produce(partition, ["kept"]), Done)

    session.faults.crash()
    down = probe.produce(partition, ["lost"])
    session.faults.restart()
    up = probe.read(partition, IsolationLevel.READ_COMMITTED)
    initialised = probe.init_producer_id(session.unique("writer"))
    session.close()

    assert isinstance(down, Unknown)
    assert down.lost
    assert isinstance(up, Done)
    assert up.value.values() == ["kept"]
    assert isinstance(initialised, Done)


@needs_docker
@pytest.mark.parametrize("starts", [False, True], ids=["dead", "starting"])
def test_a_session_never_begins_with_a_dead_broker(kafka_container: tuple[KafkaContainerSystem, Handshake], starts: bool) -> None:
    """A scenario that failed between crash and restart, or before the broker was back, does not take the next one with it."""
    system, _ = kafka_container
    faults = system.session("crashes and fails").faults
    faults.crash()
    if starts:
        faults.start_again()

    session = system.session("the next")
    outcome = session.client("writer").init_producer_id(session.unique("writer"))
    session.close()

    assert isinstance(outcome, Done)


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(IMAGE, marks=needs_docker),
        pytest.param(OLDER_IMAGE, marks=[pytest.mark.docker(OLDER_IMAGE), pytest.mark.thorough]),
    ],
)
def test_producers_near_their_last_epoch_cost_a_few_records_each(image: str) -> None:
    """The broker takes the epochs that were written into its log, each id once, and raises the last of them itself."""
    broker = KafkaBroker(image, "near-last-epoch", patience_s=20.0, producers=2)
    try:
        broker.start()
        session = broker.session(frozenset())
        probe = session.client("A")
        aged = [outcome.value for outcome in (probe.adopt_aged_id(), probe.adopt_aged_id()) if isinstance(outcome, Done)]
        last = [probe.init_producer_id(one.transactional_id, current=one.producer) for one in aged]
        log = probe.end_offset(TopicPartition("__transaction_state", 0), IsolationLevel.READ_UNCOMMITTED)
        session.close()
    finally:
        broker.close()

    assert last == [Done(ProducerIdentity(one.producer.producer_id, LAST_USABLE_EPOCH)) for one in aged]
    assert len({one.transactional_id for one in aged}) == 2
    assert isinstance(log, Done)
    assert log.value < 50


@needs_docker
def test_two_sessions_share_no_name(kafka_container: tuple[KafkaContainerSystem, Handshake]) -> None:
    """A name is the session's own, and the same within it."""
    system, _ = kafka_container
    one, other = system.session("one"), system.session("other")

    assert one.unique("payments") == one.unique("payments")
    assert one.unique("payments") != other.unique("payments")
    assert one.unique("payments").startswith("payments-")


@needs_docker
def test_nothing_of_ours_is_left_after_close() -> None:
    """Closing removes the container, also while it is still starting, and twice is as good as once."""
    before = containers_of(owners.this_process())
    system = KafkaContainerSystem(IMAGE)

    system.prepare()
    system.close()
    system.close()

    assert containers_of(owners.this_process()) == before
    with pytest.raises(WrongUsage, match=r"after close\(\)"):
        system.session("too late")


@needs_docker
@pytest.mark.parametrize("when", ["starting", pytest.param("serving", marks=pytest.mark.thorough), "serving, and again"])
def test_a_run_that_is_stopped_gives_its_broker_back(tmp_path: Path, when: str) -> None:
    """While it starts, and while it is judged; also where a second signal comes while the first is obeyed. What was found is kept."""
    results = tmp_path / "results"
    results.mkdir()
    (results / "notes.md").write_text("mine", encoding="utf-8")

    with begun("run", "kafka", "--container", IMAGE, "--spec", "core", "--results", results, "--no-html", cwd=tmp_path) as run:
        run.until(lambda: bool(begun_by(run.process.pid)))
        if when != "starting":
            run.until(lambda: bool(list((results / "allure-results").glob("*-result.json"))))
        run.signal(signal.SIGTERM)
        if when == "serving, and again":
            run.signal(signal.SIGTERM, to_all=True)
        finished = run.end(expect=4)

    assert abandoned_owners() == []
    assert "nothing red (SIGTERM)" in finished.out
    assert (compliance(results)["complete"], compliance(results)["stopped"]) == (False, "SIGTERM")
    assert (compliance(results)["scenarios"]["judged"] > 0) is (when != "starting")
    assert (results / "notes.md").read_text(encoding="utf-8") == "mine"


@needs_docker
def test_a_broker_that_ends_is_reported_with_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that waits for a broker learns at once that it is gone, and why."""
    monkeypatch.setitem(kafka_settings().base, "KAFKA_PROCESS_ROLES", "nonsense")
    system = KafkaContainerSystem(IMAGE)

    try:
        with pytest.raises(SystemUnreachable, match=r"ended before it served .* The end of its log:\n(.*\n)*.*process.roles"):
            system.open()
    finally:
        system.close()


def test_docker_that_cannot_be_reached_is_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Docker there is still --bootstrap."""
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    system = KafkaContainerSystem(IMAGE)

    with pytest.raises(SystemUnreachable, match=r"can be started: Connection refused\. Start Docker, .* --bootstrap HOST:PORT"):
        system.open()
    system.close()


def test_a_session_before_open_is_wrong_usage() -> None:
    """Nothing is asked of a system that has not said what it is."""
    for system in (KafkaContainerSystem(IMAGE), KafkaAt("127.0.0.1:9092")):
        with pytest.raises(WrongUsage, match=r"before open\(\)"):
            system.session("too early")
        system.close()


def test_an_owner_is_gone_only_when_that_is_seen() -> None:
    """This process lives; one that has ended does not; a process of another machine cannot be seen from here."""
    place, pid, began = owners.this_process().split()

    assert not owners.is_gone(owners.this_process())
    assert owners.is_gone(f"{place} {pid} {began}1")
    assert owners.is_gone(f"{place} {NEVER_GIVEN} {began}")
    assert not owners.is_gone(f"elsewhere {NEVER_GIVEN} {began}")
    assert not owners.is_gone("nonsense")
