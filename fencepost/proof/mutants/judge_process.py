"""The processes that judge mutants.

One keeps the suite of every profile prepared, and forks itself for each task; a mutant costs only its scenarios. A change that takes
effect when the reference is imported has a dedicated process, which has imported everything else.
"""

import gc
import importlib
import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

from .code_swap import Functions, NotApplied
from .line_coverage import Line, Noted
from .prepared_scenarios import Suite
from .tasks import MutantJudge, Note

BEFOREHAND = ["pydantic", "kio.static.protocol", "fencepost.run.plays", "fencepost.wire.kafka.entities", "fencepost.wire.pulsar.frames"]
"""The imports of the process from which all others are forked: large ones, and none that imports the reference."""


@dataclass(frozen=True)
class Ready:
    """The suite is prepared. These lines were reached meanwhile."""

    at_start: frozenset[Line]


@dataclass(frozen=True)
class Failed:
    """A task did not finish: `why` is for people. `is_ours` if the mutant cannot be the cause."""

    why: str
    is_ours: bool = False


def serve(tasks: Connection, profiles: Sequence[str]) -> None:
    """Prepare the suite, and do tasks until there are no more: receives `(number, task)`, and sends `(number, result)`."""
    _be_quiet()
    try:
        noted = Noted()
        noted.install()
        importlib.import_module("fencepost.adapters.engines").import_all()
        _Server(tasks, [Suite(profile) for profile in profiles], noted).serve()
    except Exception as error:
        tasks.send((0, Failed(f"the suite cannot be held ready: {error!r}", is_ours=True)))


def judge_from_import(answer: Connection, task: MutantJudge) -> None:
    """Judge one mutant, beginning with the import of the reference."""
    _be_quiet()
    answer.send(_done(task.run_from_import))


class _Server:
    def __init__(self, tasks: Connection, suites: Sequence[Suite], noted: Noted) -> None:
        self._tasks, self._suites, self._noted = tasks, suites, noted
        self._functions = Functions()
        self._running: dict[Connection, tuple[int, int]] = {}

    def serve(self) -> NoReturn:
        gc.freeze()  # so that a fork's garbage collection does not copy everything
        self._tasks.send((0, Ready(self._noted.taken())))
        while True:
            for one in wait([self._tasks, *self._running]):
                assert isinstance(one, Connection)
                if one is self._tasks:
                    self._begin()
                else:
                    self._end(one)

    def _begin(self) -> None:
        try:
            number, task = self._tasks.recv()
        except EOFError:
            for _, process in self._running.values():
                os.kill(process, signal.SIGKILL)
            os._exit(0)
        mine, childs = Pipe(duplex=False)
        if (process := os.fork()) == 0:
            childs.send(_done(lambda: self._result(task)))
            os._exit(0)
        childs.close()
        self._running[mine] = number, process

    def _result(self, task: Note | MutantJudge) -> Any:
        return task.run(self._suites, self._noted) if isinstance(task, Note) else task.run(self._suites, self._functions)

    def _end(self, one: Connection) -> None:
        number, process = self._running.pop(one)
        try:
            result = one.recv()
        except (EOFError, pickle.UnpicklingError):
            result = None
        one.close()
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        self._tasks.send((number, Failed(ended(status)) if result is None else result))


def ended(status: int) -> str:
    """How a process without an answer ended, in words."""
    if -status in (signal.SIGPROF, signal.SIGALRM):
        return "a scenario does not end, and cannot be stopped"
    return f"the process ended with {signal.Signals(-status).name if status < 0 else status}"


def _done(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except BaseException as error:  # a mutant can break any code that prints or compares a part of it
        return Failed(f"{type(error).__name__}: {error}", is_ours=isinstance(error, NotApplied))


def _be_quiet() -> None:
    """Move to a separate process group, so that one signal ends it with its forks, and Ctrl-C does not reach it; its output is dropped."""
    os.setsid()
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nothing, number)
