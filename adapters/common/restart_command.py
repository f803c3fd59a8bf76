"""The user's command that kills a broker which fencepost did not start, and restarts it: `--restart-command`.

It is run twice for each crash, and gets its task by its environment. Its result is checked: a broker that still answers after it was killed
has not crashed.
"""

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from fencepost.contract.errors import NotOffered, WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.contract.registration import SpecifiedSystem

from .address import Address
from .system_faults import NoCleanStop, NoCrashPoints
from .time import WallTime

FAULT, BROKER = "FENCEPOST_FAULT", "FENCEPOST_BROKER"
"""The environment of the command: `crash` or `start`, and the HOST:PORT of the broker."""
CRASH, START = "crash", "start"

RESTART_COMMAND, THROWAWAY, CONFIGURATION = GRANTS = ("restart-command", "throwaway", "broker-configuration")
"""The options by which the owner of a broker at an address allows more than requests."""

_ENDS_WITHIN_S = 60.0
_DOWN_WITHIN_S = 10.0
_SERVES_WITHIN_S = 240.0
_SHOWN = 2_000
"""How much of the command's output an error shows: its end."""


@dataclass(frozen=True)
class RestartCommand:
    """The command, in words. There is no shell: a user who needs one names it, as in `sh -c '...'`."""

    words: tuple[str, ...]
    ends_within_s: float = _ENDS_WITHIN_S

    @classmethod
    def of(cls, text: str) -> "RestartCommand":
        """Split a text into words as a shell does. Raises WrongUsage if it cannot be split, or its program does not exist."""
        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise WrongUsage(f"--restart-command {text}: {str(error).lower()}; expected a program and its arguments") from error
        if not words:
            raise WrongUsage("--restart-command is empty: expected a program and its arguments")
        if shutil.which(words[0]) is None:
            raise WrongUsage(
                f"--restart-command {text}: there is no program {words[0]!r} to run; it is not run by a shell: "
                "name a script, or use sh -c '...'"
            )
        return cls(words)

    def run(self, fault: str, broker: Address) -> None:
        """Run it for this task. Raises SetUpFailed, with the end of its output, if it does not end in time with exit code 0."""
        environment = os.environ | {FAULT: fault, BROKER: str(broker)}
        # Into a file: a broker that it starts in the background would keep a pipe open, and the wait would not end.
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(  # noqa: S603 - it is the user's own command
                    self.words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True
                )
            except OSError as error:
                raise SetUpFailed(f"{self._reported(fault)} cannot be run: {error.strerror}") from error
            try:
                code = process.wait(self.ends_within_s)
            except BaseException as error:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                raise SetUpFailed(f"{self._reported(fault)} did not end within {self.ends_within_s:g} s{_end_of(output)}") from error
            if code:
                raise SetUpFailed(f"{self._reported(fault)} ended with exit code {code}{_end_of(output)}")

    def _reported(self, fault: str) -> str:
        return f"the restart command ({shlex.join(self.words)}, with {FAULT}={fault})"


class CommandedFaults(NoCrashPoints, NoCleanStop):
    """The faults of a broker at an address. `ask` checks once whether it serves transactions."""

    def __init__(self, command: RestartCommand, broker: Address, ask: Callable[[], Outcome[object]]) -> None:
        self._command, self._broker, self._ask = command, broker, ask
        self._is_down, self._is_back = False, True
        self._bringing_back = threading.Lock()

    def crash(self) -> None:
        """Have the broker killed, and check that no process listens there any more. Raises SetUpFailed."""
        self._is_down, self._is_back = True, False
        self._command.run(CRASH, self._broker)
        for _ in WallTime(_DOWN_WITHIN_S).attempts():
            if not _listens(self._broker):
                return
        raise SetUpFailed(
            f"the restart command ended as if the broker was killed, and {self._broker} still takes connections: "
            f"with {FAULT}={CRASH} it has to kill the broker and leave it down"
        )

    def start_again(self) -> None:
        """Have it started, and wait only for the command. Raises SetUpFailed."""
        self._command.run(START, self._broker)
        self._is_down = False

    def restart(self) -> None:
        """Have it started, and wait until it serves transactions. Raises SetUpFailed."""
        self.start_again()
        self._await_serving()

    @property
    def is_away(self) -> bool:
        """Whether a scenario had it killed, and it has not been seen serving again."""
        return not self._is_back

    def bring_back(self) -> None:
        """Make sure that the broker serves, which an earlier scenario may have left down or starting. Raises SetUpFailed."""
        with self._bringing_back:
            if self._is_back or isinstance(self._ask(), Done):
                self._is_down, self._is_back = False, True
                return
            if self._is_down:
                self.start_again()
            self._await_serving()

    def leave(self) -> None:
        """Leave the broker as it was found: running. The last scenario has reported what does not succeed here."""
        if self._is_down:
            with contextlib.suppress(SetUpFailed):
                self.start_again()

    def pause(self, node: int) -> None:
        raise NotOffered(f"two-nodes: a restart command pauses nothing, so node {node} is not paused")

    def resume(self, node: int) -> None:
        raise NotOffered(f"two-nodes: a restart command pauses nothing, so node {node} cannot be resumed")

    def _await_serving(self) -> None:
        last: Outcome[object] = Unknown("nothing was tried")
        for _ in WallTime(_SERVES_WITHIN_S).attempts():
            last = self._ask()
            if isinstance(last, Done):
                self._is_back = True
                return
        raise SetUpFailed(f"{self._broker} does not serve transactions within {_SERVES_WITHIN_S:g} s of its start; last seen: {last}")


def _listens(broker: Address) -> bool:
    try:
        with socket.create_connection((broker.host, broker.port), timeout=1.0):
            return True
    except TimeoutError:  # a machine that does not answer has not refused
        return True
    except OSError:
        return False


def _end_of(output: IO[bytes]) -> str:
    output.seek(0)
    written = output.read().decode(errors="replace").strip()
    return f"; it wrote: {written[-_SHOWN:]}" if written else "; it wrote nothing"


def refuse_grants(asked: SpecifiedSystem) -> None:
    """Raises WrongUsage if a run with a container or a launcher has an option for a broker at an address."""
    started_by = "launcher" if "launcher" in asked.options else "container"
    for name in GRANTS:
        if name in asked.options:
            raise WrongUsage(
                f"--{name} and --{started_by} exclude each other: the first is about a broker at an address, and fencepost kills, sets up "
                "and throws away by itself what it starts"
            )


def named(text: str | None) -> RestartCommand | None:
    """The command that the user named, if any. Raises WrongUsage."""
    return None if text is None else RestartCommand.of(text)
