"""Apache Kafka from its jars, as processes: the shipped launchers, tried line by line and asked what a container is asked."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost, verdicts
from docker_here import IMAGE

from fencepost.adapters.common.launcher import read
from fencepost.adapters.kafka.kafka_container_system import KafkaContainerSystem
from fencepost.adapters.kafka.launched_system import LaunchedKafkaSystem

EXAMPLES = CHECKOUT / "examples" / "launchers"
OLDEST_JAVA = 17

needs_docker = pytest.mark.docker(IMAGE)


@pytest.fixture(scope="module")
def kafka_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jars of the image, for the Java of this machine."""
    java = shutil.which("java")
    reported = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr if java else ""
    found = re.search(r'version "(\d+)', reported)
    if not found or int(found[1]) < OLDEST_JAVA:
        pytest.skip(f"Apache Kafka 4 needs Java {OLDEST_JAVA} or later: {reported.partition(chr(10))[0] or 'there is none'}")
    folder = tmp_path_factory.mktemp("kafka")
    container = subprocess.run(["docker", "create", IMAGE], capture_output=True, text=True, check=True).stdout.strip()
    try:
        subprocess.run(["docker", "cp", f"{container}:/opt/kafka/libs", str(folder / "libs")], check=True, capture_output=True)
    finally:
        subprocess.run(["docker", "rm", container], check=True, capture_output=True)
    return folder


@pytest.fixture(autouse=True)
def _reported(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("docker"):
        monkeypatch.setenv("KAFKA_HOME", str(request.getfixturevalue("kafka_home")))


@needs_docker
@pytest.mark.thorough
def test_every_line_of_the_launcher_works() -> None:
    """With every configuration, two nodes and users that log in among them: some twenty starts of a broker."""
    reported = fencepost("doctor", "kafka", "--launcher", EXAMPLES / "kafka-jars.yaml", expect=0).out

    lines = re.findall(r"^  (works|FAILS)  ([^:]*): (.*)$", reported, re.MULTILINE)
    assert {line: verdict for verdict, line, _ in lines if verdict == "FAILS"} == {}
    assert {"start", "stop", "kill", "pause, resume", "settings of two-nodes", "settings of authorizer"} <= {line for _, line, _ in lines}


@needs_docker
@pytest.mark.parametrize(
    ("example", "only"),
    [
        ("kafka-jars", "KIP890-060,KIP890-094,KIP890-267"),
        pytest.param("kafka-jars", "KIP890-163,KIP890-266,KIP890-126,KIP890-173,KIP890-211", marks=pytest.mark.thorough),
        pytest.param("kafka-jars-three-nodes", "KIP890-060,KIP890-211", marks=pytest.mark.thorough),
    ],
)
def test_it_is_judged_like_a_container(tmp_path: Path, example: str, only: str) -> None:
    """One node through a crash and a clean stop; every kind of node, settings and users; and three nodes."""
    results = tmp_path / "results"
    known = ("--known-as", "kafka:4.3.1", "--only", only, "--results", results, "--no-html")

    fencepost("run", "kafka", "--launcher", EXAMPLES / f"{example}.yaml", *known, expect=0, cwd=tmp_path)

    assert set(verdicts(results)) == set(only.split(","))
    assert set(verdicts(results).values()) <= {"met", "known_deviation"}


@pytest.mark.parametrize("example", ["kafka-jars", "kafka-jars-three-nodes"])
def test_all_is_asked_that_a_container_is_asked(monkeypatch: pytest.MonkeyPatch, example: str) -> None:
    """On brokers with the same configurations, as far as is known beforehand; nothing is started."""
    monkeypatch.setenv("KAFKA_HOME", "/opt/kafka")
    monkeypatch.setattr("shutil.which", lambda program, **_: program)
    container, process = KafkaContainerSystem(IMAGE), LaunchedKafkaSystem(read(str(EXAMPLES / f"{example}.yaml")))

    assert process.may_offer() == container.may_offer()
    for capability in container.may_offer():
        assert process.where({capability}) == container.where({capability})
