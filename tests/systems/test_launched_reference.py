"""The served reference as a team's broker that a launcher file starts: it is judged, faults are reported, and nothing of it is left."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import CHECKOUT, compliance, fencepost, verdicts
from process_brokers import FAKE
from stopped import begun

from fencepost.adapters.common import container_broker, owners, run_folder
from fencepost.adapters.common.launcher import read
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.kafka.launched_system import LaunchedKafkaSystem
from fencepost.contract.errors import SystemUnreachable

SERVE = f"{sys.executable} -m fencepost serve kafka --port {{port}}"


def launcher(folder: Path, *lines: str, example: str = "reference") -> Path:
    """The example, with another command that starts it, and further lines."""
    text = (CHECKOUT / "examples" / "launchers" / f"{example}.yaml").read_text(encoding="utf-8")
    path = folder / "broker.yaml"
    path.write_text(text.replace("fencepost serve", f"{sys.executable} -m fencepost serve") + "\n".join(lines), encoding="utf-8")
    return path


def plain(folder: Path, start: str, *lines: str) -> Path:
    path = folder / "broker.yaml"
    path.write_text("\n".join(["name: a broker", f"start: {start}", *lines, ""]), encoding="utf-8")
    return path


def processes_with(word: str) -> list[str]:
    """The processes of this machine whose command has that word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if word in command:
            found.append(f"{path.parent.name}: {command}")
    return found


def folders(where: Path) -> list[Path]:
    return list(where.glob("fencepost-run-*"))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs have their folders."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_the_example_is_judged_and_given_back(tmp_path: Path, temporary: Path) -> None:
    """With settings that are passed as arguments: transactional ids expire after 3 s on a separate broker."""
    only = ("--only", "KIP890-060,KIP890-137,KIP890-165", "--results", tmp_path / "results", "--no-html")

    run = fencepost("run", "kafka", "--launcher", launcher(tmp_path), *only, "--plan", expect=0)
    assert "brokers, in processes of" in run.out
    fencepost("run", "kafka", "--launcher", launcher(tmp_path), *only, expect=0, cwd=tmp_path)

    assert verdicts(tmp_path / "results")["KIP890-060"] == "met"
    assert compliance(tmp_path / "results")["complete"]
    assert folders(temporary) == []


def test_the_log_of_the_broker_is_next_to_a_red(tmp_path: Path, temporary: Path) -> None:
    """A release's deviation, which is no known deviation of another broker."""
    file = plain(tmp_path, f"sh -c 'echo what it wrote; exec {SERVE} --profile kafka-4.3'", "data: none")
    del temporary

    only = ("--only", "KIP890-275", "--parity", "--results", tmp_path / "results", "--no-html")
    run = fencepost("run", "kafka", "--launcher", file, *only, expect=1, cwd=tmp_path)

    (log,) = (tmp_path / "results" / "broker-logs").iterdir()
    assert "broker log:" in run.out
    assert log.name in run.out
    assert log.read_text(encoding="utf-8").startswith("--- node-1\n")


def test_doctor_tries_each_line(tmp_path: Path, temporary: Path) -> None:
    """And says which works."""
    reported = fencepost("doctor", "kafka", "--launcher", launcher(tmp_path), expect=0).out

    assert "works  start: 1 node, serves after" in reported
    assert "works  pause, resume: answers no client while it is paused, and continues" in reported
    assert "works  settings of expiring: 1 node, serves after" in reported
    assert "two-nodes: " in reported
    assert folders(temporary) == []


def test_doctor_finds_what_does_not_work(tmp_path: Path, temporary: Path) -> None:
    """A broker that loses its data, and a kill that ends no process; the exit code shows it."""
    reported = fencepost("doctor", "kafka", "--launcher", plain(tmp_path, SERVE, "kill: 'true'"), expect=2).out

    assert "FAILS  stop: a topic that was made before is not there: is {data} its folder for data?" in reported
    assert "FAILS  kill: " in reported
    assert "`kill` was done, and the broker did not end within 10 s, so it was killed" in reported
    assert folders(temporary) == []


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("sh -c 'echo no disk; exit 3'", "/broker.yaml:2: `start` ended with exit code 3); the last attempt"),
        (f"{sys.executable} {FAKE} {{port}} 1 {{data}} daemon", "it became a daemon; expected a command that stays in the foreground"),
        (
            "sleep 600",
            "does not serve, and has written nothing for 0.2 s (expected a broker that listens at {port} of 127.0.0.1); the last",
        ),
    ],
)
def test_a_broker_that_does_not_come_is_reported_and_ended(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, start: str, words: str
) -> None:
    """One that fails, one that becomes a daemon, one that hangs."""
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr(container_broker, "_QUIET_FOR_S", 0.2)
    monkeypatch.setattr(container_broker, "_LOOKED_AT_EVERY_S", 0.05)
    system = LaunchedKafkaSystem(read(str(plain(tmp_path, start))))

    with pytest.raises(SystemUnreachable) as raised:
        system.open()
    system.close()

    assert words in str(raised.value)
    assert str(raised.value).startswith(f"the broker that {tmp_path}/broker.yaml starts, configuration short, ")
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the list of processes is read from /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_run_that_is_ended(tmp_path: Path, temporary: Path, number: signal.Signals) -> None:
    """Also where it was killed: no broker, no keeper, no folder."""
    mark = f"mark-{os.getpid()}-{int(number)}"
    file = plain(tmp_path, f"sh -c '{SERVE}; true' {mark}", "data: none")
    results = tmp_path / "results"

    with begun("run", "kafka", "--launcher", file, "--spec", "core", "--results", results, "--no-html", cwd=tmp_path) as run:
        run.until(lambda: bool(list((results / "history").glob("*.jsonl.gz"))))
        assert any(mark in one for one in processes_with(mark))
        run.signal(number)
        run.process.communicate()

    assert soon(lambda: not processes_with(mark))
    assert soon(lambda: not processes_with(f"serve kafka --port {port_of(results)}")) if number == signal.SIGTERM else True
    assert soon(lambda: folders(temporary) == [])


def soon(is_so: Callable[[], bool]) -> bool:
    return any(is_so() for _ in WallTime(60.0).attempts())


def port_of(results: Path) -> str:
    """The broker's port, by the nodes that a run notes."""
    notes = (results / "environment.json").read_text(encoding="utf-8")
    return notes.partition("nodes: 1 at 127.0.0.1:")[2].partition('"')[0]


def test_what_a_killed_run_left_is_swept_by_the_next(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was killed while its broker was down has no keeper; a run that lives keeps its folder."""
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    living, killed = run_folder.make(), run_folder.make()
    place, _, began = owners.this_process().split()
    (killed / "owner").write_text(f"{place} {2**22 + 1} {began}", encoding="utf-8")

    new = run_folder.make()

    assert set(temporary.iterdir()) == {living, new}


def test_options_that_exclude_each_other_are_reported(tmp_path: Path) -> None:
    """What a launcher offers already, no option has to allow."""
    file = plain(tmp_path, SERVE)

    for more, words in (
        (("--bootstrap", "127.0.0.1:1"), "--bootstrap and --launcher exclude each other"),
        (("--restart-command", "true"), "--restart-command and --launcher exclude each other"),
    ):
        assert words in fencepost("run", "kafka", "--launcher", file, *more, "--plan", expect=2).err
    assert "whose broker is it?" in fencepost("run", "--launcher", file, expect=2).err
