"""The suite on Apache Kafka in a container: what it must say, and that nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from asked_again import judge_container
from commands import check_where_java_is, compliance, fencepost, verdicts
from docker_here import IMAGE, NEWEST_IMAGE, OLDER_IMAGE, begun_by, left_behind
from older_release import asked, deviating, requirements_tested

from fencepost.contract.errors import Exit

MOST_NOT_OFFERED = 10
LEAST_HISTORIES = 300


NEWEST, RELEASE, OLDER = "4.4.0", "4.3.1", "4.0.0"


@dataclass(frozen=True)
class Judged:
    """A run on a release, whose histories were judged as well where there is a Java."""

    version: str
    results: Path
    asked: frozenset[str]
    """The requirements that it was asked to judge; empty for all."""
    red_once: frozenset[str]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((NEWEST, True), marks=pytest.mark.docker(NEWEST_IMAGE), id=f"{NEWEST} where it deviates"),
        pytest.param((RELEASE, True), marks=pytest.mark.docker(IMAGE), id=f"{RELEASE} where it deviates"),
        pytest.param((OLDER, True), marks=pytest.mark.docker(OLDER_IMAGE), id=f"{OLDER} where it deviates"),
        pytest.param((NEWEST, False), marks=[pytest.mark.docker(NEWEST_IMAGE), pytest.mark.thorough], id=NEWEST),
        pytest.param((RELEASE, False), marks=[pytest.mark.docker(IMAGE), pytest.mark.thorough], id=RELEASE),
        pytest.param((OLDER, False), marks=[pytest.mark.docker(OLDER_IMAGE), pytest.mark.thorough], id=OLDER),
    ],
)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Each release is asked where it is known to deviate and a little of each area; `make test-all` asks each everything."""
    version, in_part = request.param
    only = asked("kafka", version, "kip890", "core") if in_part else frozenset()
    folder = tmp_path_factory.mktemp("kafka")
    options = [f"--only={requirement}" for requirement in sorted(only)]
    red_once = judge_container("kafka", f"apache/kafka:{version}", (*options, *check_where_java_is()), folder)
    return Judged(version, folder, only, red_once)


def test_a_release_of_kafka_conforms_but_for_its_known_deviations(judged: Judged) -> None:
    """Every tested requirement is judged and none is red again when it is asked again; what deviates is named; the containers are gone."""
    by_verdict: dict[str, set[str]] = {}
    for requirement, verdict in verdicts(judged.results).items():
        if requirement in judged.red_once:
            continue
        by_verdict.setdefault(verdict, set()).add(requirement)

    assert by_verdict.keys() <= {"met", "known_deviation", "not_offered"}
    assert by_verdict.get("known_deviation", set()) <= deviating("kafka", judged.version)
    assert len(by_verdict.get("not_offered", ())) <= MOST_NOT_OFFERED
    assert set().union(*by_verdict.values()) | judged.red_once == (judged.asked or requirements_tested("kip890", "core"))
    system = {"name": "kafka", "version": judged.version, "profile": f"kafka-{judged.version[:3]}"}
    assert compliance(judged.results)["system"].items() >= system.items()
    assert left_behind() == []


@pytest.mark.usefixtures("java")
def test_the_histories_of_a_release_of_kafka_show_no_definite_anomaly(judged: Judged) -> None:
    """All of them were judged, and could be read."""
    found = compliance(judged.results)["histories"]

    assert (found["judged"] > (len(judged.asked) or LEAST_HISTORIES), found["quarantined"]) == (True, 0)
    assert {anomaly["requirement"] for anomaly in found["anomalies"] if anomaly["red"]} <= judged.red_once


@pytest.mark.docker(IMAGE)
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
    deadline = time.monotonic() + 300  # two workers collect before the first container is started
    while not (ours := begun_by(process.pid)) and time.monotonic() < deadline:
        os.sched_yield()
    process.send_signal(number)

    assert process.wait(120) == Exit.NOT_FINISHED
    assert ours
    assert left_behind() == []
    assert compliance(tmp_path)["complete"] is False


@pytest.mark.docker(IMAGE)
def test_an_image_that_does_not_serve_is_unreachable(tmp_path: Path) -> None:
    """An image that is not there, one that is no name, and one of another broker exit with 2, say which it was, and leave nothing."""
    for system, image, why in (
        ("kafka", "fencepost/no-such-image:1", "is not on this machine, and cannot be pulled"),
        ("kafka", "Apache/Kafka", "is not the name of an image"),
        ("pulsar", "apache/kafka:4.3.1", "is kafka's, and pulsar is to be judged"),
    ):
        finished = fencepost("run", system, "--container", image, "--results", tmp_path, expect=2)
        assert image in finished.out + finished.err
        assert why in finished.out + finished.err
    assert left_behind() == []
