"""The checker on a cluster: a standalone one of two workers, on this machine."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
import pytest
from check_histories import write
from commands import CHECKOUT, fencepost

from fencepost.pipeline.java import find


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def daemon(name: str, *arguments: object, work: Path) -> Iterator[None]:
    """One of Spark's own processes, ended with the test."""
    program = Path(pyspark.__file__).parent / "bin/spark-class"
    environment = os.environ | {"JAVA_HOME": str(find().home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(work)}
    command = [str(program), f"org.apache.spark.deploy.{name}", *map(str, arguments)]
    with (work / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.usefixtures("java")
def test_a_cluster_of_two_workers_finds_the_same(tmp_path: Path) -> None:
    """Python work and plans alike run on the workers; the verdict is that of a local session."""
    write("p0 ok send tid=t e=0 x<a@0\np0 ok abort tid=t e=0\np1 ok poll x>a@0\n", "broken", tmp_path / "in")
    (tmp_path / "in/jepsen.edn").write_bytes((CHECKOUT / "tests/jepsen/h0006.edn").read_bytes())
    port = free_port()
    with ExitStack() as running:
        running.enter_context(daemon("master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", free_port(), work=tmp_path))
        for _ in range(2):
            address = ("--host", "127.0.0.1", "--webui-port", free_port(), "--cores", 1, "--memory", "1g", f"spark://127.0.0.1:{port}")
            running.enter_context(daemon("worker.Worker", *address, work=tmp_path))

        fencepost("check", tmp_path / "in", "--results", tmp_path / "out", "--master", f"spark://127.0.0.1:{port}", expect=1, timeout=170)

    runs = {run["run"]: run for run in json.loads((tmp_path / "out/verdict.json").read_text(encoding="utf-8"))["runs"]}
    assert runs["broken"]["anomalies"]["G1a"] == {"definite": 1, "possible": 0}
    assert runs["jepsen"]["anomalies"]["duplicate"] == {"definite": 5, "possible": 0}
