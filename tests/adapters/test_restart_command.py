"""A restart command gets its task, its effect is checked, and a scenario that it fails is inconclusive with its output."""

import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencepost.adapters.common import restart_command
from fencepost.adapters.common.address import Address
from fencepost.adapters.common.restart_command import CommandedFaults, RestartCommand
from fencepost.contract.errors import NotOffered, WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown

NO_USERS = Address("127.0.0.1", 1)
"""An address without a listener."""


@pytest.fixture
def listening() -> Iterator[Address]:
    """An address with a listener."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Address(*listener.getsockname())


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart_command, "_DOWN_WITHIN_S", 0.1)
    monkeypatch.setattr(restart_command, "_SERVES_WITHIN_S", 0.1)


def noting(folder: Path) -> RestartCommand:
    """A command that writes its task into a file."""
    return RestartCommand.of(f"sh -c 'echo $FENCEPOST_FAULT $FENCEPOST_BROKER >> {folder}/reported'")


def reported(folder: Path) -> list[str]:
    path = folder / "reported"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


class Broker:
    """A broker that starts to serve when a test sets it."""

    def __init__(self, serves: bool = True) -> None:
        self.is_serving = serves

    def ask(self) -> Outcome[object]:
        return Done(1) if self.is_serving else Unknown("the connection was refused")


def test_it_is_split_into_words_and_no_shell_reads_it(tmp_path: Path) -> None:
    """Signs with a meaning in a shell have none."""
    program = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    command = RestartCommand.of(f"{sys.executable} -c '{program}' '{tmp_path}/a file' '$HOME; true > {tmp_path}/b'")

    command.run("crash", NO_USERS)

    assert (tmp_path / "a file").read_text(encoding="utf-8") == f"$HOME; true > {tmp_path}/b"
    assert [path.name for path in tmp_path.iterdir()] == ["a file"]


def test_a_crash_and_a_restart_are_two_calls(tmp_path: Path) -> None:
    """Each call gets the fault and the broker."""
    faults = CommandedFaults(noting(tmp_path), NO_USERS, Broker().ask)

    faults.crash()
    faults.restart()

    assert reported(tmp_path) == ["crash 127.0.0.1:1", "start 127.0.0.1:1"]


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    """With its exit code and the end of its output; also if it wrote nothing."""
    for line, words in (("echo no such container >&2; exit 3", "exit code 3; it wrote: no such container"), ("exit 4", "it wrote nothing")):
        with pytest.raises(SetUpFailed, match=words):
            CommandedFaults(RestartCommand.of(f"sh -c '{line}'"), NO_USERS, Broker().ask).crash()
    assert reported(tmp_path) == []


def test_a_command_that_does_not_end_is_ended() -> None:
    """With all that it started."""
    with pytest.raises(SetUpFailed, match=r"FENCEPOST_FAULT=start\) did not end within 0.2 s; it wrote: waiting"):
        RestartCommand(("sh", "-c", "echo waiting; sleep 60"), ends_within_s=0.2).run("start", NO_USERS)


def test_a_broker_that_it_leaves_in_the_background_is_not_waited_for(tmp_path: Path) -> None:
    """Although it keeps the command's output open."""
    gate = tmp_path / "gate"
    RestartCommand(("sh", "-c", f"mkfifo {gate}; cat {gate} &"), ends_within_s=30.0).run("start", NO_USERS)

    with gate.open("w", encoding="utf-8"):  # opens only while it is read: the background process was there, and ends now
        pass


def test_a_broker_that_still_listens_was_not_killed(listening: Address) -> None:
    """Otherwise every scenario with a crash would run without one."""
    with pytest.raises(SetUpFailed, match="still takes connections"):
        CommandedFaults(RestartCommand.of("true"), listening, Broker().ask).crash()


def test_a_broker_that_does_not_come_back_leaves_the_scenario_inconclusive() -> None:
    """With the last attempt."""
    faults = CommandedFaults(RestartCommand.of("true"), NO_USERS, Broker(serves=False).ask)
    faults.crash()

    with pytest.raises(SetUpFailed, match=r"does not serve transactions within .* the connection was refused"):
        faults.restart()


def test_what_a_scenario_left_dead_is_started_for_the_next_and_at_the_end(tmp_path: Path) -> None:
    """Once; and a broker that serves is not restarted, whatever the command reported before."""
    broker = Broker(serves=False)
    faults = CommandedFaults(noting(tmp_path), NO_USERS, broker.ask)
    faults.bring_back()
    faults.crash()
    with contextlib.suppress(SetUpFailed):
        faults.bring_back()
    faults.leave()

    assert reported(tmp_path) == ["crash 127.0.0.1:1", "start 127.0.0.1:1"]

    faults.crash()
    broker.is_serving = True
    faults.bring_back()
    faults.leave()
    assert reported(tmp_path)[2:] == ["crash 127.0.0.1:1"]

    faults.crash()
    faults.leave()
    assert reported(tmp_path)[-1] == "start 127.0.0.1:1"


def test_nothing_else_is_done_by_a_restart_command() -> None:
    """A node is not paused, and there are no crash points."""
    faults = CommandedFaults(RestartCommand.of("true"), NO_USERS, Broker().ask)
    for act in (lambda: faults.pause(2), lambda: faults.resume(2), lambda: faults.crash_at("decided")):
        with pytest.raises(NotOffered):
            act()


@pytest.mark.parametrize(
    ("text", "why"),
    [("no-such-program --x", "no program 'no-such-program'"), ("sh -c 'open", "no closing quotation"), ("", "is empty")],
)
def test_what_is_no_command_is_refused(text: str, why: str) -> None:
    """Before any request."""
    with pytest.raises(WrongUsage, match=why):
        RestartCommand.of(text)
