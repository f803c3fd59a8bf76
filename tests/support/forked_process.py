"""A command that goes on: forked as the others are, and used as a `subprocess.Popen` that was begun as a group of processes."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

_LOOK_EVERY_S = 0.02
Ended = Callable[[int], int | None]
"""The exit code of the process with this number; None while it goes on."""


class ForkedProcess:
    """One process. `begin` begins it with its output and its errors in these two files, the first of which is read while it is written.
    `errors` is where the second is to be, if that matters.
    """

    def __init__(self, begin: Callable[[Path, Path], int], ended: Ended, errors: Path | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="forked-")
        out, self._errors = Path(self._folder.name, "out"), errors or Path(self._folder.name, "err")
        os.mkfifo(out)
        self.pid = begin(out, self._errors)
        self.stdout = out.open(encoding="utf-8", errors="backslashreplace")  # it waits until the process opens it too
        self.returncode: int | None = None
        self._ended = ended

    def __enter__(self) -> "ForkedProcess":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.wait()
        self.stdout.close()
        self._folder.cleanup()

    @property
    def errors(self) -> str:
        """What it has written to its standard error."""
        return self._errors.read_text(encoding="utf-8", errors="backslashreplace")

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None while it goes on."""
        if self.returncode is None:
            self.returncode = self._ended(self.pid)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; raises TimeoutExpired."""
        until = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if until is not None and time.monotonic() > until:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            threading.Event().wait(_LOOK_EVERY_S)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and for that of its children that write; what it has written."""
        written = self.stdout.read()
        self.wait(timeout)
        return written, self.errors

    def send_signal(self, number: int) -> None:
        """To the process alone."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it by force."""
        self.send_signal(signal.SIGKILL)
