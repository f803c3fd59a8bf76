"""Why and how a run is stopped before its end: SIGINT, SIGTERM, `--timeout`, `--max-failures`.

The first request ends what a run *waits for*, by an exception in the sections marked with `ending_early`: a scenario, a system that
starts. Everything else runs to its end, so that results are whole and containers are released. A second request also ends what is done only
for the user's convenience, such as the Allure report and the cleaning up after a scenario. Releasing is never interrupted.

Worker processes of `-n` receive a signal from the process that started them, which finds their process ids in a folder.
"""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from types import FrameType
from typing import NoReturn

from fencepost.contract.errors import Exit, WrongUsage

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_STOPPED = "stopped"
_OF_WORKER = "of-worker-"


class StoppedEarly(KeyboardInterrupt):
    """Raised where something is ended early; `reason` is for people, such as `SIGTERM` or `--timeout 10m`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def seconds(text: str, option: str = "--timeout") -> float:
    """The value of an option in seconds: a number, or one with s, m or h. Raises WrongUsage."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower())
    if found is None or float(found[1]) == 0:
        raise WrongUsage(f"{option} {text}: expected seconds, or a number with s, m or h, such as 600 or 10m")
    return float(found[1]) * _UNITS[found[2]]


class Stopping:
    """Whether this run is to stop, and why. Without `listening`, only `failed` requests it."""

    def __init__(self, timeout: str | None = None, max_failures: int | None = None) -> None:
        self.reason: str | None = None
        self.at_once = False
        self._timeout, self._timeout_s = timeout, None if timeout is None else seconds(timeout)
        self._max_failures, self._failures = max_failures, 0
        self._open = self._only_at_once = False
        self.workers: Path | None = None
        self._shared: Path | None = None

    def failed(self) -> None:
        """Count a red scenario."""
        self._failures += 1
        if self._failures == self._max_failures:
            self.ask(f"--max-failures {self._max_failures}")

    def after_this(self, reason: str) -> None:
        """Stop after the running scenario, which keeps its verdict; calling this again is not a second request."""
        if self.reason is None:
            self.reason = reason
            self._report_workers()
            if self._shared is not None:
                with contextlib.suppress(OSError):
                    (self._shared / f"{_OF_WORKER}{os.getpid()}").write_text(reason, encoding="utf-8")

    @property
    def of_a_worker(self) -> str | None:
        """Why a worker process stopped by itself, if one did; the process that started them and each of them know it."""
        folder = self.workers or self._shared
        reasons = sorted(folder.glob(f"{_OF_WORKER}*")) if folder else []
        return reasons[0].read_text(encoding="utf-8") if reasons else None

    def with_other_workers(self) -> None:
        """In a worker, stop after the running scenario if another one has stopped by itself: the run ends, and needs the reserved space."""
        if self._shared is not None and self.reason is None and (reason := self.of_a_worker) is not None:
            self.after_this(reason)

    @contextlib.contextmanager
    def ending_early(self, *, only_at_once: bool = False) -> Iterator[None]:
        """The body of this context is left with Stopped as soon as the run is to stop; with `only_at_once`, on the second request."""
        if self.at_once or (self.reason and not only_at_once):
            raise StoppedEarly(self.reason or "")
        self._open, self._only_at_once = True, only_at_once
        try:
            yield
        finally:
            self._open = False

    def ask(self, reason: str) -> None:
        """Accept a request; raises Stopped if a section is open that it ends."""
        self.at_once = self.reason is not None
        self.reason = self.reason or reason
        self._report_workers()
        if self._open and (self.at_once or not self._only_at_once):
            self._open = False
            raise StoppedEarly(self.reason)

    # --- signals --------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Signals and the end of the time are requests. Only in a main thread."""
        before = {number: signal.signal(number, self._on_signal) for number in (*_SIGNALS, signal.SIGALRM)}
        signal.setitimer(signal.ITIMER_REAL, self._timeout_s or 0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGALRM:
            if self.reason is None:  # the time ends once, and is not a second request
                self.ask(f"--timeout {self._timeout}")
        else:
            self.ask(signal.Signals(number).name)

    # --- worker processes -----------------------------------------------------------------------------------------------

    def report_workers_in(self, folder: Path) -> None:
        """Worker processes leave their process ids in this folder."""
        self.workers = folder

    def _report_workers(self) -> None:
        if self.workers is None:
            return
        (self.workers / _STOPPED).write_text(self.reason or "", encoding="utf-8")
        for worker in self.workers.glob("[0-9]*"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(worker.name), signal.SIGTERM)

    def listen_to(self, folder: Path) -> None:
        """Be a worker of the process that reads this folder. Only that process acts on Ctrl-C, although the terminal signals all."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._on_signal)
        self._shared = folder
        (folder / str(os.getpid())).touch()
        if (folder / _STOPPED).exists() and self.reason is None:
            self.ask(signal.SIGTERM.name)


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """For commands that are not runs: the first signal raises Stopped; later ones do nothing, since resources are then being released."""

    def first(number: int, _: FrameType | None) -> NoReturn:
        deaf()
        raise StoppedEarly(signal.Signals(number).name)

    before = {number: signal.signal(number, first) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Processes started in this context ignore Ctrl-C; SIGTERM ends them. This process acts on Ctrl-C after the context.

    multiprocessing's resource tracker unblocks SIGINT when it starts, and the first process that is started starts it: so it must be
    started before.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def deaf() -> None:
    """From now on signals do nothing: what is left takes no time, and the exit code is decided."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def before_anything_began() -> None:
    """While a command line is only parsed, a signal ends the process: there is nothing to release."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        os.write(2, f"fencepost: stopped before anything began ({signal.Signals(number).name})\n".encode())
        os._exit(Exit.NOT_FINISHED)

    for number in _SIGNALS:
        signal.signal(number, end)
