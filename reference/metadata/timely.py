"""Calls that end in time, whatever the client does that is called."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What the call returns or raises. Raises TimeoutError when that takes too long; it then goes on where nobody waits for it."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    # A daemon, since a client that hangs must not keep the process from ending.
    Thread(target=run, daemon=True).start()
    return answer.result(seconds)
