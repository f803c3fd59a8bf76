"""Many commands in little time: each is a separate process, forked from one that has imported what they need.

Run as a program it is that one: it reads a request a line, and answers each with the exit code. It has one thread, so it may fork.
A command that keeps running is answered with its number, and its exit code is requested later.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forked_process import ForkedProcess

_NEEDED = ("cli.application", "cli.reference_server", "run.pytest_session", "run.plan", "doctor.checkup", "proof.kill_matrix", "plugin")
_NEEDED += ("catalogue.requirement_list", "catalogue.explanation", "catalogue.sentence_list", "catalogue.name_lists")
_NEEDED += ("results.comparison", "results.markdown_summary", "findings.findings_files", "proof.forkserver_preload")
_NEEDED += (
    "adapters.reference_registration",
    "adapters.kafka.system",
    "adapters.kafka.kafka_container_system",
    "report.compliance.command",
)
_NEEDED += ("adapters.pulsar.system", "adapters.pulsar.pulsar_container_system", "pipeline.command", "pipeline.ingest", "pipeline.check")
_NEEDED += ("adapters.reference_kafka", "reference.serving.served_kafka", "reference.serving.served_pulsar")
_NEEDED += ("features.step_definitions", "report.allure_steps")
_OF_OTHERS = ("execnet", "pytest_bdd.generation", "pytest_bdd.cucumber_json", "pytest_bdd.gherkin_terminal_reporter")
"""What pytest's plugins import. They themselves are not here, for pytest warns of one that was imported before."""
_PATH = "PYTHONPATH"
_GOES_ON = "goes on"
_AT_ONCE_S = 60.0
_AT_THE_START = ("PYTHON", "LC_", "LANG", "TZ")
"""How the variables begin that Python reads when it starts, so that a forked process would not follow them; `_PATH` it follows."""


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    code: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"exit code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


class Forked:
    """Commands that are begun from one process."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self._out, self._err = process, folder / "out", folder / "err"

    def run(self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], timeout: float) -> Finished:
        """`fencepost ...` or `pytest ...` in this folder, with this environment; a command that does not end fails the test."""
        code = self.write(command, cwd, environment, timeout, self._out, self._err)
        return Finished(code, *(path.read_text(encoding="utf-8", errors="backslashreplace") for path in (self._out, self._err)))

    def write(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], timeout: float, out: str | Path, err: str | Path
    ) -> int:
        """The same, with what it says in these files, which may be a terminal; answers the exit code."""
        return int(self._answer(_request(command, cwd, environment, out, err), timeout, f"{' '.join(command)} does not end"))

    def begin(self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], errors: Path | None = None) -> ForkedProcess:
        """The same, which goes on in a separate group of processes; no other command is waited for meanwhile."""

        def begun(out: Path, err: Path) -> int:
            asked = _request(command, cwd, environment, out, err) | {"goes_on": True}
            return int(self._answer(asked, _AT_ONCE_S, f"{' '.join(command)} does not begin"))

        def ended(process: int) -> int | None:
            answer = self._answer({"ended": process}, _AT_ONCE_S, f"{process}: no answer")
            return None if answer == _GOES_ON else int(answer)

        return ForkedProcess(begun, ended, errors)

    def _answer(self, asked: Mapping[str, object], timeout: float, otherwise: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], timeout)[0]:
            self.end()
            raise AssertionError(otherwise)
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        """The process that forks, and what it has forked, are gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    @property
    def is_running(self) -> bool:
        """Whether it may be asked."""
        return self._process.poll() is None


def _request(command: Sequence[str], cwd: Path, environment: Mapping[str, str], out: str | Path, err: str | Path) -> dict[str, object]:
    return {"command": command, "cwd": str(cwd), "environment": dict(environment), "out": str(out), "err": str(err)}


def begin(folder: Path, environment: Mapping[str, str]) -> Forked:
    """The process that forks, until it is ended; its own files are in this folder."""
    environment = {**environment, "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis")}
    process = subprocess.Popen(
        [sys.executable, __file__],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return Forked(process, folder)


def environment_of_users() -> dict[str, str]:
    """This process's environment without what only the tests say in it."""
    ours = ("PYTEST_", "COV_", "FENCEPOST_SPENT")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def follows(environment: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether a process that began with one environment may be forked and go on with the other."""
    first, second = (
        {name: value for name, value in one.items() if name.startswith(_AT_THE_START) and name != _PATH} for one in (environment, other)
    )
    return first == second


def _main() -> None:
    for name in _NEEDED:
        importlib.import_module(f"fencepost.{name}")
    for name in _OF_OTHERS:
        importlib.import_module(name)
    _read_what_all_read()
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        goes_on = "goes_on" in asked
        if (child := asked.get("ended")) is None:
            child = os.fork()
            if child == 0:
                if goes_on:
                    os.setsid()
                os._exit(_command(asked))
        if goes_on:
            print(child, flush=True)
            continue
        ended, status = os.waitpid(child, os.WNOHANG if "ended" in asked else 0)
        print(os.waitstatus_to_exitcode(status) if ended else _GOES_ON, flush=True)


def _read_what_all_read() -> None:
    """Registers, editions, scenarios and releases, which a process keeps once it has read them; features also as pytest-bdd reads them."""
    from importlib import resources

    from pytest_bdd.feature import get_features

    from fencepost.adapters import registry
    from fencepost.contract import editions, register
    from fencepost.run import feature_lint
    from fencepost.steps import vocabularies

    editions.bundled()
    registry.check_proposals()
    specs = register.bundled().by_spec
    vocabularies.check(specs)
    for spec in specs:
        feature_lint.faults_of_bundled(spec)
    get_features([str(resources.files("fencepost.features").joinpath(spec)) for spec in specs])
    for name in registry.BUNDLED:
        registry.find(name).profiles()


def _command(asked: Mapping[str, Any]) -> int:
    """Be the command, as its script is; answers its exit code."""
    import pytest

    from fencepost.__main__ import main

    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]  # it is a text stream
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(asked["cwd"])
    before, now = ([*filter(None, one.get(_PATH, "").split(os.pathsep))] for one in (os.environ, asked["environment"]))
    sys.path[:] = [*now, *(folder for folder in sys.path if folder not in before)]
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = asked["command"]
    code: Any = 0
    try:
        if sys.argv[0] == "pytest":
            sys.path.insert(0, asked["cwd"])
            code = pytest.main(sys.argv[1:])
        else:
            main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]  # there is one
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return int(code or 0)


if __name__ == "__main__":
    _main()
