"""The checker on a cluster: a standalone one on this machine's loopback address."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from check_histories import write
from commands import CHECKOUT, fencepost
from on_one_spark import fencepost_on

from fencepost.pipeline.java import find

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = "127.0.0.1"


def free_port() -> int:
    """A port of the loopback address without a listener."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return int(probe.getsockname()[1])


@contextmanager
def daemon(name: str, *arguments: object, work: Path) -> Iterator[None]:
    """One of Spark's own processes, ended with the test."""
    program = Path(pyspark.__file__).parent / "bin/spark-class"
    small = {"SPARK_DAEMON_MEMORY": "128m", "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    environment = os.environ | {"JAVA_HOME": str(find().home), "SPARK_LOCAL_IP": HERE, "SPARK_WORKER_DIR": str(work)} | small
    command = [str(program), f"org.apache.spark.deploy.{name}", "--host", HERE, "--webui-port", str(free_port()), *map(str, arguments)]
    with (work / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(120)


@pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_cluster_finds_the_same(spark: "SparkSession", tmp_path: Path, workers: int) -> None:
    """Plans and Python work alike run on every worker, in processes that are not the driver's, and the verdict is that of a local session,
    to the last count.
    """
    write("p0 ok send tid=t e=0 x<a@0\np0 ok abort tid=t e=0\np1 ok poll x>a@0\n", "broken", tmp_path / "in")
    (tmp_path / "in/jepsen.edn").write_bytes((CHECKOUT / "tests/pipeline/jepsen/h0006.edn").read_bytes())
    work = tmp_path / "work"
    work.mkdir()
    port = free_port()

    with ExitStack() as running:
        running.enter_context(daemon("master.Master", "--port", port, work=work))
        for _ in range(workers):
            running.enter_context(daemon("worker.Worker", "--cores", 1, "--memory", "1g", f"spark://{HERE}:{port}", work=work))
        fencepost("check", tmp_path / "in", "--results", tmp_path / "far", "--master", f"spark://{HERE}:{port}", expect=1)
    fencepost_on(spark, "check", tmp_path / "in", "--results", tmp_path / "near", expect=1)

    far, near = verdict(tmp_path / "far"), verdict(tmp_path / "near")
    assert far == near
    runs = {run["run"]: run for run in far["runs"]}
    assert runs["broken"]["anomalies"]["G1a"] == {"definite": 1, "possible": 0}
    assert runs["jepsen"]["anomalies"]["duplicate"] == {"definite": 5, "possible": 0}
    assert {path.name for path in work.glob("app-*/*")} >= {str(number) for number in range(workers)}


def verdict(folder: Path) -> dict[str, Any]:
    """The content of verdict.json."""
    reported: dict[str, Any] = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    return reported
