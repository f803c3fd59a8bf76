"""A node that a launcher starts is killed, stopped, paused and ended by the lines of its file, and each effect is checked."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from process_brokers import Bench, bench

from fencepost.adapters.common import process_node
from fencepost.adapters.common.process_node import ProcessNode
from fencepost.adapters.common.time import WallTime
from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.evidence import SetUpFailed

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a keeper learns which processes its process leaves")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def await_end(node: ProcessNode) -> None:
    """Return when its process is known to have ended."""
    assert any(not node.is_running() for _ in WallTime(60.0).attempts())


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "T"


@pytest.mark.parametrize("how", ["honest", "deaf", "wrapped"])
def test_a_kill_ends_it_at_once_and_it_starts_again_on_its_data(here: Bench, how: str) -> None:
    """Also one that ignores SIGTERM, and one that a wrapper has started."""
    node = here.fake(how)
    node.start()
    first = here.next_report()

    node.kill()
    first.await_end()
    is_down = not node.is_running()
    node.start_again()

    assert is_down
    assert here.next_report().starts == 2
    assert node.is_running()


@pytest.mark.parametrize("how", ["honest", "wrapped"])
def test_it_is_stopped_by_sigterm(here: Bench, how: str) -> None:
    """With the processes that a wrapper has started."""
    node = here.fake(how)
    node.start()
    report = here.next_report()

    node.shut_down()

    report.await_end()
    assert not node.is_running()


def test_one_that_does_not_stop_is_killed_and_reported(here: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its scenario is inconclusive, and the broker is down."""
    monkeypatch.setattr(process_node, "STOPS_WITHIN_S", 0.05)
    node = here.fake("deaf")
    node.start()
    report = here.next_report()

    with pytest.raises(SetUpFailed, match=r"broker.yaml: `stop` was done, and the broker did not end within 0.05 s, so it was killed"):
        node.shut_down()

    report.await_end()
    assert not node.is_running()


@needs_linux
def test_a_paused_one_does_nothing_until_it_goes_on(here: Bench) -> None:
    """All its processes are stopped."""
    node = here.fake("wrapped")
    node.start()
    report = here.next_report()

    node.pause()
    stopped = is_stopped(report.pid)
    node.resume()

    assert stopped
    assert not is_stopped(report.pid)


def test_a_killed_one_that_was_paused_is_gone(here: Bench) -> None:
    """A pause does not protect it."""
    node = here.fake("honest")
    node.start()
    report = here.next_report()
    node.pause()

    node.kill()

    report.await_end()


@needs_linux
def test_one_that_becomes_a_daemon_is_ended_and_reported(here: Bench) -> None:
    """With the remedy."""
    node = here.fake("daemon")

    node.start()
    await_end(node)

    reported = str(node.end_reported())
    assert "became a daemon; expected a command that stays in the foreground, or `runs: background`" in reported
    (pid,) = re.findall(r"left \S+ \((\d+)\) running, which was killed", reported)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_one_that_fails_is_reported_with_its_exit_code_and_its_log(here: Bench) -> None:
    """As with a container that ends."""
    node = here.node("sh -c 'echo the disk is full; exit 3'")

    node.start()
    await_end(node)

    assert node.last_lines() == "the disk is full"
    assert str(node.end_reported()).endswith("broker.yaml:2: `start` ended with exit code 3")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sh -c 'echo no such disk; exit 4'", r"exit 4'\) ended with exit code 4; it wrote: no such disk"),
        ("sh -c 'sleep 600'", r"did not end within 0\.2 s, and was killed; it wrote nothing"),
    ],
)
def test_a_command_that_fails_or_hangs_is_one_line(here: Bench, monkeypatch: pytest.MonkeyPatch, line: str, words: str) -> None:
    """With the place in the file, the command and its output; nothing is started after it."""
    monkeypatch.setattr(process_node, "COMMAND_WITHIN_S", 0.2 if "600" in line else 60.0)
    node = here.fake("honest", f"prepare: {line}")

    with pytest.raises(SystemUnreachable, match=rf"^--launcher: \S+broker.yaml:3: `prepare` .*{words}$"):
        node.start()

    assert not node.is_running()


@needs_linux
def test_a_command_that_leaves_a_process_is_refused(here: Bench) -> None:
    """The process that it left is killed."""
    node = here.fake("honest", "prepare: sh -c 'sleep 600 & true'")

    with pytest.raises(SystemUnreachable, match=r"`prepare` .* ended and left \S+ \(\d+\) running, which was killed: expected a command"):
        node.start()


def test_a_program_that_cannot_be_run_is_reported(here: Bench) -> None:
    """With the system's reason."""
    program = here.folder / "run" / "node-1" / "data" / "broker"
    node = here.node("'{data}/broker'")
    program.write_text("no program", encoding="utf-8")

    with pytest.raises(SystemUnreachable, match=r"`start` \(\S+/broker\) cannot be run: Permission denied"):
        node.start()


def test_commands_of_its_own_kill_and_stop_it(here: Bench) -> None:
    """They get its data folder; the broker has to be down after them."""
    kill = "sh -c 'kill -9 $(cat {data}/pid)'"
    start = f"sh -c 'echo $$ >{{data}}/pid; exec {here.command('honest')}'"
    node = here.node(start, f"kill: {kill}", f"stop: {kill.replace('-9', '-15')}")
    node.start()
    here.next_report()

    node.kill()
    node.start_again()
    report = here.next_report()
    node.shut_down()

    report.await_end()
    assert report.starts == 2


