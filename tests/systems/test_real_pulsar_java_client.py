"""Pulsar's own Java client of scalable topics on a real broker and on the served reference: the same program, the same result.

The client is resolved by Maven. Where there is no Maven or no Java compiler, or the client cannot be resolved, this is skipped.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from served import serve_command

from fencepost.adapters.common.time import WallTime
from fencepost.adapters.pulsar.container import start
from fencepost.adapters.pulsar.pulsar_settings import scalable_settings
from fencepost.adapters.pulsar.reach import serves_transactions
from fencepost.contract.outcomes import Done

IMAGE = "apachepulsar/pulsar:5.0.0-M1"
HERE = Path(__file__).parent / "java"
STARTS_WITHIN_S = 180.0
SHORT_LIVED = "-XX:TieredStopAtLevel=1"
"""For a Java of seconds: what it runs is not worth optimised compilation."""
AS_IT_SHOULD_BE = {"missing": 0, "aborted": 0, "out_of_order": 0, "received": True}

pytestmark = pytest.mark.docker(IMAGE)


@pytest.fixture(scope="module")
def classpath(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The client and what it needs, and the program, compiled."""
    if not (shutil.which("mvn") and shutil.which("javac")):
        pytest.skip("Pulsar's Java client needs Maven and a JDK, and there is none here")
    folder = tmp_path_factory.mktemp("java")
    file = folder / "classpath"
    command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:build-classpath", f"-Dmdep.outputFile={file}"]
    environment = os.environ | {"MAVEN_OPTS": SHORT_LIVED}
    resolved = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    if resolved.returncode or not file.exists():
        pytest.skip(f"Maven cannot resolve Pulsar's Java client here: {resolved.stdout[-500:]}")
    needed = file.read_text()
    compiling = ["javac", f"-J{SHORT_LIVED}", "-cp", needed, "-d", str(folder), str(HERE / "AcrossSplits.java")]
    subprocess.run(compiling, check=True, capture_output=True, timeout=300)
    return f"{folder}{os.pathsep}{needed}"


def result(classpath: str, service: str, admin: str, topic: str) -> dict[str, Any]:
    """What the program reports that its consumer received, without redeliveries.

    Acknowledgements outside of transactions are sent when a client finds the time, so a consumer that reads again reads at least once: one
    run in twelve on 5.0.0-M1 gave all 36 messages of two segments a second time. The order is that of first deliveries.
    """
    command = ["java", SHORT_LIVED, "-cp", classpath, "AcrossSplits", service, admin, topic]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    reported: dict[str, Any] = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    del reported["again"]
    return reported


@pytest.fixture(scope="module")
def real() -> Iterator[tuple[str, str]]:
    """The service URL and the admin URL of a real broker."""
    container = start(IMAGE, partial(scalable_settings().environment, "fresh"), print)
    try:
        assert any(isinstance(serves_transactions(container.place, patience_s=5.0), Done) for _ in WallTime(STARTS_WITHIN_S).attempts())
        yield f"pulsar://{container.place.service}", container.place.admin_url
    finally:
        container.stop()


def test_the_java_client_reads_everything_on_a_real_broker(classpath: str, real: tuple[str, str]) -> None:
    """Across two splits and a merge: key by key in order, the committed transaction whole, the aborted one not at all."""
    assert result(classpath, *real, "java-client") == AS_IT_SHOULD_BE


@pytest.mark.parametrize("profile", ["seed", "pulsar-5.0"])
def test_the_java_client_reads_everything_on_the_served_reference(classpath: str, profile: str, tmp_path: Path) -> None:
    """The same as on a real broker."""
    with serve_command(tmp_path, "--profile", profile, system="pulsar") as served:
        here = (f"pulsar://127.0.0.1:{served.port}", f"http://127.0.0.1:{served.admin_port}")
        assert result(classpath, *here, "java-client") == AS_IT_SHOULD_BE
