"""Wrong usage of every command: the table in `wrong_usages/`, a row for each, with what its one line on the terminal must hold.

`fencepost` is the command line; `files` and `runs` (results of a run) exist before, `environment` is added. The line begins with
our prefix and has `value`, which is what was wrong, and `remedy`. `{here}` is the folder, `{busy}` a port that is taken.
"""

import os
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compliance_files
import pytest
import yaml
from commands import CHECKOUT, fencepost, fencepost_itself
from forked import Finished

COMMANDS = (
    "run",
    "list",
    "explain",
    "sentences",
    "check",
    "report",
    "prove",
    "explore",
    "compare",
    "doctor",
    "serve",
    "summary",
    "findings",
    "replay",
    "verify",
)
ROWS = [row for path in sorted(Path(__file__).with_name("wrong_usages").glob("*.yaml")) for row in yaml.safe_load(path.read_text("utf-8"))]
NEVER = ("Traceback", "None", "Unknown(", "Error:", "Exception", "[Errno", "Input should", str(CHECKOUT), "site-packages")


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this machine has set for fencepost is nothing to these tests, and lines are wide."""
    for name in [name for name in os.environ if name.startswith("FENCEPOST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "140")


@pytest.fixture(scope="module")
def busy() -> Iterator[int]:
    """A port that is taken."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("row", ROWS, ids=[f"{number}-{row['fencepost']}" for number, row in enumerate(ROWS)])
def test_wrong_usage_is_one_line_with_the_value_and_the_remedy(
    row: dict[str, Any], busy: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, and no file is added or changed."""

    def filled(text: str) -> str:
        return text.replace("{here}", str(tmp_path)).replace("{busy}", str(busy))

    before = _made(row, tmp_path)
    for name, value in row.get("environment", {}).items():
        monkeypatch.setenv(name, filled(value))

    finished = fencepost(*shlex.split(filled(row["fencepost"])), expect=2, cwd=tmp_path)

    _is_notified(finished, filled(row["value"]), filled(row["remedy"]), row.get("before"))
    assert _all_in(tmp_path) == before, "wrong usage adds and changes no file"


@pytest.mark.parametrize("command", ["rum", "run --only KIP890-60"])
def test_the_command_itself_says_the_same(command: str, tmp_path: Path) -> None:
    """As its users start it, and not forked."""
    row = next(row for row in ROWS if row["fencepost"] == command)

    finished = fencepost_itself(*command.split(), expect=2, cwd=tmp_path)

    _is_notified(finished, row["value"], row["remedy"])


def test_without_a_command_all_of_them_are_shown(tmp_path: Path) -> None:
    """An empty variable in a script is no success."""
    finished = fencepost(expect=2, cwd=tmp_path)

    assert all(command in finished.out for command in COMMANDS)


def test_the_table_is_about_every_command() -> None:
    """At least a hundred rows, three or more of each command, and no row twice."""
    said = [str(row) for row in ROWS]
    assert len(said) == len(set(said)) >= 100
    for command in COMMANDS:
        assert sum(row["fencepost"].split()[0] == command for row in ROWS) >= 3, command


def _is_notified(finished: Finished, value: str, remedy: str, before: str | None = None) -> None:
    assert finished.code == 2, finished
    lines = finished.err.splitlines()
    assert lines[:-1] == ([before] if before else []), finished
    assert lines[-1].startswith("fencepost: "), finished
    assert value in lines[-1], finished
    assert remedy in lines[-1], finished
    assert finished.out == "", finished
    assert not [word for word in NEVER if word in finished.err], finished


def _made(row: dict[str, Any], folder: Path) -> dict[str, bytes | None]:
    """What stands there before."""
    for name, text in row.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1"))
    for name, run in row.get("runs", {}).items():
        system = compliance_files.system("4.3.1", profile=run.get("profile", "kafka-4.3"))
        verdicts = dict.fromkeys(run.get("asked", ["KIP890-060"]), "met")
        compliance_files.write(folder / name, verdicts, system=system, complete=run.get("complete", True))
    return _all_in(folder)


def _all_in(folder: Path) -> dict[str, bytes | None]:
    """Every file with its content, and every folder."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
