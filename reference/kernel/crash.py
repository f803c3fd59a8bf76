"""Named places in the code at which a crash would be interesting.

Code that has just made something durable, or is about to, calls `points.reach(name)`. That does nothing unless a scenario has armed the
point; then it raises Crash, which unwinds to the broker: the node is down, and clients that waited get no answer.
"""

from collections.abc import Mapping

from .clock import FIRST_NODE


class Crash(Exception):
    """The node of that number crashed here. Only the broker may catch it."""

    def __init__(self, why: str, node: int = FIRST_NODE) -> None:
        super().__init__(why)
        self.node = node


class CrashPoints:
    """The places that a broker's code has, with what is true there, and which of them are armed; each arming works once."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        self._node = FIRST_NODE
        self._armed: dict[str, int | None] = {}

    def of_node(self, node: int) -> "CrashPoints":
        """The same places and armings, as that node reaches them."""
        points = CrashPoints(self._known)
        points._node, points._armed = node, self._armed
        return points

    def arm(self, point: str, node: int | None = None) -> None:
        """Crash the next time that this place is reached: by that node, or by whichever is the first."""
        self._armed[self._checked(point)] = node

    def reach(self, point: str) -> None:
        """Raise Crash when the point is armed for this node."""
        if self._checked(point) in self._armed and self._armed[point] in (None, self._node):
            del self._armed[point]
            raise Crash(point, self._node)

    def _checked(self, point: str) -> str:
        if point not in self._known:
            raise ValueError(f"no crash point is called {point!r}; there are {', '.join(self._known)}")
        return point
