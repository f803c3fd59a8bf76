"""Processes that do the work of `fencepost prove`: one that dies, or a signal, ends the proof with what was found until then."""

import json
import multiprocessing.forkserver
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from workers import end_at_once, end_by_task, fail, process_of

from fencepost.contract.errors import Exit
from fencepost.museum import museum_twins
from fencepost.museum import proof as museum_proof
from fencepost.proof import exploration_proof, forkserver, kill_matrix, profile_proof, twin_proof
from fencepost.proof.forkserver import WorkerDied, Workers, keeping_results
from fencepost.proof.mutants import process_pool
from fencepost.proof.mutants.tasks import Note
from fencepost.proof.proof_part import ProofPart

Task = tuple[str, int]
LIVES, DIES, EXITS = ("lives", 0), ("dies", signal.SIGKILL), ("exits", -3)


@pytest.fixture(autouse=True)
def _forked_from_a_small_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Other files have Python fork from a process that has imported everything."""
    multiprocessing.forkserver._forkserver._stop()
    monkeypatch.setattr(forkserver, "PRELOADED", ["fencepost.proof.forkserver"])
    yield
    multiprocessing.forkserver._forkserver._stop()


def name_of(task: Task) -> str:
    return task[0]


@pytest.mark.parametrize(
    ("last", "how"),
    [
        (DIES, "dies was killed by signal 9 (SIGKILL), probably because memory is short"),
        (EXITS, "exits ended without an answer (exit code 3)"),
    ],
)
def test_a_process_that_dies_is_reported_with_what_it_played(last: Task, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was found before is kept, and no process is left."""
    found = []
    with keeping_results(), forkserver.pool(1) as pool:
        for task, name in pool.as_they_end(end_by_task, [LIVES, last, ("never begun", 0)], name_of):
            found.append((task, name))

    assert found == [(LIVES, "lives")]
    assert f"fencepost: the process that played {how}. What was found before is kept. With `-n 1`" in capsys.readouterr().err
    assert multiprocessing.active_children() == []


def test_results_after_the_one_that_died_are_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of tasks they would have come after it."""

    def results(*_: object) -> Iterator[tuple[int, str]]:
        yield 2, "later"
        yield 0, "first"
        raise WorkerDied("the second", -signal.SIGKILL)

    monkeypatch.setattr(Workers, "_results", results)
    found = []

    with keeping_results(), forkserver.pool(2) as pool:
        for task, name in pool.in_order(name_of, [LIVES, DIES, EXITS], name_of):
            found.append((task, name))

    assert found == [(LIVES, "first"), (EXITS, "later")]


def test_results_come_in_the_order_of_tasks() -> None:
    """From several processes, each of which is replaced after its tasks."""
    with forkserver.pool(2, tasks=3) as pool:
        assert [number for number, _ in pool.in_order(process_of, range(9), str)] == [*range(9)]
        several = [process for _, process in pool.as_they_end(process_of, range(6), str)]

    assert max(map(several.count, several)) <= 3
    assert multiprocessing.active_children() == []


def test_an_error_in_a_process_is_raised_with_where_it_was() -> None:
    """As if it had been done here."""
    with pytest.raises(ValueError, match="no such broker") as raised, forkserver.pool(1) as pool:
        list(pool.as_they_end(fail, ["no such broker"], str))

    assert "in fail" in "".join(raised.value.__notes__)


NEVER_ENDING = """
from workers import never_end
from fencepost.cli.exit_codes import guarded
from fencepost.proof import forkserver

def explore():
    with forkserver.pool(1) as pool:
        list(pool.as_they_end(never_end, ["for ever"], str))

if __name__ == "__main__":
    forkserver.PRELOADED = ["workers"]
    import typer
    app = typer.Typer()
    app.command()(lambda: guarded(explore))
    app()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_process_that_never_ends(tmp_path: Path, number: signal.Signals) -> None:
    """With the exit code of a run that was not finished."""
    script = tmp_path / "never_ending.py"
    script.write_text(NEVER_ENDING, encoding="utf-8")
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, script], env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        working = int(started.stdout.readline())
        started.send_signal(number)
        _, said = started.communicate()

    assert (started.returncode, said) == (Exit.NOT_FINISHED, f"fencepost: stopped before it was finished ({number.name})\n")
    with pytest.raises(ProcessLookupError):
        os.kill(working, 0)


MODES: dict[str, tuple[str, Callable[[Path], int]]] = {
    "prove": ("prove.json", lambda where: kill_matrix.show(("core",), False, 1, where)),
    "explore": ("explored.json", lambda where: exploration_proof.show(("core",), 1, 1, 1, 1, where)),
    "twins": ("twins.json", lambda where: twin_proof.show(("core",), 1, False, 1, where, ProofPart())),
    "profile": ("profile.json", lambda where: profile_proof.show("kip98", ("core",), 1, 1, 1, where)),
    "museum": ("museum.json", lambda where: museum_proof.show(1, where)),
    "museum twins": ("museum-twins.json", lambda where: museum_twins.show(museum_twins.defects((), holes=False), 1, 1, where, ProofPart())),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_ends_with_a_process_that_dies(
    mode: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its document is written, and says that it is not complete."""

    class Dying:
        def in_order(self, *_: object) -> Iterator[object]:
            raise WorkerDied("this variant", -signal.SIGKILL)
            yield

        as_they_end = in_order

    @contextmanager
    def dying(*_: int) -> Iterator[Dying]:
        yield Dying()

    monkeypatch.setattr(forkserver, "pool", dying)
    document, show = MODES[mode]

    assert show(tmp_path) == Exit.NOT_FINISHED
    assert json.loads((tmp_path / document).read_text(encoding="utf-8"))["complete"] is False
    assert "the process that played this variant was killed by signal 9 (SIGKILL)" in capsys.readouterr().err


def test_the_death_of_the_process_that_holds_the_suites_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """All processes that judge mutants are forked from it."""
    monkeypatch.setattr(process_pool, "BEFOREHAND", ["fencepost.proof.forkserver"])
    monkeypatch.setattr(process_pool, "serve", end_at_once)

    with process_pool.StartedProcesses([]) as processes:
        processes.begin(1, Note("seed"))
        with pytest.raises(WorkerDied, match=r"the process that played the mutants was killed by signal 9"):
            processes.next()

    assert multiprocessing.active_children() == []
