"""The assignment of segments to consumers: all are covered once, in turn, and children wait until their ancestors are drained."""

from hypothesis import given
from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, sampled_from, sets, text

from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable.assigning import assign, readable
from fencepost.reference.scalable.layout import Layout

NAMES = sets(text(min_size=1, max_size=3), min_size=1, max_size=6)


@composite
def layout_values(choose: DrawFn) -> Layout:
    """A layout that a few splits, merges and prunings have made."""
    made = layouts.created(choose(integers(1, 4)), 0)
    for _ in range(choose(integers(0, 6))):
        at = choose(integers(0, len(made.active) - 1))
        kind = choose(sampled_from(("split", "merge", "prune")))
        if kind == "split":
            made = layouts.split(made, made.active[at].number, 0)
        elif kind == "merge" and at > 0:
            made = layouts.merge(made, [one.number for one in made.active[at - 1 : at + 1]], 0)
        elif kind == "prune" and (over := [one for one in made.sealed if not one.parents]):
            made = layouts.pruned(made, over[0].number)
    return made


@given(layout_values(), NAMES)
def test_each_segment_has_one_consumer(layout: Layout, names: set[str]) -> None:
    """Every segment once, also with more consumers than segments; and no consumer has two more than another."""
    dealt = assign(layout.active, names)

    assert set(dealt) == names
    assert sorted(one.number for held in dealt.values() for one in held) == sorted(one.number for one in layout.active)
    counts = [len(held) for held in dealt.values()]
    assert max(counts) - min(counts) <= 1


@given(layout_values(), NAMES, integers())
def test_the_order_in_which_they_come_means_nothing(layout: Layout, names: set[str], seed: int) -> None:
    """Any controller makes the same assignment: the first segment is the first consumer's, and so on in turn."""
    dealt = assign(layout.active, names)

    shuffled = sorted(names, key=lambda name: hash((seed, name)))
    assert dealt == assign(reversed(layout.active), shuffled)
    for place, segment in enumerate(layout.active):
        assert segment in dealt[sorted(names)[place % len(names)]]


def test_without_consumers_no_segment_is_assigned() -> None:
    """There are no assignments."""
    assert assign(layouts.created(2, 0).active, []) == {}


@given(layout_values(), lists(booleans(), min_size=30, max_size=30))
def test_nothing_is_read_before_its_ancestors(layout: Layout, drained: list[bool]) -> None:
    """A readable segment has only drained ancestors; and an active or undrained one with only drained ancestors is readable."""
    is_over = {number: not segment.is_active and drained[number] for number, segment in layout.segments.items()}

    def ancestors(number: int) -> set[int]:
        parents = layout.segments[number].parents
        return set(parents).union(*map(ancestors, parents))

    expected = {number for number in layout.segments if not is_over[number] and all(is_over[one] for one in ancestors(number))}
    assert {one.number for one in readable(layout, lambda segment: is_over[segment.number])} == expected


@given(layout_values())
def test_what_is_drained_in_the_end_leaves_the_active_ones(layout: Layout) -> None:
    """No active segment is held back for ever."""
    assert readable(layout, lambda _: True) == sorted(layout.active, key=lambda one: one.number)