def test_a_command_that_only_says_that_it_kills_is_found_out(here: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise every scenario with a crash would run without one."""
    monkeypatch.setattr(process_node, "DOWN_WITHIN_S", 0.05)
    node = here.fake("honest", 'kill: "true"')
    node.start()
    here.next_report()

    with pytest.raises(SetUpFailed, match=r"broker.yaml:3: `kill` was done, and the broker did not end within 0.05 s, so it was killed"):
        node.kill()


def test_one_that_is_restarted_by_its_supervisor_is_waited_for(here: Bench) -> None:
    """Its kill is a command; a lost connection shows that it was down, and fencepost does not start it."""
    kill = "sh -c 'kill -9 $(cat {data}/killed)'"
    node = here.fake("restarted", "restarts: by-itself", f"kill: {kill}", "stop: cannot")
    node.start()
    first = here.next_report()
    data = here.folder / "run" / "node-1" / "data"
    (data / "killed").write_text(str(first.pid), encoding="utf-8")

    node.kill()
    node.start_again()
    second = here.next_report()

    assert (second.starts, node.is_running()) == (2, True)
    node.stop()
    second.await_end()


def test_a_supervised_one_that_was_not_killed_is_found_out(here: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connections are still open."""
    monkeypatch.setattr(process_node, "DOWN_WITHIN_S", 0.05)
    node = here.fake("restarted", "restarts: by-itself", 'kill: "true"', "stop: cannot")
    node.start()
    here.next_report()

    with pytest.raises(SetUpFailed, match=r"`kill` was done, and the broker at 127.0.0.1:\d+ is not down within 0.05 s"):
        node.kill()


def test_one_in_the_background_is_killed_started_and_ended_by_commands(here: Bench) -> None:
    """`end` is run when the broker is released."""
    kill = "sh -c 'kill -9 $(cat {data}/pid)'"
    start = f"sh -c '{here.command('honest')} & echo $! >{{data}}/pid'"
    end = f"sh -c 'touch {here.folder}/ended; kill -9 $(cat {{data}}/pid)'"
    node = here.node(start, "runs: background", f"kill: {kill}", "stop: cannot", "pause: cannot", "resume: cannot", f"end: {end}")
    node.start()
    here.next_report()
    was_running = node.is_running()

    node.kill()
    node.start_again()
    second = here.next_report()
    node.stop()

    second.await_end()
    assert (was_running, second.starts) == (True, 2)
    assert (here.folder / "ended").exists()


def test_what_cannot_be_done_is_refused(here: Bench) -> None:
    """No scenario needs it; a caller gets an error."""
    node = here.fake("honest", "stop: cannot")
    node.start()
    here.next_report()

    with pytest.raises(SetUpFailed, match="`stop` says cannot"):
        node.shut_down()


def test_nothing_is_left_when_it_is_given_back(here: Bench) -> None:
    """Its data is removed too; its log stays, for the reason of a red."""
    node = here.fake("wrapped")
    node.start()
    report = here.next_report()

    node.stop()
    node.stop()

    report.await_end()
    assert not node.is_running()
    assert node.log.read_text(encoding="utf-8") == "serving\n"
    assert not (here.folder / "run" / "node-1" / "data").exists()


_OWNER = """
import os, signal, socket, sys
from pathlib import Path
from process_brokers import bench
from fencepost.adapters.common.address import LOOPBACK
folder, report, how = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with bench(folder) as here:
    here.port = report
    if how == "background":
        commands = ("runs: background", "kill: cannot", "stop: cannot", "pause: cannot", "resume: cannot", f"end: touch {folder}/ended")
        here.node(f"sh -c '{here.command('honest')} &'", *commands).start()
    else:
        here.fake(how).start()
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["honest", "wrapped", pytest.param("background", marks=needs_linux)])
def test_all_ends_when_its_owner_is_killed(here: Bench, how: str) -> None:
    """The processes, with all descendants, and their folder; the command `end` is run for one in the background."""
    folder = here.folder / "owner"
    folder.mkdir()
    command = [sys.executable, "-c", _OWNER, str(folder), str(here.port), how]
    environment = os.environ | {"PYTHONPATH": str(Path(process_node.__file__).parent) + os.pathsep + os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as owner:
        report = here.next_report()
        owner.send_signal(signal.SIGKILL)

    report.await_end()

    assert any(not (folder / "run").exists() for _ in WallTime(30.0).attempts())
    assert (folder / "ended").exists() is (how == "background")


@needs_linux
def test_all_ends_when_its_keeper_is_killed(here: Bench) -> None:
    """The process dies with its keeper, and is known to be down."""
    node = here.fake("honest")
    node.start()
    report = here.next_report()
    keeper = int(Path(f"/proc/{report.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])

    os.kill(keeper, signal.SIGKILL)
    report.await_end()

    assert any(not node.is_running() for _ in WallTime(30.0).attempts())


def test_a_port_is_free_again_after_a_kill(here: Bench) -> None:
    """The next start listens there."""
    node = here.fake("honest")
    node.start()
    here.next_report()

    node.kill()

    with socket.create_server((node.address.host, node.address.port)):
        pass
