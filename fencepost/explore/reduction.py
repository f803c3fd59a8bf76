"""A finding made small: acts and lines that it does not need are left out, for as long as the same requirement is violated."""

import contextlib
import re
from collections.abc import Callable, Sequence

from fencepost.contract.errors import SystemUnreachable
from fencepost.steps.acts.act import DISTURBANCE, ActLine

from .deadline import TimeIsUp
from .trial import ExploredFinding

Play = Callable[[Sequence[str]], ExploredFinding | None]
Shows = Callable[[Sequence[ActLine]], bool]
"""Whether these lines are a scenario that shows the finding."""


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


def without_lines(lines: Sequence[ActLine], shows: Shows) -> tuple[ActLine, ...]:
    """Those of these lines that the last one needs: each is left out that is not needed, again and again.

    The last ones are left out first, since an actor is needed for as long as it does something. What only names the values of such a line
    in a list, as one that has received them does, goes on without these.
    """
    left, before = tuple(lines), tuple[ActLine, ...]()
    while left != before:
        before = left
        for number in reversed(range(len(left) - 1)):
            rest = (*left[:number], *left[number + 1 :])
            candidates = dict.fromkeys((rest, _without_values(rest, left[number].text))) if left[number].kind != DISTURBANCE else ()
            left = next(filter(shows, candidates), left)
    return left


def _without_values(lines: Sequence[ActLine], left_out: str) -> tuple[ActLine, ...]:
    """These lines, whose Givens list none of the values of a line that is left out."""
    values = "|".join(map(re.escape, re.findall(r'"[^"]*"', left_out)))
    if not values:
        return tuple(lines)
    return tuple(line._replace(text=re.sub(f", (?:{values})", "", line.text)) if line.kind == "Given" else line for line in lines)
