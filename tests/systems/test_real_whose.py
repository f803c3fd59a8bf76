"""The same Apache Kafka under another name is not excused.

Where the user says what it is, it is: tests/fencepost/test_whose.py, and the tutorial on such an image (test_real_tutorial.py).
"""

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


def test_the_same_image_under_another_name_has_no_bundled_deviations(retagged: str, tmp_path: Path) -> None:
    """It is violated, and the failure says that the release does the same, and what to say."""
    options = ("--only", DEVIATES, "--only", "CORE-01", "--no-html", "--results", tmp_path)
    finished = fencepost("run", "kafka", "--container", retagged, *options, expect=1)
    out = " ".join((finished.out + finished.err).split())

    assert verdicts(tmp_path) == {"CORE-01": "met", DEVIATES: "violated"}
    assert f"no bundled deviations: {retagged} is not the official image; if it is Apache Kafka 4.3, use --known-as kafka:4.3" in out
    assert "known in: kafka 4.3 is known to do the same" in out
    system = compliance(tmp_path)["system"]
    assert (system["name"], system["image"]["name"]) == ("corp/broker", retagged)
    assert system["image"]["digest"].startswith("sha256:")
