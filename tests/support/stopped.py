"""Commands that are stopped from outside: begun as a separate process group, as a terminal would."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from commands import begun_fencepost
from forked import Finished
from forked_process import ForkedProcess

_WITHIN_S = 300
_LOOK_EVERY_S = 0.02


class Begun:
    """A `fencepost ...` that is going on."""

    def __init__(self, process: "subprocess.Popen[str] | ForkedProcess") -> None:
        self.process = process

    def until(self, is_so: Callable[[], bool]) -> "Begun":
        """Wait until something is to be seen of it; a process that ends before fails the test."""
        while not is_so():
            assert (code := self.process.poll()) is None, Finished(code, *self.process.communicate())
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_LOOK_EVERY_S)
        return self

    def signal(self, number: signal.Signals, *, to_all: bool = False) -> "Begun":
        """Send a signal to the process, or to all that it has begun too, as Ctrl-C in a terminal does."""
        (os.killpg if to_all else os.kill)(self.process.pid, number)
        return self

    def end(self, expect: int) -> Finished:
        """Wait for its end, with this exit code and no word of Python's."""
        out, err = self.process.communicate(timeout=_WITHIN_S)
        finished = Finished(self.process.wait(), out, err)
        assert finished.code == expect, finished
        assert "Traceback" not in out + err, finished
        assert "KeyboardInterrupt" not in out + err, finished
        return finished


@contextmanager
def begun(*arguments: object, cwd: Path, itself: bool = False) -> Iterator[Begun]:
    """`fencepost ...`, forked from a process that is ready, or begun as its users begin it; what is left of it is killed in the end."""
    forked = None if itself else begun_fencepost(*arguments, cwd=cwd)
    command = [str(Path(sys.executable).parent / "fencepost"), *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    with forked or subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield Begun(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
