"""A finding made small: acts that it does not need are left out, for as long as the same requirement is violated."""

import contextlib
from collections.abc import Callable, Sequence

from fencepost.contract.errors import SystemUnreachable

from .deadline import TimeIsUp
from .trial import ExploredFinding

Play = Callable[[Sequence[str]], ExploredFinding | None]


def reduced(finding: ExploredFinding, play: Play) -> ExploredFinding:
    """The shortest finding that leaving out one act after the other, or two at once, leads to.

    Acts stand where they stood. Two are left out at once since an act may only be possible with another, such as an end with its write.

    What it has led to is what there is when the time is up, or the system gone.
    """
    smallest = finding
    with contextlib.suppress(TimeIsUp, SystemUnreachable):
        for size in (1, 2, 1):
            start = 0
            while start + size <= len(smallest.acts):
                shorter = _without(smallest, start, size, play)
                if shorter is None:
                    start += 1
                else:
                    smallest = shorter
    return smallest


def _without(finding: ExploredFinding, start: int, size: int, play: Play) -> ExploredFinding | None:
    acts = (*finding.acts[:start], *finding.acts[start + size :])
    found = play(acts)
    return found if found is not None and found.cause == finding.cause and len(found.acts) < len(finding.acts) else None
