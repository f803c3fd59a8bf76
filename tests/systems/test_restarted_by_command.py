"""A broker that its owner started is killed and restarted by the owner's command, in a separate process."""

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import compliance, fencepost

KILL_OR_START = Path(__file__).parents[1] / "fakes" / "kill_or_start.py"


class Ours:
    """The served reference, whose owner has a command that kills and starts it."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.folder = folder
        self.command = [sys.executable, str(KILL_OR_START), str(folder), "kafka", "--port", self.address.rpartition(":")[2]]

    def do(self, fault: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
        subprocess.run(self.command, env=environment | {"FENCEPOST_FAULT": fault, "FENCEPOST_BROKER": "by hand"}, check=True, timeout=300)

    def reported(self) -> list[str]:
        return (self.folder / "reported").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Ours]:
    folder = tmp_path / "ours"
    folder.mkdir()
    broker = Ours(folder)
    broker.do("start")
    yield broker
    broker.do("crash")


def test_a_broker_that_loses_everything_in_a_crash_is_found(ours: Ours, tmp_path: Path) -> None:
    """Its process is really another one afterwards, and it is left running. All share one crash, and each has one more, alone."""
    before = (ours.folder / "pid").read_text(encoding="utf-8")
    options = ("--bootstrap", ours.address, "--restart-command", shlex.join(ours.command), "--only", "CORE-24")

    fencepost("run", "kafka", *options, "--no-html", "--results", tmp_path / "r", expect=1)

    (found,) = [one for one in compliance(tmp_path / "r")["requirements"] if one["scenarios"]]
    assert {one["verdict"] for one in found["scenarios"]} == {"violated"}
    assert ours.reported()[1:] == [f"crash {ours.address}", f"start {ours.address}"] * (1 + len(found["scenarios"]))
    assert (ours.folder / "pid").read_text(encoding="utf-8") != before
    with socket.create_connection((ours.address.rpartition(":")[0], int(ours.address.rpartition(":")[2])), timeout=5):
        pass


def test_twins_whose_crash_is_the_same_share_a_kill(ours: Ours, tmp_path: Path) -> None:
    """Wherever it stands in each scenario. This broker loses everything, so each of them differs, and has one more crash, alone."""
    options = ("--bootstrap", ours.address, "--restart-command", shlex.join(ours.command), "--only", "KIP890-060")

    finished = fencepost("run", "kafka", *options, "--twins", "crash", "--twins-per-scenario", "1", "--results", tmp_path / "r", expect=1)

    reported = json.loads((tmp_path / "r/twins.json").read_text("utf-8"))
    assert (reported["kills"], reported["twins"]) == (1, {"differs": 3})
    assert ours.reported()[1:] == [f"crash {ours.address}", f"start {ours.address}"] * (1 + 3)
    assert all("; one of 3 at once, and differs alone" in one["difference"] for one in reported["noticed"])
    assert "3 twins of 3 scenarios" in finished.out


def test_a_command_that_kills_nothing_proves_nothing(ours: Ours, tmp_path: Path) -> None:
    """The scenarios are inconclusive, and say what the command should do."""
    options = ("--bootstrap", ours.address, "--restart-command", "true", "--only", "KIP890-094", "--patience", "5")

    finished = fencepost("run", "kafka", *options, "--no-html", "--results", tmp_path / "r", expect=1)

    (found,) = [one for one in compliance(tmp_path / "r")["requirements"] if one["scenarios"]]
    assert [one["verdict"] for one in found["scenarios"]] == ["inconclusive"]
    assert "still takes connections" in finished.out


def test_what_may_be_left_undecided_is_asked_where_the_owner_says_so(ours: Ours, tmp_path: Path) -> None:
    """And not offered where he does not."""
    asked = ("run", "kafka", "--bootstrap", ours.address, "--only", "KIP890-080", "--no-html")

    refused = fencepost(*asked, "--results", tmp_path / "a", expect=(0, 1))
    granted = fencepost(*asked, "--throwaway", "--results", tmp_path / "b", expect=0)

    assert "hold-markers" in refused.out
    assert "1 of 1 tested: 1 met" in granted.out


def test_a_scenario_goes_to_the_broker_with_its_configuration(ours: Ours, tmp_path: Path) -> None:
    """A second reference, which does not verify partitions, as the first does."""
    folder = tmp_path / "other"
    folder.mkdir()
    other = Ours(folder)
    other.command += ["--set", "transaction.partition.verification.enable=false"]
    other.do("start")
    try:
        options = ("--bootstrap", ours.address, "--broker-configuration", f"unverified={other.address}", "--only", "KIP890-116,KIP890-095")
        finished = fencepost("run", "kafka", *options, "--no-html", "--results", tmp_path / "r", expect=0)
    finally:
        other.do("crash")

    assert "2 of 2 tested: 2 met" in finished.out
