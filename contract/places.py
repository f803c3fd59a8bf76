"""Places for those that are busy, given in the order in which they were asked for: whoever comes back at once waits after the others."""

import threading
from collections import deque


class Places:
    """So many places; `with places:` waits for one, and leaves it."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[threading.Event] = deque()
        self._changed = threading.Lock()

    def ask(self) -> threading.Event:
        """Ask for a place. It is taken when this event is set."""
        given = threading.Event()
        with self._changed:
            if self._free:
                self._free -= 1
                given.set()
            else:
                self._waiting.append(given)
        return given

    def take(self) -> None:
        """Ask for a place, and wait for it."""
        self.ask().wait()

    def leave(self) -> None:
        """Give the place to whoever has waited longest."""
        with self._changed:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def __enter__(self) -> None:
        self.take()

    def __exit__(self, *_: object) -> None:
        self.leave()
