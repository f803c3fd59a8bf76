"""A process that ends with this one, however this one ends: a keeper starts it, `keeper.py`, which outlives this process by a moment.

Its output goes to a log file. Its command and its environment are passed through a pipe, and not as arguments.
"""

import contextlib
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.contract.evidence import SetUpFailed

_KEEPER = Path(__file__).with_name("keeper.py")
_ANSWERS_WITHIN_S = 30.0
"""How long a keeper may take to start its process or to carry out an order; it does nothing else."""
_ENDS_WITHIN_S = 30.0
"""After SIGKILL."""
_SHOWN_LINES = 30
_SHOWN_BYTES = 20_000


@dataclass(frozen=True)
class Command:
    """A command, and its name for users: such as "the command `stop` of broker.yaml, line 5"."""

    reported: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path


@dataclass(frozen=True)
class ProcessEnded:
    """The end of a process: its exit code, and the names of the processes that it left running."""

    code: int
    left: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"was ended by {signal.Signals(-self.code).name}" if self.code < 0 else f"ended with exit code {self.code}"


class Kept:
    """A process with a keeper. In the `background`, what it leaves behind keeps running, and ends with the keeper.

    If this process ends, the keeper runs `last`, and then removes the folder `remove`.
    """

    def __init__(
        self, command: Command, log: Path, *, background: bool = False, last: Command | None = None, remove: Path | None = None
    ) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._unread = b""
        self._ended: ProcessEnded | None = None
        self._keeper = subprocess.Popen(  # noqa: S603 - a program of ours
            [sys.executable, "-I", "-S", str(_KEEPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={},
        )
        try:
            self._notify(
                json.dumps(
                    {
                        "words": command.words,
                        "environment": dict(command.environment),
                        "folder": str(command.folder),
                        "log": str(log),
                        "background": background,
                        "last": last and list(last.words),
                        "remove": remove and str(remove),
                    }
                )
            )
            first = self._said("started", "failed")
        except BaseException:
            self.close()
            raise
        if "failed" in first:
            self.close()
            raise SetUpFailed(f"{command.reported} ({command.words[0]}) cannot be run: {first['failed']}")

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.ended() is None

    def ended(self) -> ProcessEnded | None:
        """How it ended, if it has."""
        with self._lock:
            self._listen(0.0)
            return self._ended

    def wait(self, within_s: float) -> ProcessEnded | None:
        """How it ended, if it does within so long; its descendants have then ended too, unless the process left them behind."""
        end = time.monotonic() + within_s
        with self._lock:
            while self._ended is None and (left := end - time.monotonic()) > 0:
                self._listen(left)
            return self._ended

    def expect_end(self) -> None:
        """From now on it is asked to end: it counts as ended when all its descendants have ended."""
        self._order("wait")

    def send(self, number: int) -> None:
        """Send a signal to it, and to all that it started."""
        self._order(f"signal {int(number)}")

    def kill(self) -> None:
        """End it and all that it started at once. Raises SetUpFailed if that is not possible."""
        self.send(signal.SIGKILL)
        if self.wait(_ENDS_WITHIN_S) is None:
            raise SetUpFailed(f"{self._command.reported} is still there {_ENDS_WITHIN_S:g} s after SIGKILL")

    def close(self) -> None:
        """End all that is left of it, and its keeper. May be called twice."""
        with self._lock:
            with contextlib.suppress(OSError, ValueError):
                self._notify("leave")
            assert self._keeper.stdin is not None
            assert self._keeper.stdout is not None
            with contextlib.suppress(OSError):
                self._keeper.stdin.close()
            try:
                self._keeper.wait(_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self._keeper.kill()
                self._keeper.wait()
            self._keeper.stdout.close()
            self._ended = self._ended or ProcessEnded(-signal.SIGKILL)

    def _order(self, text: str) -> None:
        with self._lock:
            if self._ended is not None:
                return
            try:
                self._notify(text)
            except OSError as error:
                raise SetUpFailed(f"the keeper of {self._command.reported} has gone: {error.strerror}") from error
            self._said("done")

    def _notify(self, line: str) -> None:
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(line.encode() + b"\n")
        self._keeper.stdin.flush()

    def _said(self, *kinds: str) -> dict[str, Any]:
        """The keeper's next report of these kinds."""
        end = time.monotonic() + _ANSWERS_WITHIN_S
        while (left := end - time.monotonic()) > 0:
            said = self._listen(left)
            if said.keys() & set(kinds):
                return said
        raise SetUpFailed(f"the keeper of {self._command.reported} has not answered for {_ANSWERS_WITHIN_S:g} s")

    def _listen(self, within_s: float) -> dict[str, Any]:
        """One line of the keeper, empty if none comes within so long. The process's end is noted."""
        assert self._keeper.stdout is not None
        if self._keeper.stdout.closed:
            return {}
        while b"\n" not in self._unread:
            waiting = select.poll()  # unlike select(), which handles only the first 1024 files
            waiting.register(self._keeper.stdout, select.POLLIN)
            if not waiting.poll(max(0.0, within_s * 1000)):
                return {}
            more = os.read(self._keeper.stdout.fileno(), 65536)
            if not more:  # the keeper was killed, and with it the process that it keeps
                self._ended = self._ended or ProcessEnded(-signal.SIGKILL)
                return {"done": "", "failed": "its keeper was killed"}
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        if "ended" in said:
            self._ended = ProcessEnded(said["ended"], tuple(said["left"]))
        return said


def run_to_end(command: Command, within_s: float, log: Path) -> None:
    """Run a command that has to end by itself. Raises SetUpFailed for one that fails or leaves something."""
    start = log.stat().st_size if log.exists() else 0
    process = Kept(command, log)
    try:
        ended = process.wait(within_s)
    finally:
        process.close()
    if ended is None:
        raise SetUpFailed(f"{_shown(command)} did not end within {within_s:g} s, and was killed{wrote(log, start)}")
    if ended.left:
        raise SetUpFailed(
            f"{_shown(command)} ended and left {', '.join(ended.left)} running, which was killed: expected a command that leaves nothing; "
            "what has to run on is the command `start`"
        )
    if ended.code:
        raise SetUpFailed(f"{_shown(command)} {ended}{wrote(log, start)}")


def wrote(log: Path, start: int = 0) -> str:
    """The end of what was written to a log from a position on, as the end of a sentence."""
    text = last_lines(log, start)
    return f"; it wrote: {text}" if text else "; it wrote nothing"


def last_lines(log: Path, start: int = 0) -> str:
    """The end of a log, of what was written from `start` on."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(start, size - _SHOWN_BYTES))
            written = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(written.splitlines()[-_SHOWN_LINES:]).strip()


def _shown(command: Command) -> str:
    return f"{command.reported} ({shlex.join(command.words)})"
