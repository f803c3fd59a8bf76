"""A run that is stopped is reported as not finished and keeps what it has found, whatever stops it, and whenever."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from commands import CHECKOUT, compliance, fencepost
from stopped import begun

from fencepost.contract.errors import WrongUsage
from fencepost.run import interruption
from fencepost.run.interruption import StoppedEarly, Stopping, seconds

MANY = ("--spec", "pip31", "--no-html")
"""What takes seconds, so that a run is stopped amid it."""
SCHEMA = json.loads((CHECKOUT / "fencepost" / "compliance.schema.json").read_text(encoding="utf-8"))


def histories(results: Path) -> list[Path]:
    return list((results / "history").glob("*.jsonl.gz"))


def judged(results: Path) -> int:
    """How many scenarios have a verdict by the results, which are valid and agree with each other."""
    found = compliance(results)
    jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(found)
    *cases, run = ElementTree.parse(results / "junit.xml").iter("testcase")  # noqa: S314 - we wrote it
    given_up = [case for case in cases if any("given up" in (left.get("message") or "") for left in case.iter("skipped"))]
    count = sum(len(row["scenarios"]) for row in found["requirements"])

    assert (run.get("classname"), run.get("name")) == ("fencepost", "run")
    assert [error.get("message") for error in run.iter("error")] == [
        f"the run did not finish: it ended after {count} scenarios ({found['stopped']})"
    ]
    assert len(cases) - len(given_up) == count == found["scenarios"]["judged"]
    assert len(given_up) <= 2, "one in each worker"
    return count


@pytest.mark.parametrize(
    ("options", "number", "to_all"),
    [((), signal.SIGTERM, False), ((), signal.SIGINT, True), (("-n", "2"), signal.SIGTERM, False), (("-n", "2"), signal.SIGINT, True)],
    ids=["TERM", "Ctrl-C", "TERM with workers", "Ctrl-C with workers"],
)
def test_a_signal_ends_a_run_and_keeps_what_was_found(
    tmp_path: Path, options: tuple[str, ...], number: signal.Signals, to_all: bool
) -> None:
    """Exit code 4, the last line of ours says how far it came, and the results are whole. What was not ours stays."""
    results = tmp_path / "results"
    results.mkdir()
    (results / "notes.md").write_text("mine", encoding="utf-8")

    with begun("run", "--results", results, *MANY, *options, cwd=tmp_path, itself=to_all and not options) as run:
        finished = run.until(lambda: len(histories(results)) > 3).signal(number, to_all=to_all).end(expect=4)

    count, found = judged(results), compliance(results)
    assert f"stopped after {count} of {found['scenarios']['selected']} scenarios, nothing red ({number.name})" in finished.out
    assert 0 < count < found["scenarios"]["selected"]
    assert (found["complete"], found["stopped"]) == (False, number.name)
    assert "has no verdict: the run was stopped" in finished.out
    assert (results / "notes.md").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "with workers"])
def test_enough_failures_end_a_run(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Exit code 4, not 1: what was not asked is not known. The red is reported; a worker may end some more before it learns of it."""
    arguments = ("--defect", "no-epoch-bump", "--only", "KIP890-0*", "--max-failures", "1", "--no-html", "--results", tmp_path)
    out = fencepost("run", *arguments, *options, expect=4).out

    assert re.search(r"scenarios, [1-9]\d* red \(--max-failures 1\)", out)
    assert judged(tmp_path) < compliance(tmp_path)["scenarios"]["selected"]
    assert compliance(tmp_path)["stopped"] == "--max-failures 1"
    assert compliance(tmp_path)["totals"]["violated"] >= 1


def test_the_last_failure_of_a_run_stops_nothing(tmp_path: Path) -> None:
    """All was asked, so the run is finished, and does not conform."""
    arguments = ("--defect", "no-epoch-bump", "--only", "KIP890-060", "--no-html", "--results", tmp_path)
    selected = compliance_after(tmp_path, arguments)["scenarios"]["selected"]
    reds = sum(one["verdict"] == "violated" for row in compliance(tmp_path)["requirements"] for one in row["scenarios"])
    assert reds == selected, "each scenario shows the defect"

    assert compliance_after(tmp_path, (*arguments, "--max-failures", reds))["stopped"] is None


def compliance_after(results: Path, arguments: tuple[object, ...]) -> dict[str, dict[str, int]]:
    """The results of a run that does not conform."""
    fencepost("run", *arguments, expect=1)
    return compliance(results)


def test_a_run_ends_when_its_time_is_up(tmp_path: Path) -> None:
    """The system never answers; the time is up while it is waited for."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        out = fencepost("run", "kafka", "--bootstrap", f"127.0.0.1:{port}", "--timeout", "0.05m", "--results", tmp_path, expect=4).out

    assert "stopped " in out
    assert "nothing red (--timeout 0.05m)" in out
    assert (compliance(tmp_path)["complete"], compliance(tmp_path)["stopped"]) == (False, "--timeout 0.05m")
    assert judged(tmp_path) == 0


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_system_that_starts_is_not_waited_for_after_a_signal(tmp_path: Path, command: str) -> None:
    """It has accepted the connection and says nothing."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        begun(command, "kafka", "--bootstrap", f"127.0.0.1:{silent.getsockname()[1]}", cwd=tmp_path) as run,
        silent.accept()[0],
    ):
        finished = run.signal(signal.SIGINT, to_all=True).end(expect=4)

    assert "(SIGINT)" in finished.out + finished.err


