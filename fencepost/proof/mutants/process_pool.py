"""The processes that judge mutants, from the side of the one that started them: tasks go in, results come out as they end."""

import multiprocessing
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any

from fencepost.contract.errors import BrokeOff
from fencepost.proof.forkserver import WorkerDied
from fencepost.run import interruption

from .judge_process import BEFOREHAND, Failed, Ready, ended, judge_from_import, serve
from .tasks import MutantJudge, Note


class KitFailed(BrokeOff):
    """A process of the kit failed, and no mutant caused it."""


class StartedProcesses:
    """A context that ends the processes that were started in it."""

    def __init__(self, profiles: Sequence[str]) -> None:
        self._profiles = profiles
        # Each is forked from a process that has done the large imports; a new interpreter would take longer than most runs.
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(BEFOREHAND)
        self._from_import: dict[Connection, tuple[int, BaseProcess]] = {}
        self._started: list[BaseProcess] = []

    def __enter__(self) -> "StartedProcesses":
        self._tasks, theirs = Pipe()
        self._server = self._start(serve, theirs, tuple(self._profiles))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._tasks.close()
        for process in self._started:
            if process.is_alive() and process.pid is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.kill()  # also one that does not have its own group yet
            process.join()

    def ready(self) -> Ready:
        """Wait until the suite is prepared. Raises WorkerDied."""
        return self._received()[1]  # type: ignore[no-any-return]

    def begin(self, number: int, task: Note | MutantJudge) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # `next` reports that the process has ended
            self._tasks.send((number, task))

    def begin_from_import(self, number: int, task: MutantJudge) -> None:
        """Begin a task in a process that has not imported the reference."""
        mine, theirs = Pipe(duplex=False)
        self._from_import[mine] = number, self._start(judge_from_import, theirs, task)

    def next(self) -> tuple[int, Any]:
        """The number and the result of a task that has ended; Failed for a mutant that ended its process. Raises WorkerDied if the process
        that holds the suites has ended, with all that are forked from it.
        """
        first = wait([self._tasks, *self._from_import])[0]
        if first is self._tasks:
            return self._received()
        assert isinstance(first, Connection)
        number, process = self._from_import.pop(first)
        try:
            result = first.recv()
        except EOFError:
            process.join()
            result = Failed(ended(process.exitcode or 0))
        first.close()
        process.join()
        return number, self._checked(result)

    def _start(self, act: Any, theirs: Connection, *arguments: Any) -> BaseProcess:
        process = self._context.Process(target=act, args=(theirs, *arguments))
        with interruption.unheard():  # the started process also gets a terminal's Ctrl-C
            process.start()
        theirs.close()
        self._started.append(process)
        return process

    def _received(self) -> tuple[int, Any]:
        try:
            number, result = self._tasks.recv()
        except (EOFError, ConnectionResetError):
            self._server.join()
            raise WorkerDied("the mutants", self._server.exitcode) from None
        return number, self._checked(result)

    @staticmethod
    def _checked(result: Any) -> Any:
        if isinstance(result, Failed) and result.is_ours:
            raise KitFailed(result.why)
        return result
