"""One node of a broker that a launcher starts: started, killed, stopped, paused and ended by the lines of its file.

It has the same methods as a container, so a broker is the same with nodes of either kind.
"""

import contextlib
import os
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.evidence import SetUpFailed

from .address import Address
from .kept import Command, Kept, last_lines, run_to_end, wrote
from .launcher import CANNOT, LauncherFile, signal_of
from .node_logs import FileLog
from .time import WallTime

COMMAND_WITHIN_S = 60.0
STOPS_WITHIN_S = 60.0
DOWN_WITHIN_S = 10.0
LOG, COMMANDS_LOG = "broker.log", "commands.log"


@dataclass(frozen=True)
class Filled:
    """The values for the lines of a file, for one node. `settings` are words, and `environment` is added to that of this process."""

    values: Mapping[str, str]
    settings: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


class ProcessNode:
    """A node, which listens at `address` when it serves. Its logs are in `folder`, with its data; `remove` goes when this process ends."""

    def __init__(self, file: LauncherFile, address: Address, filled: Filled, folder: Path, remove: Path) -> None:
        self.address = address
        self.log = folder / LOG
        self._file, self._launcher = file, file.launcher
        self._filled = filled
        self._folder, self._remove = folder, remove
        self._process: Kept | None = None

    # --- its life -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it with a new data folder, and return at once; it will serve later. Raises SystemUnreachable."""
        try:
            if self._launcher.prepare is not None:
                self._run("prepare")
            self._start()
        except SetUpFailed as error:
            raise SystemUnreachable(f"--launcher: {error}") from error

    def start_again(self) -> None:
        """Start it on the data that it had; one that restarts by itself is already starting. Raises SetUpFailed."""
        if self._launcher.restarts == "by-command":
            self._start()

    def kill(self) -> None:
        """End it as a power cut does, and check that it is down. Raises SetUpFailed."""
        self._end("kill")

    def shut_down(self) -> None:
        """Have it stop as its operator would, and check that it is down. Raises SetUpFailed if it does not stop."""
        self._end("stop")

    def pause(self) -> None:
        """Halt it, with its connections kept. Raises SetUpFailed."""
        self._do("pause")

    def resume(self) -> None:
        """Let it continue. Raises SetUpFailed."""
        self._do("resume")

    def stop(self) -> None:
        """End all that is left of it, and remove its data; its log stays. May be called twice, and before it was started."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._launcher.end is not None:
            try:
                self._run("end")
            except SetUpFailed as error:
                print(f"fencepost: {error}. Look whether its broker still runs", file=sys.stderr)
        process.close()
        shutil.rmtree(self._filled.values["data"], ignore_errors=True)

    # --- what is seen of it ---------------------------------------------------------------------------------------------

    def is_running(self) -> bool:
        """Whether it has not ended; for one in the background, whether it accepts connections."""
        if self._process is None:
            return False
        if self._launcher.restarts == "by-itself":
            return self._launcher.runs == "background" or self._process.is_running()
        return self._process.is_running() if self._launcher.runs == "foreground" else _listens(self.address)

    def last_lines(self) -> str:
        """The end of what it wrote."""
        return last_lines(self.log)

    @property
    def logs(self) -> tuple[FileLog]:
        """Its log."""
        return (FileLog(self.log),)

    def end_reported(self) -> str | None:
        """How its process ended by itself, with a remedy; None while it runs."""
        ended = self._process.ended() if self._process is not None and self._launcher.runs == "foreground" else None
        if ended is None:
            return None
        if ended.left and not ended.code:
            return (
                f"{self._reported('start')} ended with exit code 0 and left {', '.join(ended.left)} running, which was killed: it became a "
                "daemon; expected a command that stays in the foreground, or `runs: background` with a command `end`"
            )
        return f"{self._reported('start')} {ended}"

    # --- the lines of the file ------------------------------------------------------------------------------------------

    def _start(self) -> None:
        if self._process is not None:
            self._process.close()
        in_background = self._launcher.runs == "background"
        last = self._command("end") if self._launcher.end is not None else None
        begun = self.log.stat().st_size if self.log.exists() else 0
        self._process = Kept(self._command("start"), self.log, background=in_background, last=last, remove=self._remove)
        if in_background:
            ended = self._process.wait(COMMAND_WITHIN_S)
            if ended is None or ended.code:
                how = ended or f"did not end within {COMMAND_WITHIN_S:g} s, and `runs: background` says that it does"
                raise SetUpFailed(f"{self._reported('start')} {how}{wrote(self.log, begun)}")

    def _end(self, line: str) -> None:
        """Kill it, or have it stop, by that line of the file."""
        self._refuse(line)
        assert self._process is not None
        number = signal_of(getattr(self._launcher, line))
        with self._witness() as is_down:
            if self._launcher.restarts == "by-command":
                self._process.expect_end()
            if number is None:
                self._run(line)
            else:
                self._process.send(number)
            within_s = DOWN_WITHIN_S if line == "kill" else STOPS_WITHIN_S
            if self._went_down(within_s, is_down):
                return
        if self._launcher.restarts == "by-command" and self._launcher.runs == "foreground":
            self._process.kill()
            raise SetUpFailed(f"{self._reported(line)} was done, and the broker did not end within {within_s:g} s, so it was killed")
        raise SetUpFailed(f"{self._reported(line)} was done, and the broker at {self.address} is not down within {within_s:g} s")

    def _went_down(self, within_s: float, is_down: "Witness") -> bool:
        assert self._process is not None
        if self._launcher.restarts == "by-itself":
            return is_down.within(within_s)
        if self._launcher.runs == "foreground":
            return self._process.wait(within_s) is not None
        return any(not _listens(self.address) for _ in WallTime(within_s).attempts())

    def _do(self, line: str) -> None:
        self._refuse(line)
        assert self._process is not None
        number = signal_of(getattr(self._launcher, line))
        if number is None:
            self._run(line)
        else:
            self._process.send(number)

    def _refuse(self, line: str) -> None:
        if getattr(self._launcher, line) == CANNOT:
            raise SetUpFailed(f"{self._reported(line)} says {CANNOT}")

    def _run(self, line: str) -> None:
        run_to_end(self._command(line), COMMAND_WITHIN_S, self._folder / COMMANDS_LOG)

    def _command(self, line: str) -> Command:
        environment = {name: self._file.filled_in(text, self._filled.values) for name, text in self._launcher.environment.items()}
        words = self._file.words(line, self._filled.values, self._filled.settings)
        return Command(self._reported(line), words, os.environ | dict(self._filled.environment) | environment, Path.cwd())

    def _reported(self, line: str) -> str:
        return f"{self._file.place(line)}: `{line}`"

    @contextlib.contextmanager
    def _witness(self) -> Iterator["Witness"]:
        """A connection that must be lost when the broker goes down: the only proof of that if it restarts by itself."""
        with contextlib.ExitStack() as closing:
            connection = None
            if self._launcher.restarts == "by-itself":
                with contextlib.suppress(OSError):
                    connection = closing.enter_context(
                        socket.create_connection((self.address.host, self.address.port), timeout=DOWN_WITHIN_S)
                    )
            yield Witness(connection)


class Witness:
    """A connection to a broker."""

    def __init__(self, connection: socket.socket | None) -> None:
        self._connection = connection

    def within(self, within_s: float) -> bool:
        """Whether the connection is lost within so long; one that was never made counts as lost."""
        if self._connection is None:
            return True
        self._connection.settimeout(within_s)
        try:
            return not self._connection.recv(1)
        except TimeoutError:
            return False
        except OSError:
            return True


def _listens(address: Address) -> bool:
    try:
        with socket.create_connection((address.host, address.port), timeout=1.0):
            return True
    except TimeoutError:
        return True
    except OSError:
        return False
