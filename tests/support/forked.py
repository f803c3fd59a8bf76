"""Many `fencepost ...` in little time: each is a process of its own, forked from one that has imported what they need.

Run as a program it is that one: it reads a request a line, and answers each with the exit code. It has one thread, so it may fork.
"""

import gc
import importlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commands import Finished

_WITHIN_S = 120
_NEEDED = ("cli", "suite", "plan", "checkup", "compare", "summary", "catalogue", "explaining", "sentences", "naming", "serving")
_NEEDED += ("adapters.reference_registration", "adapters.kafka.system", "adapters.kafka.container_system", "report.compliance.command")
_NEEDED += ("adapters.pulsar.system", "adapters.pulsar.container_system", "pipeline.command", "kill_matrix", "pipeline.ingest")


class Forked:
    """Commands that are begun from one process."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self._out, self._err = process, folder / "out", folder / "err"

    def fencepost(self, arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Finished:
        """`fencepost ...` in this folder, with this added to the environment; a command that does not end fails the test."""
        asked = {"arguments": arguments, "cwd": str(cwd), "environment": environment, "out": str(self._out), "err": str(self._err)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        assert select.select([self._process.stdout], [], [], _WITHIN_S)[0], f"fencepost {' '.join(arguments)} does not end"
        code = int(self._process.stdout.readline())
        return Finished(code, *(path.read_text(encoding="utf-8") for path in (self._out, self._err)))


@contextmanager
def forked(folder: Path) -> Iterator[Forked]:
    """The process that forks; its own files are in this folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_", "FENCEPOST_"))}
    environment |= {"HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"), "COLUMNS": "140"}
    with subprocess.Popen(
        [sys.executable, __file__], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Forked(process, folder)
        process.kill()


def _main() -> None:
    for name in _NEEDED:
        importlib.import_module(f"fencepost.{name}")
    _read_what_all_read()
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(_command(json.loads(line)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _read_what_all_read() -> None:
    """Registers, scenarios and releases, which a process keeps once it has read them."""
    from fencepost import expectations
    from fencepost.adapters import registry
    from fencepost.contract import gherkin, register
    from fencepost.steps import vocabularies

    expectations.check(register.bundled())
    registry.check_proposals()
    vocabularies.check()
    gherkin.bundled()
    for name in registry.BUNDLED:
        registry.find(name).profiles()


def _command(asked: Mapping[str, Any]) -> int:
    """Be the `fencepost` command, as its script is; answers its exit code."""
    from fencepost.cli import main

    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(asked["cwd"])
    os.environ.update(asked["environment"])
    sys.argv = ["fencepost", *asked["arguments"]]
    code: Any = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]  # there is one
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return int(code or 0)


if __name__ == "__main__":
    _main()
