"""Running the command line as its users do: as a process, with its exit code asserted and both streams shown."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.contract.errors import WrongUsage
from fencepost.pipeline import suite

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    code: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"exit code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def fencepost(*arguments: object, expect: int | tuple[int, ...], cwd: Path | None = None, timeout: float = 900) -> Finished:
    """`fencepost ...`; another exit code than `expect`, or one of these, fails the test."""
    return _run([str(Path(sys.executable).parent / "fencepost"), *map(str, arguments)], expect, cwd, timeout)


def pytest_with_plugin(*arguments: object, expect: int, cwd: Path) -> Finished:
    """`pytest -p fencepost.plugin ...` in a folder of its own, as someone who writes scenarios would call it."""
    command = [sys.executable, "-m", "pytest", "-p", "fencepost.plugin", "-p", "no:cacheprovider", f"--rootdir={cwd}", *map(str, arguments)]
    return _run(command, expect, cwd, 600)


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


def _run(command: list[str], expect: int | tuple[int, ...], cwd: Path | None, timeout: float) -> Finished:
    ours = ("PYTEST_", "COV_", "FENCEPOST_SPENT")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(command, cwd=cwd or CHECKOUT, env=environment, capture_output=True, text=True, timeout=timeout, check=False)
    finished = Finished(done.returncode, done.stdout, done.stderr)
    expected = expect if isinstance(expect, tuple) else (expect,)
    assert done.returncode in expected, f"{' '.join(command)}: expected exit code {expect}\n{finished}"
    return finished
