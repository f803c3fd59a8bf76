"""Brokers at an address as their makers ship them: a Kafka with Apache's own settings, and franz-go's kfake, which is not built from Kafka.

Kafka conforms but for its known deviations: here showed what only our own containers' settings had kept green. kfake deviates as a file
says that people have checked row by row (docs/findings/kfake.md): no red more, and none less.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost, verdicts
from docker_here import IMAGE, require

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.containers import BrokerContainer
from fencepost.adapters.common.kept import Command, Kept
from fencepost.adapters.kafka.reach import reach

BIT_BEFORE = ("KIP890-055", "KIP890-256", "KIP890-353")
"""What was red on a stock Kafka by the suite's own fault: its sessions are long, and its internal topics have 50 partitions."""
ASKED = ("--only=CORE-*", *(f"--only={row}" for row in BIT_BEFORE), "--no-html")
BY_CAUSES = ("13", "17", "20", "21", "29", "31", "38", "52", "69", "74", "91", "96", "122", "128", "145", "270", "272", "273", "274", "275")
"""A row or two of each cause of kfake's reds."""
WAIT_IN_VAIN = ("--skip=CORE-17", "--skip=CORE-19", "--skip=CORE-31")
"""A late write opens another transaction there (KIP890-273), whose end each of these awaits."""
ASKED_OF_KFAKE = (*ASKED, *WAIT_IN_VAIN, *(f"--only=KIP890-{row:0>3}" for row in BY_CAUSES))
DEVIATIONS = CHECKOUT / "examples" / "known-deviations" / "kfake.yaml"


@pytest.fixture
def stock_kafka() -> Iterator[str]:
    """One node; what is set is who and where it is, and that internal topics have one replica, without which one node serves no client."""
    port = free_port()
    environment = {
        "KAFKA_NODE_ID": "1",
        "KAFKA_PROCESS_ROLES": "broker,controller",
        "KAFKA_LISTENERS": f"PLAINTEXT://:{port},CONTROLLER://:9093",
        "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://{LOOPBACK}:{port}",
        "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
        "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
        "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
        "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
    }
    container = BrokerContainer(IMAGE, environment, (port,))
    container.start()
    try:
        reach(Address(LOOPBACK, port), 60)
        yield f"{LOOPBACK}:{port}"
    finally:
        container.stop()


@pytest.fixture
def kfake(tmp_path: Path) -> Iterator[str]:
    """A program that takes a port: the one that KFAKE names, or `kfake` on the path."""
    program = os.environ.get("KFAKE") or shutil.which("kfake")
    require(None if program and Path(program).is_file() else "kfake is not here: name the program by KFAKE, or put it on the path")
    port = free_port()
    broker = Kept(Command("kfake", (str(program), str(port)), {}, tmp_path), tmp_path / "kfake.log")
    try:
        reach(Address(LOOPBACK, port), 60)
        yield f"{LOOPBACK}:{port}"
    finally:
        broker.close()


@pytest.mark.docker(IMAGE)
def test_a_stock_kafka_deviates_as_it_is_known_to(stock_kafka: str, tmp_path: Path) -> None:
    """At an address, with the core and what settings of ours once hid."""
    reported = ("--known-as", "kafka:4.3.1", "--results", tmp_path)

    fencepost("run", "kafka", "--bootstrap", stock_kafka, *ASKED, *reported, expect=0)

    assert {verdicts(tmp_path)[row] for row in BIT_BEFORE} <= {"met", "known_deviation"}


def test_kfake_deviates_as_it_was_checked(kfake: str, tmp_path: Path) -> None:
    """Each entry shows, and nothing else is red."""
    known = ("--expectations", "none", "--expectations", DEVIATIONS)

    fencepost("run", "kafka", "--bootstrap", kfake, *ASKED_OF_KFAKE, *known, "--results", tmp_path / "results", expect=0)

    assert "known_deviation" in verdicts(tmp_path / "results").values()
