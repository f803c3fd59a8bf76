"""Places for busy threads, given in the order of requests: a thread that asks again at once waits after the others."""

import threading
from collections import deque


class FairPlaces:
    """So many places, of which a thread has one at most; `with places:` waits for one, and leaves it."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[threading.Event] = deque()
        self._changed = threading.Lock()
        self._this_thread = threading.local()

    def ask(self) -> threading.Event:
        """Ask for a place, for any thread. It is taken when this event is set."""
        given = threading.Event()
        with self._changed:
            if self._free > 0:
                self._free -= 1
                given.set()
            else:
                self._waiting.append(given)
        return given

    def give_back(self) -> None:
        """Give a place to the one that has waited longest."""
        with self._changed:
            if self._waiting and self._free >= 0:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def take(self) -> None:
        """Get a place for this thread, and wait for it; it may have one already."""
        if not self._has_place():
            self.ask().wait()
            self._this_thread.has_place = True

    def resume(self) -> None:
        """Get a place for this thread at once, whether one is free or not: for a thread that was interrupted in its work."""
        if not self._has_place():
            with self._changed:
                self._free -= 1
            self._this_thread.has_place = True

    def leave(self) -> bool:
        """Release the place of this thread; returns whether it had one."""
        had_place = self._has_place()
        if had_place:
            self._this_thread.has_place = False
            self.give_back()
        return had_place

    def _has_place(self) -> bool:
        return getattr(self._this_thread, "has_place", False)

    def __enter__(self) -> None:
        self.take()

    def __exit__(self, *_: object) -> None:
        self.leave()
