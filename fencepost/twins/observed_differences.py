"""What two plays of a scenario have observed otherwise, step by step, with each value that a disturbance moves compared by its role.

Where a disturbance moves the beginnings of logs, all offsets of one observation have moved by the same distance.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice, zip_longest

from fencepost.run.observed_roles import by_role, places_in


def differences(
    plain: Sequence[Sequence[str]], disturbed: Sequence[Sequence[str]], moves: Sequence[str] = (), left_out: Collection[int] = ()
) -> Iterator[str]:
    """The observations that differ, the first of each step. `moves` names the roles that the disturbance moves, and `left_out` has the
    numbers of steps that are not compared, counted from 0.
    """
    kept = ([step for number, step in enumerate(steps) if number not in left_out] for steps in (plain, disturbed))
    for one, other in zip_longest(*(_by_step(steps, moves) for steps in kept), fillvalue=()):
        pairs = zip_longest(one, other, fillvalue=("nothing more", "nothing more"))
        yield from islice((text for before, after in pairs if (text := _difference(before, after, moves))), 1)


def _difference(before: tuple[str, str], after: tuple[str, str], moves: Sequence[str]) -> str | None:
    """How two observations, each as it was and by role, differ; None if they do not."""
    if before[1] != after[1]:
        return f"observed without it: {before[1]}; with it: {after[1]}"
    if "place" in moves and len({two - one for one, two in zip(places_in(before[0]), places_in(after[0]), strict=False)}) > 1:
        return f"observed without it: {before[0]}; with it, at other distances: {after[0]}"
    return None


def _by_step(observations: Sequence[Sequence[str]], moves: Sequence[str]) -> Iterator[Sequence[tuple[str, str]]]:
    """The observations of each step, as they were and by role; a value has the same number in all of them."""
    numbered = by_role((text for step in observations for text in step), moves)
    for step in observations:
        yield tuple(zip(step, islice(numbered, len(step)), strict=True))
