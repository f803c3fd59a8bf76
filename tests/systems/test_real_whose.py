"""The same Apache Kafka under three names: excused only under its own, and where the user says what it is."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import compliance, fencepost, verdicts
from docker_here import IMAGE

pytestmark = pytest.mark.docker(IMAGE)

RETAGGED = "corp/broker:2.7"
DEVIATES = "KIP890-164"
"""A requirement that Kafka 4.3.1 breaks each time."""


@pytest.fixture
def retagged() -> Iterator[str]:
    """The same image under another name, which is taken away again."""
    subprocess.run(["docker", "tag", IMAGE, RETAGGED], check=True, capture_output=True)
    yield RETAGGED
    subprocess.run(["docker", "rmi", RETAGGED], check=True, capture_output=True)


def judged(folder: Path, image: str, *given: str, expect: int) -> str:
    options = ("--only", DEVIATES, "--only", "CORE-01", "--no-html", "--results", folder, *given)
    finished = fencepost("run", "kafka", "--container", image, *options, expect=expect)
    return " ".join((finished.out + finished.err).split())


def test_the_same_image_under_another_name_has_no_bundled_deviations(retagged: str, tmp_path: Path) -> None:
    """It is violated, and the failure says that the release does the same, and what to say."""
    out = judged(tmp_path, retagged, expect=1)

    assert verdicts(tmp_path) == {"CORE-01": "met", DEVIATES: "violated"}
    assert f"no bundled deviations: {retagged} is not the official image; if it is Apache Kafka 4.3, say --known-as kafka:4.3" in out
    assert "known in: kafka 4.3 is known to do the same" in out
    system = compliance(tmp_path)["system"]
    assert (system["name"], system["image"]["name"]) == ("corp/broker", retagged)
    assert system["image"]["digest"].startswith("sha256:")


def test_known_as_the_release_it_is_excused_as_under_its_own_name(retagged: str, tmp_path: Path) -> None:
    """It exits with 0, and says why the deviations hold. Under its own name all of them are asked, in test_real_kafka_suite.py."""
    known = judged(tmp_path, retagged, "--known-as", "kafka:4.3.1", expect=0)

    assert verdicts(tmp_path) == {"CORE-01": "met", DEVIATES: "known_deviation"}
    assert "hold, since --known-as kafka:4.3.1 says so; it says that it is 4.3" in known
