"""A segment whose parts are assigned to several consumers, as Pulsar 5.0.1 does it, is assigned once if each part is."""

from collections.abc import Mapping, Sequence

import pytest

from fencepost.steps.pip460.streaming import Parts, is_dealt

SHARED: dict[str, Sequence[Parts]] = {
    "two": (((0, 3),), ((4, 7),)),
    "in any order": (((4, 7),), ((0, 3),)),
    "several parts of one": (((0, 0), (2, 2)), ((1, 1),)),
}
NOT_SHARED: dict[str, Sequence[Parts]] = {
    "the whole twice": ((), ()),
    "the whole beside a part": ((), ((0, 3),)),
    "a part twice": (((0, 3),), ((0, 3),)),
    "parts that overlap": (((0, 4),), ((4, 7),)),
    "a gap": (((0, 2),), ((4, 7),)),
}


def held(parts: Sequence[Parts]) -> Mapping[str, Mapping[int, Parts]]:
    """Consumers that have these parts of segment 0, and one that has segment 1."""
    return {**{f"c{number}": {0: one} for number, one in enumerate(parts)}, "d": {1: ()}}


@pytest.mark.parametrize("parts", SHARED.values(), ids=SHARED)
def test_parts_that_follow_each_other_are_a_segment(parts: Sequence[Parts]) -> None:
    """Each of them is assigned to one consumer."""
    assert is_dealt(held(parts), [0, 1], in_turn=False)


@pytest.mark.parametrize("parts", NOT_SHARED.values(), ids=NOT_SHARED)
def test_a_segment_is_not_assigned_twice(parts: Sequence[Parts]) -> None:
    """Neither as a whole nor in part, and no part is missing between others."""
    assert not is_dealt(held(parts), [0, 1], in_turn=False)
