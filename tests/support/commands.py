"""Running the command line as a process, with its exit code asserted and both streams shown."""

import atexit
import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from forked import Finished, Forked, begin, environment_of_users, follows
from forked_process import ForkedProcess

from fencepost.contract.errors import WrongUsage
from fencepost.pipeline import suite

CHECKOUT = Path(__file__).resolve().parents[2]
_SCRIPT = str(Path(sys.executable).parent / "fencepost")


def fencepost(*arguments: object, expect: int | tuple[int, ...], cwd: Path | None = None, timeout: float = 900) -> Finished:
    """`fencepost ...`, quickly: forked from a process that is ready. Another exit code than `expect`, or one of these, fails the test."""
    return _quickly(["fencepost", *map(str, arguments)], [_SCRIPT], expect, cwd, timeout)


def fencepost_itself(*arguments: object, expect: int | tuple[int, ...], cwd: Path | None = None, timeout: float = 900) -> Finished:
    """The same, begun as its users begin it."""
    return _run([_SCRIPT, *map(str, arguments)], expect, cwd, timeout)


def fencepost_on_a_terminal(*arguments: object, cwd: Path, **environment: str) -> tuple[int, str]:
    """The same as the first, with a terminal of 100 columns and this environment: the exit code, and all that was written to it."""
    ours, theirs = pty.openpty()
    written = bytearray()

    def read() -> None:
        with suppress(OSError):  # how Linux says that no process holds the terminal any more
            while some := os.read(ours, 65536):
                written.extend(some)

    reader = threading.Thread(target=read)
    reader.start()
    inherited = {name: value for name, value in environment_of_users().items() if name not in ("CI", "NO_COLOR", "FORCE_COLOR")}
    around = inherited | {"TERM": "xterm", "COLUMNS": "100", "LINES": "30"} | environment
    try:
        terminal = os.ttyname(theirs)
        code = _forked().write(["fencepost", *map(str, arguments)], cwd, around, 60, terminal, terminal)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    return code, written.decode()


def begun_fencepost(*arguments: object, cwd: Path | None = None, errors: Path | None = None) -> ForkedProcess | None:
    """The same as the first, which goes on, and may write its errors into this file; None where it would not follow the environment."""
    environment = environment_of_users()
    if not follows(_environment_at_first(), environment):
        return None
    return _forked().begin(["fencepost", *map(str, arguments)], cwd or CHECKOUT, environment, errors)


def pytest_with_plugin(*arguments: object, expect: int, cwd: Path) -> Finished:
    """`pytest -p fencepost.plugin ...` in a separate folder, as an author of scenarios would call it."""
    command = ["pytest", "-p", "fencepost.plugin", "-p", "no:cacheprovider", f"--rootdir={cwd}", *map(str, arguments)]
    return _quickly(command, [sys.executable, "-m", "pytest"], expect, cwd, 600)


def python(program: Path, *arguments: object, expect: int) -> Finished:
    """A program of the tests."""
    return _run([sys.executable, str(program), *map(str, arguments)], expect, None, 900)


def python_code(code: str, *, expect: int) -> Finished:
    """A few lines of Python."""
    return _run([sys.executable, "-c", code], expect, None, 300)


def check_where_java_is() -> tuple[str, ...]:
    """`--check` where Spark has a Java to run on; what it finds is asked by tests that are skipped elsewhere."""
    try:
        suite.ready()
    except WrongUsage:
        return ()
    return ("--check",)


def compliance(folder: Path) -> dict[str, Any]:
    """The run's compliance.json."""
    loaded: dict[str, Any] = json.loads((folder / "compliance.json").read_text(encoding="utf-8"))
    return loaded


def verdicts(folder: Path) -> dict[str, str]:
    """Requirement to verdict, for those that were judged."""
    rows = compliance(folder)["requirements"]
    return {row["id"]: row["verdict"] for row in rows if row["verdict"] not in ("not_run", "excluded")}


def not_offered(folder: Path) -> set[str]:
    """The capabilities that the run's system does not offer, of those that a scenario needs."""
    reasons = (row["reason"] for row in compliance(folder)["requirements"] if row["verdict"] == "not_offered")
    return {name for reason in reasons for name in reason.partition(" does not offer ")[2].partition(";")[0].split(", ")}


def _quickly(command: list[str], itself: list[str], expect: int | tuple[int, ...], cwd: Path | None, timeout: float) -> Finished:
    """The command forked; begun as `itself` where a forked process would not follow the environment."""
    environment = environment_of_users()
    if not follows(_environment_at_first(), environment):
        return _run([*itself, *command[1:]], expect, cwd, timeout)
    return _expected(command, _forked().run(command, cwd or CHECKOUT, environment, timeout), expect)


def _run(command: list[str], expect: int | tuple[int, ...], cwd: Path | None, timeout: float) -> Finished:
    done = subprocess.run(
        command, cwd=cwd or CHECKOUT, env=environment_of_users(), capture_output=True, text=True, timeout=timeout, check=False
    )
    return _expected(command, Finished(done.returncode, done.stdout, done.stderr), expect)


def _expected(command: list[str], finished: Finished, expect: int | tuple[int, ...]) -> Finished:
    expected = expect if isinstance(expect, tuple) else (expect,)
    assert finished.code in expected, f"{' '.join(command)}: expected exit code {expect}\n{finished}"
    return finished


@cache
def _environment_at_first() -> dict[str, str]:
    return environment_of_users()


def _forked() -> Forked:
    """The process from which this one's commands are forked; another one where it was ended."""
    if not (begun := _begun()).is_running:
        _begun.cache_clear()
        begun = _begun()
    return begun


@cache
def _begun() -> Forked:
    folder = tempfile.TemporaryDirectory(prefix="forked-")
    begun = begin(Path(folder.name), _environment_at_first())
    atexit.register(lambda: (begun.end(), folder.cleanup()))
    return begun
