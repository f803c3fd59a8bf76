"""The suite on Apache Kafka in a container: what it must say, and that nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import check_where_java_is, compliance, fencepost, verdicts
from docker_here import require_docker

from fencepost import expectations
from fencepost.adapters.common import owners
from fencepost.contract import register

VERSIONS = ("4.0.0", "4.3.1")
MOST_NOT_OFFERED = 10
LEAST_HISTORIES = 300


@pytest.fixture(autouse=True)
def docker() -> None:
    """Skips, visibly, where there is no Docker; fails where FENCEPOST_REQUIRE_CONTAINERS=1."""
    require_docker()


def owners_of_containers() -> list[str]:
    """Who owns the containers of ours that are there, running or not; other runs may have some of their own."""
    command = ["docker", "ps", "-a", "--filter", f"label={owners.LABEL}", "--format", f'{{{{.Label "{owners.LABEL}"}}}}']
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def left_behind() -> list[str]:
    """The owners that are gone and whose containers are not."""
    return [owner for owner in owners_of_containers() if owners.is_gone(owner)]


@pytest.fixture(scope="module", params=VERSIONS)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A release, and the results of a run on it whose histories were judged as well, where there is a Java."""
    require_docker()
    folder = tmp_path_factory.mktemp("kafka")
    image = f"apache/kafka:{request.param}"
    fencepost("run", "kafka", "--container", image, *check_where_java_is(), "--results", folder, expect=0, timeout=1800)
    return request.param, folder


def test_a_release_of_kafka_conforms_but_for_its_known_deviations(judged: tuple[str, Path]) -> None:
    """Every tested requirement is judged and none is red; what deviates is named; little is not offered; the containers are gone."""
    version, folder = judged

    by_verdict: dict[str, set[str]] = {}
    for requirement, verdict in verdicts(folder).items():
        by_verdict.setdefault(verdict, set()).add(requirement)
    known = {entry.requirement for entry in expectations.load_for("kafka", version, True, register.bundled()).entries}
    assert by_verdict.keys() <= {"met", "known_deviation", "not_offered"}
    assert by_verdict.get("known_deviation", set()) <= known
    assert len(by_verdict.get("not_offered", ())) <= MOST_NOT_OFFERED
    assert compliance(folder)["system"] == {"name": "kafka", "version": version, "profile": f"kafka-{version[:3]}"}
    assert left_behind() == []


@pytest.mark.usefixtures("java")
def test_the_histories_of_a_release_of_kafka_show_no_definite_anomaly(judged: tuple[str, Path]) -> None:
    """All of them were judged, and could be read."""
    told = compliance(judged[1])["histories"]

    assert (told["judged"] > LEAST_HISTORIES, told["quarantined"]) == (True, 0)
    assert [anomaly for anomaly in told["anomalies"] if anomaly["red"]] == []


def test_a_broker_that_already_runs_is_judged_and_not_killed(tmp_path: Path) -> None:
    """Behind --bootstrap, a scenario that kills the broker is not offered; and the doctor says so before."""
    from fencepost.adapters.common.patience import PATIENCE_S
    from fencepost.adapters.kafka.container_broker import KafkaBroker
    from fencepost.adapters.kafka.settings import kafka_settings

    broker = KafkaBroker("apache/kafka:4.3.1", kafka_settings().default_configuration, PATIENCE_S)
    try:
        broker.start()
        address = str(broker.address)
        out = fencepost("doctor", "kafka", "--bootstrap", address, expect=0).out
        fencepost("run", "kafka", "--bootstrap", address, "--only", "KIP890-060", "--only", "KIP890-160", "--results", tmp_path, expect=0)
    finally:
        broker.close()

    assert verdicts(tmp_path) == {"KIP890-060": "met", "KIP890-160": "not_offered"}
    assert compliance(tmp_path)["system"]["version"] == "4.3"
    for part in (
        "kafka 4.3",
        "profile kafka-4.3",
        "transaction.version 2",
        "EndTxn v0 to v5",
        "KIP890-160 [1] A decided commit: needs crash",
    ):
        assert part in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_removes_its_container(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and a polite kill give back what was started."""
    command = [
        str(Path(sys.executable).parent / "fencepost"),
        "run",
        "kafka",
        "--container",
        "apache/kafka:4.3.1",
        "--results",
        str(tmp_path),
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (ours := [owner for owner in owners_of_containers() if f" {process.pid} " in owner]) and time.monotonic() < deadline:
        os.sched_yield()

    assert ours
    process.send_signal(number)

    assert process.wait(120) != 0
    assert left_behind() == []
    assert compliance(tmp_path)["complete"] is False


def test_an_image_that_does_not_serve_is_unreachable(tmp_path: Path) -> None:
    """An image that is not there, and one that is no broker, exit with 2 and say what was seen."""
    finished = fencepost("run", "kafka", "--container", "fencepost/no-such-image:1", "--results", tmp_path, expect=2)

    assert "fencepost/no-such-image:1" in finished.out + finished.err
