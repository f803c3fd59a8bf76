"""The suite on Apache Kafka in a container: the due verdicts, and no container is left afterwards."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from asked_again import judge_container
from commands import check_where_java_is, compliance, fencepost, not_offered, verdicts
from docker_here import IMAGE, NEWEST_IMAGE, OLDER_IMAGE, abandoned_owners, begun_by
from older_release import asked, deviating, requirements_tested

from fencepost.contract.errors import Exit

NOT_OFFERED = {"crash-points", "failed-appends", "sealing", "virtual-time"}
"""What a broker in one container cannot be made to do, and what Kafka does not have."""
LEAST_HISTORIES = 300


NEWEST, RELEASE, OLDER = "4.4.0", "4.3.1", "4.0.0"


@dataclass(frozen=True)
class Judged:
    """A run on a release. Where there is a Java, its histories were judged as well, but for those of an older release in part."""

    version: str
    results: Path
    asked: frozenset[str]
    """The requirements that it was asked to judge; empty for all."""
    red_once: frozenset[str]
    is_checked: bool


EVERYTHING = frozenset[str]()
IN_PART = {
    NEWEST: asked("kafka", NEWEST, "kip890", "core"),
    OLDER: frozenset(deviating("kafka", OLDER)),
}
"""What CI asks of each release."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((NEWEST, IN_PART[NEWEST]), marks=pytest.mark.docker(NEWEST_IMAGE), id=f"{NEWEST} where it deviates"),
        pytest.param((OLDER, IN_PART[OLDER]), marks=pytest.mark.docker(OLDER_IMAGE), id=f"{OLDER} where it deviates"),
        pytest.param((NEWEST, EVERYTHING), marks=[pytest.mark.docker(NEWEST_IMAGE), pytest.mark.thorough], id=NEWEST),
        pytest.param((RELEASE, EVERYTHING), marks=[pytest.mark.docker(IMAGE), pytest.mark.thorough], id=RELEASE),
        pytest.param((OLDER, EVERYTHING), marks=[pytest.mark.docker(OLDER_IMAGE), pytest.mark.thorough], id=OLDER),
    ],
)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Each release is asked where it is known to deviate, and the newest a little of each area; `make test-all` asks each everything."""
    version, only = request.param
    folder = tmp_path_factory.mktemp("kafka")
    options = [f"--only={requirement}" for requirement in sorted(only)]
    check = check_where_java_is() if version == NEWEST or not only else ()
    red_once = judge_container("kafka", f"apache/kafka:{version}", (*options, *check), folder)
    return Judged(version, folder, only, red_once, bool(check))


def test_a_release_of_kafka_conforms_but_for_its_known_deviations(judged: Judged) -> None:
    """Every tested requirement is judged and none is red again when it is asked again; what deviates is named; the containers are gone."""
    by_verdict: dict[str, set[str]] = {}
    for requirement, verdict in verdicts(judged.results).items():
        if requirement in judged.red_once:
            continue
        by_verdict.setdefault(verdict, set()).add(requirement)

    assert by_verdict.keys() <= {"met", "known_deviation", "not_offered"}
    assert by_verdict.get("known_deviation", set()) <= deviating("kafka", judged.version)
    assert not_offered(judged.results) <= NOT_OFFERED
    assert set().union(*by_verdict.values()) | judged.red_once == (judged.asked or requirements_tested("kip890", "core"))
    system = {"name": "kafka", "version": judged.version, "profile": f"kafka-{judged.version[:3]}"}
    assert compliance(judged.results)["system"].items() >= system.items()
    assert abandoned_owners() == []


@pytest.mark.usefixtures("java")
def test_the_histories_of_a_release_of_kafka_show_no_definite_anomaly(judged: Judged) -> None:
    """All of them were judged, and could be read."""
    if not judged.is_checked:
        pytest.skip("CI judges the histories of the newest release; `make test-all` those of each")
    found = compliance(judged.results)["histories"]

    assert (found["judged"] > (len(judged.asked) or LEAST_HISTORIES), found["quarantined"]) == (True, 0)
    assert {anomaly["requirement"] for anomaly in found["anomalies"] if anomaly["red"]} <= judged.red_once


@pytest.mark.docker(IMAGE)
def test_a_run_that_is_interrupted_removes_its_container(tmp_path: Path) -> None:
    """Ctrl-C gives back what was started; that SIGTERM does is shown in test_real_kafka_container.py."""
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
    process.send_signal(signal.SIGINT)

    assert process.wait(120) == Exit.NOT_FINISHED
    assert ours
    assert abandoned_owners() == []
    assert compliance(tmp_path)["complete"] is False


@pytest.mark.docker(IMAGE)
def test_an_image_that_does_not_serve_is_unreachable(tmp_path: Path) -> None:
    """An image that is not there, one that is no name, and one of another broker exit with 2, say which it was, and leave nothing."""
    for system, image, why in (
        ("kafka", "fencepost/no-such-image:1", "is not on this machine, and cannot be pulled"),
        ("kafka", "Apache/Kafka", "is not the name of an image"),
        ("pulsar", "apache/kafka:4.3.1", "is an image of kafka, and the system to judge is pulsar"),
    ):
        finished = fencepost("run", system, "--container", image, "--results", tmp_path, expect=2)
        assert image in finished.out + finished.err
        assert why in finished.out + finished.err
    assert abandoned_owners() == []