def test_the_proof_is_not_finished_after_a_signal(tmp_path: Path) -> None:
    """Its worker processes print nothing, and what was seen until then is reported as a part."""
    with begun("prove", "--spec", "core", "--results", "proof", cwd=tmp_path) as run:
        assert run.process.stdout
        run.process.stdout.readline()
        finished = run.signal(signal.SIGINT, to_all=True).end(expect=4)

    reported = json.loads((tmp_path / "proof" / "prove.json").read_text(encoding="utf-8"))
    assert finished.err == ""
    assert (reported["complete"], reported["stopped"] in finished.out) == (False, True)


def test_a_server_that_is_ended_has_done_its_work(tmp_path: Path) -> None:
    """Exit code 0: nothing was left unfinished."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with begun("serve", "kafka", "--port", "0", cwd=tmp_path) as run:
            assert run.process.stdout
            assert "Ctrl-C ends it" in run.process.stdout.readline()
            run.signal(number, to_all=True).end(expect=0)


@pytest.mark.parametrize(("text", "meant"), [("600", 600), ("90s", 90), ("10m", 600), ("1.5H", 5400), (" 2 m ", 120)])
def test_a_timeout_is_seconds_or_has_a_unit(text: str, meant: float) -> None:
    """As people write them."""
    assert seconds(text) == meant


@pytest.mark.parametrize("text", ["", "0", "0m", "-5", "ten", "5d", "m", "1e3"])
def test_a_timeout_that_is_none_is_refused(text: str) -> None:
    """With the value, and what would be right."""
    with pytest.raises(WrongUsage, match=f"--timeout {text}: expected seconds, or a number with s, m or h"):
        seconds(text)


def test_the_first_request_ends_what_is_waited_for_and_the_second_what_is_comfort() -> None:
    """Nothing else is ever interrupted."""
    stopping = Stopping(max_failures=1)
    with pytest.raises(StoppedEarly, match="--max-failures 1"), stopping.ending_early():
        stopping.failed()

    with stopping.ending_early(only_at_once=True):
        assert stopping.reason == "--max-failures 1"
    with pytest.raises(StoppedEarly), stopping.ending_early():
        raise AssertionError("after the first request nothing is begun")

    stopping.ask("SIGINT")
    with pytest.raises(StoppedEarly, match="--max-failures 1"), stopping.ending_early(only_at_once=True):
        raise AssertionError("after the second one not even this is")


def test_a_request_ends_no_section_that_is_for_the_second() -> None:
    """And the second one does."""
    stopping, heard = Stopping(), []

    def asked_twice() -> None:
        with stopping.ending_early(only_at_once=True):
            stopping.ask("SIGTERM")
            heard.append(stopping.reason)
            stopping.ask("SIGINT")

    with pytest.raises(StoppedEarly, match="SIGTERM"):
        asked_twice()
    assert heard == ["SIGTERM"]


def test_a_worker_stops_with_one_that_has_stopped_by_itself(tmp_path: Path) -> None:
    """After its running scenario: another one would use the space that the last files of the run need."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    full, other, alone = Stopping(), Stopping(), Stopping()
    try:
        full.listen_to(tmp_path)
        other.listen_to(tmp_path)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    other.with_other_workers()
    assert other.reason is None

    full.after_this("there is no room")
    other.with_other_workers()
    alone.with_other_workers()

    assert (other.reason, other.at_once, alone.reason) == ("there is no room", False, None)


def test_a_ctrl_c_while_processes_start_takes_effect_when_they_have_started() -> None:
    """It is not lost: `fencepost prove` went on for minutes after one."""
    seen = []
    with pytest.raises(KeyboardInterrupt), interruption.unheard():  # noqa: PT012 - where it is raised is what matters
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # the tests' process has other threads, which would get the signal
        seen.append("all are started")

    assert seen == ["all are started"]


DEAF_PROCESSES = """
import signal
from fencepost.proof import forkserver

def deaf(_):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

if __name__ == "__main__":
    forkserver.PRELOADED = ["fencepost"]  # what they have imported is nothing to what they hear
    with forkserver.pool(2) as pool:
        print([one for _, one in pool.in_order(deaf, range(6), str)])
"""


def test_processes_that_are_started_unheard_hear_no_ctrl_c(tmp_path: Path) -> None:
    """Also those that replace others later; the first of all used to get it."""
    script = tmp_path / "started.py"
    script.write_text(DEAF_PROCESSES, encoding="utf-8")
    assert subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout == f"{[True] * 6}\n"
