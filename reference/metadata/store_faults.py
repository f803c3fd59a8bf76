"""What can go wrong with a metadata store, by name: each fault is armed for the next operation on, or notification
of, one key or a key with some prefix.

They are faults of `MemoryStore`. One object can belong to a single client, so that only one broker has the fault, or to several.
"""

from collections.abc import Collection
from dataclasses import dataclass

OPERATION_FAULTS = {
    "stale-read": "a get answers the record as it was before its last change",
    "read-fails": "a get is answered Unavailable",
    "write-fails-before": "a put, append or deletion is answered Unavailable, and nothing was written",
    "write-fails-after": "a put, append or deletion is answered Unavailable, and was done",
    "version-conflict": "a put or deletion that expects a version is answered VersionConflict, though nothing changed",
    "session-expires": "the sessions of the client that asks have expired, so what was ephemeral is gone",
}
NOTIFICATION_FAULTS = {
    "watch-lost": "one watch is never notified of one change",
    "watch-late": "what one watch or another would be sent is held until it is released, and so is all of that prefix behind it",
    "watch-doubled": "one watch is notified of one change twice",
}
STORE_FAULTS = OPERATION_FAULTS | NOTIFICATION_FAULTS
"""The names, and what is true when the fault has happened."""


@dataclass(eq=False)
class _ArmedFault:
    """One fault, for one occurrence: that after `after` others."""

    name: str
    prefix: str
    until: frozenset[str]
    after: int


class StoreFaults:
    """The armed faults, each for one occurrence, and what is held back."""

    def __init__(self) -> None:
        self._armed: list[_ArmedFault] = []
        self._held: set[str] = set()

    def arm(self, name: str, prefix: str, *, until: Collection[str] = (), after: int = 0) -> None:
        """Arm the fault once, for the next key that begins so; or, if keys are named, for just that key, unless one of them is written
        before. `after` is how many occurrences it first lets pass.

        Raises ValueError for an unknown name.
        """
        if name not in STORE_FAULTS:
            raise ValueError(f"{name!r} is no fault of a metadata store; expected one of: {', '.join(STORE_FAULTS)}")
        self._armed.append(_ArmedFault(name, prefix, frozenset(until), after))

    def release(self) -> None:
        """Hold back nothing any more: the next `settle` sends what was held, in order."""
        self._held.clear()
        self._armed = [fault for fault in self._armed if fault.name != "watch-late"]

    def happens(self, name: str, key: str) -> bool:
        """Whether that fault is armed for this key; it is disarmed then."""
        return self._prefix_of(name, key) is not None

    def written(self, key: str) -> None:
        """A key was written: faults that were armed only until then are disarmed."""
        self._armed = [fault for fault in self._armed if key not in fault.until]

    def is_held(self, key: str) -> bool:
        """Whether a notification of this key has to wait."""
        late = self._prefix_of("watch-late", key)
        if late is not None:
            self._held.add(late)
        return key.startswith(tuple(self._held))

    def times_notified(self, key: str) -> int:
        """How often a notification of this key that need not wait is sent."""
        if self.happens("watch-lost", key):
            return 0
        return 2 if self.happens("watch-doubled", key) else 1

    def _prefix_of(self, name: str, key: str) -> str | None:
        """The prefix of the first such fault that happens to this key, which is removed."""
        for fault in self._armed:
            if fault.name == name and (key == fault.prefix if fault.until else key.startswith(fault.prefix)):
                if fault.after:
                    fault.after -= 1
                    continue
                self._armed.remove(fault)
                return fault.prefix
        return None
