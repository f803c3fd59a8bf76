"""Named places in the code at which a power cut would be interesting.

Code that has just made something durable, or is just about to, says `points.reach(name)`. That does nothing unless a scenario has
armed the point; then it raises Crash, which unwinds to the broker: it is down, and whoever waited gets no answer.
"""

from collections.abc import Mapping


class Crash(Exception):
    """The broker lost its power here. Not for anybody but the broker to catch."""


class CrashPoints:
    """The places that a broker has, with what is true there, and which of them are armed; each arming works once."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        self._armed: set[str] = set()

    def arm(self, point: str) -> None:
        """Crash the next time that this place is reached."""
        self._armed.add(self._checked(point))

    def reach(self, point: str) -> None:
        """Raise Crash when the point is armed."""
        if self._checked(point) in self._armed:
            self._armed.remove(point)
            raise Crash(point)

    def _checked(self, point: str) -> str:
        if point not in self._known:
            raise ValueError(f"no crash point is called {point!r}; there are {', '.join(self._known)}")
        return point
