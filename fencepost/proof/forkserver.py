"""Processes that play scenarios, forked from one that is ready: to import and read all would take longer than most plays.

If one of them dies, or a signal comes, all of them are ended, and what was found until then is kept.
"""

import contextlib
import multiprocessing
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn, TypeVar

from fencepost.run import interruption

Task = TypeVar("Task")
Result = TypeVar("Result")

PRELOADED = ["fencepost.proof.forkserver_preload", "fencepost.proof.defect_proof"]
"""What the process has imported from which the others are forked."""

_LEAVES_S = 5.0
"""How long a process may take to end by itself, when it has nothing left to do."""


class WorkerDied(interruption.StoppedEarly):
    """A process ended before it had answered; `reason` has what it played, how it ended, and how to go on."""

    def __init__(self, played: str, status: int | None) -> None:
        super().__init__(
            f"the process that played {played} {how_ended(status)}. What was found before is kept. With `-n 1`, one process at a time "
            "needs memory"
        )


def how_ended(status: int | None) -> str:
    """How a process ended, by its exit code, in words."""
    if status is None or status >= 0:
        return f"ended without an answer (exit code {status})"
    killed = f"was killed by signal {-status} ({signal.Signals(-status).name})"
    return f"{killed}, probably because memory is short" if -status == signal.SIGKILL else killed


def forking() -> ForkServerContext:
    """How to start them. The process that they are forked from has imported everything, and played a few scenarios."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


@contextlib.contextmanager
def pool(workers: int, tasks: int = 1) -> Iterator["Workers"]:
    """So many of them at a time, another one after so many tasks. All have ended after this context."""
    made = Workers(workers, tasks)
    try:
        yield made
    finally:
        made.end()


@contextlib.contextmanager
def keeping_results() -> Iterator[None]:
    """An interrupt, or a process that dies, ends this context, and is not raised; the second is reported."""
    try:
        yield
    except WorkerDied as died:
        print(f"fencepost: {died.reason}", file=sys.stderr)
    except KeyboardInterrupt:
        pass


@dataclass
class _Worker:
    process: BaseProcess
    answers: Connection
    left: int
    """How many tasks it may still begin."""


class Workers:
    """Processes that do tasks, until `end`. None of them acts on a terminal's Ctrl-C, which reaches them too."""

    def __init__(self, count: int, tasks: int) -> None:
        self._count, self._tasks = count, tasks
        self._started: list[_Worker] = []

    def as_they_end(
        self, act: Callable[[Task], Result], tasks: Sequence[Task], named: Callable[[Task], str]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, the first that is there first; `named` says what a task plays. Raises WorkerDied."""
        for number, result in self._results(act, tasks, named):
            yield tasks[number], result

    def in_order(self, act: Callable[[Task], Result], tasks: Sequence[Task], named: Callable[[Task], str]) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in their order. Raises WorkerDied, after all results that are there."""
        early: dict[int, Result] = {}
        due = 0
        try:
            for number, result in self._results(act, tasks, named):
                early[number] = result
                while due in early:
                    yield tasks[due], early.pop(due)
                    due += 1
        except WorkerDied:
            yield from ((tasks[number], early[number]) for number in sorted(early))
            raise

    def end(self) -> None:
        """End all processes, whatever they do."""
        for worker in self._started:
            worker.process.kill()
            worker.process.join()
            worker.answers.close()
        self._started = []

    def _results(self, act: Callable[[Task], Result], tasks: Sequence[Task], named: Callable[[Task], str]) -> Iterator[tuple[int, Result]]:
        waiting = deque(enumerate(tasks))
        idle = list(self._started)
        busy: dict[Connection, tuple[_Worker, int]] = {}
        while waiting or busy:
            while waiting and len(busy) < self._count:
                number, task = waiting.popleft()
                worker = idle.pop() if idle else self._start(named(task))
                worker.left -= 1
                busy[worker.answers] = worker, number
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is dead, and its answers end too
                    worker.answers.send((act, task))
            dead: WorkerDied | None = None
            for one in wait([*busy]):
                assert isinstance(one, Connection)
                worker, number = busy.pop(one)
                try:
                    result = _returned(one.recv())
                except (EOFError, ConnectionResetError):
                    dead = WorkerDied(named(tasks[number]), self._left(worker))
                    continue
                if worker.left:
                    idle.append(worker)
                else:
                    self._left(worker)
                yield number, result
            if dead:
                raise dead

    def _start(self, played: str) -> _Worker:
        mine, theirs = Pipe()
        process = forking().Process(target=_do_tasks, args=(theirs,), daemon=True)
        try:
            with interruption.unheard():
                process.start()
        except EOFError:
            raise WorkerDied(f"nothing yet (it was to begin with {played})", None) from None
        finally:
            theirs.close()
        worker = _Worker(process, mine, self._tasks)
        self._started.append(worker)
        return worker

    def _left(self, worker: _Worker) -> int | None:
        """Wait until a process that has nothing left to do has ended; its exit code."""
        self._started.remove(worker)
        worker.answers.close()
        worker.process.join(_LEAVES_S)
        worker.process.kill()
        worker.process.join()
        return worker.process.exitcode


def _do_tasks(tasks: Connection) -> None:
    """Do tasks until there are no more."""
    while True:
        try:
            act, task = tasks.recv()
        except EOFError:
            return
        tasks.send(_done(act, task))


def _done(act: Callable[[Any], Any], task: object) -> tuple[bool, Any]:
    """Whether the task ended, with its result or its error."""
    try:
        return True, act(task)
    except Exception as error:
        error.add_note(f"in a process that was forked:\n{traceback.format_exc()}")
        return False, error


def _returned(answer: tuple[bool, Any]) -> Any:
    has_ended, result = answer
    return result if has_ended else _raise(result)


def _raise(error: Exception) -> NoReturn:
    raise error
