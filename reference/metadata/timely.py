"""Calls that end in time, whatever the called client does."""

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What the call returns or raises. Raises TimeoutError when that takes too long; the call then goes on, and its result is dropped."""
    answer: Future[T] = Future()
    # A daemon, since a client that hangs must not keep the process from ending.
    Thread(target=_make, args=(call, answer), daemon=True).start()
    return answer.result(seconds)


class Patience:
    """Calls of one client, each with a timeout. While a call that timed out is still running, no other begins: it would wait as long.

    All are made on one thread, since starting a thread takes as long as a call. It ends with `close`, or with the process.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._late: set[Future[Any]] = set()
        self._calls: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        Thread(target=self._make_calls, daemon=True).start()

    def ask(self, call: Callable[[], T]) -> T:
        """What the call returns or raises. Raises TimeoutError, at once while an earlier call has no answer."""
        if self._late:
            raise TimeoutError
        answer: Future[T] = Future()
        self._calls.put((call, answer))
        try:
            return answer.result(self._seconds)
        except TimeoutError:
            self._late.add(answer)
            answer.add_done_callback(self._late.discard)
            raise

    def close(self) -> None:
        """Make no more calls."""
        self._calls.put(None)

    def _make_calls(self) -> None:
        while (asked := self._calls.get()) is not None:
            _make(*asked)
            del asked  # or what it holds would live until the next


def _make(call: Callable[[], T], answer: "Future[T]") -> None:
    try:
        answer.set_result(call())
    except BaseException as error:
        answer.set_exception(error)
