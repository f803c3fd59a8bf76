"""What stands in for processes, and what processes of tests do."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class ThisProcess:
    """Does the tasks of forkserver.Workers one after the other, here."""

    def in_order(self, act: Callable[[Any], Any], tasks: Sequence[Any], _: Callable[[Any], str]) -> Iterator[tuple[Any, Any]]:
        """Each task with its result."""
        for task in tasks:
            yield task, act(task)

    as_they_end = in_order


@contextmanager
def pool_of_this_process(*_: int) -> Iterator[ThisProcess]:
    """In place of forkserver.pool."""
    yield ThisProcess()


def end_by_task(task: tuple[str, int]) -> str:
    """The name of a task; one with a signal's number is ended by that signal first, and one with an exit code below 0 ends so."""
    name, ends = task
    if ends > 0:
        os.kill(os.getpid(), ends)
    if ends < 0:
        os._exit(-ends)
    return name


def process_of(_: object) -> int:
    """The number of the process that does this task."""
    return os.getpid()


def fail(name: str) -> str:
    """A task with an error."""
    raise ValueError(name)


def never_end(_: object) -> None:
    """Print the number of the process, and wait for ever; Ctrl-C has no effect."""
    print(os.getpid(), flush=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    threading.Event().wait()


def end_at_once(*_: object) -> None:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)
