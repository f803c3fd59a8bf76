"""The example of a client with a transaction key: two tasks of one key, of which the first is held up before it commits."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import CHECKOUT
from pulsar_clients import session
from served import Command, serve_command
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import InitialPosition, ProducerHandle, SubType, persistent
from fencepost.contract.outcomes import Done
from fencepost.reference.pulsar import PulsarProfile

TASK = CHECKOUT / "examples" / "transaction_key" / "task.py"


@pytest.fixture(scope="module", params=PulsarProfile.names())
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """With every profile: those of releases get transaction keys too."""
    options = ("--profile", request.param, "--transaction-keys")
    with serve_command(tmp_path_factory.mktemp("served"), *options, system="pulsar") as command:
        yield command
        assert "Traceback" not in command.log.read_text()


@pytest.fixture
def probe(served: Command) -> Iterator[PulsarProbe]:
    ours = session(served.port, served.admin_port)
    yield ours.client("probe")
    ours.close()


class Task:
    """One process of the example."""

    def __init__(self, served: Command, key: str, source: str, target: str) -> None:
        command = [sys.executable, str(TASK), str(served.port), key, source, target]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path(TASK).parent
        )

    def says(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def go_on(self) -> tuple[str, str]:
        """What it says until its end, and what as an error."""
        out, error = self._process.communicate("\n", timeout=60)
        return out.strip(), error.strip()


def test_of_two_tasks_of_one_key_the_later_one_commits(served: Command, probe: PulsarProbe) -> None:
    """The task that was delayed is answered that its transaction is expired, and the output is there once."""
    source, target = persistent("input"), persistent("output")
    match probe.producer(source):
        case Done(ProducerHandle() as producer):
            value_of(probe.send(producer, "order"))
        case trouble:
            raise AssertionError(trouble)
    first = Task(served, "billing", "input", "output")
    assert [first.says(), first.says()] == ["connected, epoch 0", "processed order"]
    second = Task(served, "billing", "input", "output")
    assert [second.says(), second.says()] == ["connected, epoch 1", "processed order"]

    late, current = first.go_on(), second.go_on()

    assert (late[0], current) == ("", ("committed", ""))
    assert "fenced: ExpiredTransaction" in late[1]
    value_of(probe.send(done_producer(probe, target), "sentinel"))
    match probe.subscribe(target, "check", SubType.EXCLUSIVE, initial=InitialPosition.EARLIEST):
        case Done(consumer):
            seen = probe.receive_until(consumer, "sentinel")
        case trouble:
            raise AssertionError(trouble)
    assert isinstance(seen, Done)
    assert [message.value for message in seen.value] == ["done: order", "sentinel"]


def done_producer(probe: PulsarProbe, topic: str) -> ProducerHandle:
    match probe.producer(topic):
        case Done(producer):
            return producer
        case trouble:
            raise AssertionError(trouble)
