"""What scenarios cost when played in process on the reference, compared with the same scenarios under pytest-bdd with empty steps.

`make bench`. Both run in turn, several times, each in a separate process, and CPU seconds are counted. The plays judge all scenarios
of KIP-890, and make their evidence and their histories. The empty steps are the same features and step definitions with functions that do
nothing: what plain pytest and pytest-bdd, which matches every step against every step definition, cost by themselves, in a session from
start to end. Neither figure includes the start of its process. What the plays need before their first scenario, to import the reference
and to read the features, is printed separately; pytest reads the features in its session, so the second ratio includes it too.
A process that plays scenarios for the first time loads kio's message classes as it comes to them, a fifth of its time; `prove`, `explore`,
twins and mutants play in processes that have played before. So the plays are timed in both.
"""

import itertools
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection

CHECKOUT = Path(__file__).resolve().parents[1]
SPEC = "kip890"
ROUNDS = 5
PLAYED = "--played"
EMPTY = f"""
from pytest_bdd import scenarios
from pytest_bdd.steps import step_function_context_registry
from fencepost.features.step_definitions import define

define("{SPEC}")
scenarios(".")
for context in step_function_context_registry.values():
    context.step_func, context.target_fixture = (lambda: None), None
"""
TIMED = """
import time

BEGAN = time.process_time()


def pytest_sessionfinish(session):
    print("\\nplays", session.testscollected, 0, time.process_time() - BEGAN, 0)
"""


class ProcessFigures(NamedTuple):
    """What a process reports: how many scenarios it had, and the CPU seconds of preparing, of playing them, and of playing them again."""

    scenarios: int
    ready: float
    gone_through: float
    again: float


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        shutil.copytree(CHECKOUT / "features" / SPEC, empty, ignore=shutil.ignore_patterns("*.py", "*.yaml", "__pycache__"))
        (empty / "test_empty.py").write_text(EMPTY, encoding="utf-8")
        (empty / "conftest.py").write_text(TIMED, encoding="utf-8")
        plain = ["-m", "pytest", "-qs", "-c", "/dev/null", "-p", "no:cacheprovider", "--import-mode=importlib", f"--rootdir={folder}"]
        rounds = [(_reported_by([__file__, PLAYED], folder), _reported_by([*plain, str(empty)], folder)) for _ in range(ROUNDS)]
    played, empties = zip(*rounds, strict=True)
    second = [one.again for one in played]
    ready, playing, again, nothing = map(statistics.median, ([one.ready for one in played], _seconds(played), second, _seconds(empties)))
    print(f"{played[0].scenarios} scenarios played in process: {_shown(_seconds(played))}; to be ready for them: {ready:.2f} s")
    print(f"the same once more in that process: {_shown(second)}")
    print(f"{empties[0].scenarios} under pytest-bdd, with empty steps: {_shown(_seconds(empties))}")
    print(f"ratio of the medians: {playing / nothing:.2f}; with what the plays need to be ready: {(ready + playing) / nothing:.2f}")
    print(f"ratio of the plays once more: {again / nothing:.2f}")


def play() -> None:
    """Play and judge all of them, twice, and report the times. One is played before, as part of the preparation."""
    moments = [time.process_time()]
    with Plays(RunOptions(selection=Selection(specs=(SPEC,)))) as plays:
        plays.judge(plays.all[0])
        moments.append(time.process_time())
        for _ in range(2):
            for one in plays:
                assert plays.judge(one).history, f"{one.run}: nothing was said"
            moments.append(time.process_time())
        print("plays", len(plays.all), *(later - earlier for earlier, later in itertools.pairwise(moments)))


def _reported_by(arguments: list[str], folder: str) -> ProcessFigures:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    reported = next((line.split()[1:] for line in done.stdout.splitlines() if line.startswith("plays ")), None)
    if done.returncode != 0 or reported is None:
        raise SystemExit(done.stdout + done.stderr)
    return ProcessFigures(int(reported[0]), *map(float, reported[1:]))


def _seconds(reported: tuple[ProcessFigures, ...]) -> list[float]:
    return [one.gone_through for one in reported]


def _shown(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s of CPU ({min(seconds):.2f} to {max(seconds):.2f}, {len(seconds)} rounds)"


if __name__ == "__main__":
    play() if PLAYED in sys.argv else main()
