"""A run that is killed at any moment leaves a results folder that is valid, and that the next run can have."""

import io
import json
import random
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from commands import CHECKOUT, compliance

from fencepost.contract import history_files, register
from fencepost.contract.folder import MARKER
from fencepost.proof.forkserver import forking
from fencepost.results import results_folder
from fencepost.results.run_results import Results
from fencepost.run.selection import Selection

SCHEMA = json.loads((CHECKOUT / "fencepost" / "compliance.schema.json").read_text(encoding="utf-8"))
LONGEST_S = 6.0
"""About as long as a run takes once everything is imported; on a busy machine the moments fall into its first part."""
FOREIGN = ("notes.md", "history/notes.md", "history/theirs.jsonl", "allure-results/theirs-result.json")


def run(results: Path) -> None:
    """A run of the reference, in a process that has imported everything."""
    from fencepost.run import pytest_session

    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        pytest_session.judge([f"--results={results}", "--no-html", "--spec=kip890"], workers=1)


def kill_at(moments: list[float], results: Path) -> int:
    """Kill a run at each of these moments, all in one folder; the answer is how many had got further than their claim."""
    context = forking()
    had_begun = 0
    for moment in moments:
        process = context.Process(target=run, args=(results,))
        process.start()
        process.join(moment)
        process.kill()
        process.join()
        process.close()
        had_begun += check(results)
    return had_begun


def check(results: Path) -> bool:
    """Whether the killed run had written more than its claim. What stands there is whole, and what is not ours is there."""
    for name in FOREIGN:
        assert (results / name).read_text(encoding="utf-8") == f"mine: {name}"
    jsonschema.validate(compliance(results), SCHEMA)
    ElementTree.parse(results / "junit.xml")  # noqa: S314 - we wrote it
    for history in history_files.found_in(results, "[A-Z]"):
        assert [json.loads(line)["run_id"] for line in history_files.text_of(history).splitlines()]
    listed = set((results / MARKER).read_text(encoding="utf-8").splitlines()[1:])
    written = {path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()} - {MARKER, f"{MARKER}.tmp", *FOREIGN}
    assert {json.dumps(_whole(name)) for name in written} <= listed, "every file of ours is known to be ours"
    return (results / "environment.json").exists()


def _whole(name: str) -> str:
    folder, slash, file = name.rpartition("/")
    return folder + slash + file.removesuffix(".tmp").removeprefix("." if file.endswith(".tmp") and file.startswith(".") else "")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder that a run has claimed, into which a user has put files since."""
    results_folder.claim(tmp_path, Results(register.bundled(), Selection(), "reference").as_text())
    for name in FOREIGN:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"mine: {name}", encoding="utf-8")
    return tmp_path


def moments(count: int) -> list[float]:
    chance = random.Random(890)
    return [chance.uniform(0, LONGEST_S) for _ in range(count)]


def test_a_kill_at_any_moment_leaves_valid_results_and_touches_nothing_foreign(results: Path) -> None:
    """Ten moments; the folder's next run begins where the killed one has left it."""
    assert kill_at(moments(10), results) > 0


@pytest.mark.thorough
def test_fifty_kills_leave_valid_results(results: Path) -> None:
    """The same, more often."""
    assert kill_at(moments(50), results) > 0
