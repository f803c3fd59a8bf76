"""Properties of layouts, over any order of splits, merges and prunings; and what a layout does not allow."""

from collections.abc import Callable
from itertools import pairwise

import counted
import pytest
from hypothesis import example, given
from hypothesis.strategies import DataObject, data, integers, sampled_from

from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable.layout import HASHES, HashRange, Layout, LayoutRefused, Neighbours, Segment, SegmentState
from fencepost.reference.scalable.layout_flaws import flaws


def made_of(drawn: DataObject) -> list[Layout]:
    """The layouts of a topic, one after the other, by any changes that they allow."""
    made = [layouts.created(drawn.draw(integers(1, 5)), now_ms=0)]
    for now_ms in range(1, drawn.draw(integers(0, 12)) + 1):
        made.append(_changed(drawn, made[-1], now_ms))
    return made


def _changed(drawn: DataObject, before: Layout, now_ms: int) -> Layout:
    changes: dict[str, Callable[[], Layout]] = {
        "split": lambda: layouts.split(before, drawn.draw(sampled_from(before.active)).number, now_ms)
    }
    over = [one.number for one in before.sealed if not any(parent in before.segments for parent in one.parents)]
    if len(before.active) > 1:
        changes["merge"] = lambda: layouts.merge(before, _neighbours(drawn, before), now_ms, at_most=None)
    if over:
        changes["prune"] = lambda: layouts.pruned(before, drawn.draw(sampled_from(over)))
    return changes[drawn.draw(sampled_from(sorted(changes)))]()


def _neighbours(drawn: DataObject, layout: Layout) -> list[int]:
    first = drawn.draw(integers(0, len(layout.active) - 2))
    many = drawn.draw(integers(2, len(layout.active) - first))
    return [one.number for one in layout.active[first : first + many]]


# --- properties -----------------------------------------------------------------------------------------------------------------


@given(data())
def test_every_hash_has_one_active_segment_at_every_epoch(drawn: DataObject) -> None:
    """Ranges are disjoint, in order, and from the first hash to the last."""
    for layout in made_of(drawn):
        bounds = [one.hashes for one in layout.active]
        assert bounds[0].first == 0
        assert bounds[-1].last == HASHES - 1
        assert all(left.last + 1 == right.first for left, right in pairwise(bounds))
        assert all(one.first <= one.last for one in bounds)


@given(data())
def test_parents_and_children_name_each_other(drawn: DataObject) -> None:
    """Also when one of several parents is pruned; no segment names a removed one."""
    for layout in made_of(drawn):
        edges_down = {(one.number, child) for one in layout.segments.values() for child in one.children}
        edges_up = {(parent, one.number) for one in layout.segments.values() for parent in one.parents}
        assert edges_down == edges_up


@given(data())
def test_each_change_is_one_epoch_and_gives_new_numbers(drawn: DataObject) -> None:
    """A number identifies a segment for ever: its hashes and its beginning never change."""
    known: dict[int, tuple[HashRange, int, int]] = {}
    made = made_of(drawn)
    assert [layout.epoch for layout in made] == list(range(len(made)))
    for layout in made:
        for number, one in layout.segments.items():
            assert known.setdefault(number, (one.hashes, one.created_at_epoch, one.created_ms)) == (
                one.hashes,
                one.created_at_epoch,
                one.created_ms,
            )
            assert number < layout.next_number
    for before, after in pairwise(made):
        assert after.segments.keys() - before.segments.keys() == set(range(before.next_number, after.next_number))


@given(data())
def test_a_sealed_segment_stays_as_it_is(drawn: DataObject) -> None:
    """Until it is pruned it is sealed, with the same children, and the epoch and time of its seal."""
    made = made_of(drawn)
    for before, after in pairwise(made):
        for one in before.sealed:
            if (later := after.segments.get(one.number)) is not None:
                assert (later.state, later.children, later.sealed_at_epoch, later.sealed_ms) == (
                    SegmentState.SEALED,
                    one.children,
                    one.sealed_at_epoch,
                    one.sealed_ms,
                )


@given(data())
def test_ancestors_come_before_descendants(drawn: DataObject) -> None:
    """By number, by epoch, and in prunings: a segment that is there has all its descendants."""
    for layout in made_of(drawn):
        for one in layout.segments.values():
            for child in (layout.segments[number] for number in one.children):
                assert one.number < child.number
                assert one.created_at_epoch < child.created_at_epoch == one.sealed_at_epoch <= layout.epoch


@given(data())
def test_no_layout_that_comes_of_changes_has_a_flaw(drawn: DataObject) -> None:
    """The check for flaws in records accepts all sound ones."""
    assert not any(flaws(layout) for layout in made_of(drawn))


@given(integers(1, 300))
@example(1_000)
def test_a_new_topic_has_equal_segments(segments: int) -> None:
    """Give or take one hash, by number in the order of their hashes."""
    layout = layouts.created(segments, now_ms=7)

    widths = {one.hashes.last - one.hashes.first for one in layout.active}
    assert max(widths) - min(widths) <= 1
    assert [one.number for one in layout.active] == list(range(segments))
    assert (layout.epoch, layout.next_number, layout.sealed) == (0, segments, ())
    assert all((one.parents, one.children, one.created_ms) == ((), (), 7) for one in layout.active)


# --- examples -------------------------------------------------------------------------------------------------------------------


def test_a_split_is_in_the_middle() -> None:
    """The first child ends at half of the sum of both ends; both name the parent, which names them, with epoch and time."""
    after = layouts.split(layouts.created(1, now_ms=1), 0, now_ms=5)

    assert after.active == (
        Segment(1, HashRange(0, 32_767), parents=(0,), created_at_epoch=1, created_ms=5),
        Segment(2, HashRange(32_768, 65_535), parents=(0,), created_at_epoch=1, created_ms=5),
    )
    assert after.sealed == (
        Segment(0, HashRange(0, 65_535), SegmentState.SEALED, children=(1, 2), sealed_at_epoch=1, created_ms=1, sealed_ms=5),
    )


def test_the_segments_of_a_new_topic_are_those_that_were_seen() -> None:
    """Three of them, on 5.0.0-M1."""
    assert [str(one.hashes) for one in layouts.created(3, 0).active] == ["0000-5554", "5555-aaa9", "aaaa-ffff"]


def test_a_merge_names_its_parents_in_the_order_of_their_hashes() -> None:
    """In whatever order they were named; the child has all their hashes."""
    after = layouts.merge(layouts.created(4, now_ms=1), (2, 1), now_ms=5)

    assert after.named(4) == Segment(4, HashRange(0x4000, 0xBFFF), parents=(1, 2), created_at_epoch=1, created_ms=5)
    assert [(one.number, one.children, one.sealed_at_epoch, one.sealed_ms) for one in after.sealed] == [(1, (4,), 1, 5), (2, (4,), 1, 5)]


def test_any_number_of_neighbours_may_be_merged_where_a_profile_has_no_bound() -> None:
    """And no more than the bound, if there is one."""
    layout = layouts.created(4, 0)
    assert layouts.merge(layout, (0, 1, 2), 0, at_most=None).named(4).parents == (0, 1, 2)
    assert layouts.merge(layout, (0, 1, 2), 0, at_most=3).named(4).parents == (0, 1, 2)
    with pytest.raises(LayoutRefused, match="expected 2 different"):
        layouts.merge(layout, (0, 1, 2), 0)
    with pytest.raises(LayoutRefused, match="expected 2 to 3 different"):
        layouts.merge(layout, (0, 1, 2, 3), 0, at_most=3)


def test_a_profile_of_buddies_merges_those_of_one_split_only() -> None:
    """Also when their parent is pruned; segments that were not made by a split have no buddies, nor has one made by a merge."""
    made = layouts.split(layouts.split(layouts.created(2, 0), 0, 0), 1, 0)  # 2, 3 | 4, 5
    assert layouts.merge(made, (2, 3), 0, "buddy").named(6).parents == (2, 3)
    assert layouts.merge(layouts.pruned(made, 0, 1), (2, 3), 0, "buddy").named(6).parents == (2, 3)
    merged = layouts.merge(layouts.merge(made, (2, 3), 0), (4, 5), 0)
    for layout, numbers in ((made, (3, 4)), (layouts.pruned(made, 0, 1), (3, 4)), (layouts.created(2, 0), (0, 1)), (merged, (6, 7))):
        with pytest.raises(LayoutRefused, match="different splits"):
            layouts.merge(layout, numbers, 0, "buddy")
        layouts.merge(layout, numbers, 0, "adjacent")


def test_a_segment_can_be_split_down_to_one_hash_and_no_further() -> None:
    """16 times; the layout stays the same when the next one is refused."""
    layout = layouts.created(1, 0)
    for _ in range(16):
        layout = layouts.split(layout, layout.active[0].number, 0)
    one = layout.active[0]
    assert one.hashes == HashRange(0, 0)
    before = Layout(layout.epoch, layout.next_number, dict(layout.segments))

    with pytest.raises(LayoutRefused, match=f"segment {one.number} has the one hash 0000 and cannot be split; split one with two hashes"):
        layouts.split(layout, one.number, 0)

    assert layout == before
    assert flaws(layout) == []


def _grown() -> Layout:
    """Active: 3 (0000-3fff), 4 (4000-7fff), 2 (8000-ffff). Sealed: 0, 1."""
    return layouts.split(layouts.split(layouts.created(1, 0), 0, 0), 1, 0)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda one: layouts.split(one, 0, 0), "segment 0 is sealed; only an active one can be split"),
        (lambda one: layouts.split(one, 9, 0), "there is no segment 9; expected a number from 0 to 4"),
        (lambda one: layouts.split(one, -1, 0), "there is no segment -1"),
        (lambda one: layouts.merge(one, (3, 2), 0), r"segments 3 \(0000-3fff\) and 2 \(8000-ffff\) do not lie side by side"),
        (lambda one: layouts.merge(one, (3, 3), 0), r"segments \[3, 3\] to be merged; expected 2 different ones"),
        (lambda one: layouts.merge(one, (3,), 0), r"segments \[3\] to be merged; expected 2 different ones"),
        (lambda one: layouts.merge(one, (3,), 0, at_most=None), r"segments \[3\] to be merged; expected 2 or more different ones"),
        (lambda one: layouts.merge(one, (), 0), r"segments \[\] to be merged"),
        (lambda one: layouts.merge(one, (1, 2), 0), "segment 1 is sealed; only an active one can be merged"),
        (lambda one: layouts.merge(one, (2, 9), 0), "there is no segment 9"),
        (lambda one: layouts.pruned(one, 4), "segment 4 is active; only a sealed one"),
        (lambda one: layouts.pruned(one, 1), r"segment 1 has the parents \[0\]; prune those first"),
        (lambda one: layouts.pruned(one, 0, 9), "there is no segment 9"),
        (lambda _: layouts.created(0, 0), "0 segments; expected 1 to 65536"),
        (lambda _: layouts.created(HASHES + 1, 0), "65537 segments; expected 1 to 65536"),
    ],
)
def test_what_a_layout_does_not_allow_is_refused_and_changes_nothing(change: Callable[[Layout], Layout], why: str) -> None:
    """With the value, what was expected, and the remedy."""
    layout, same = _grown(), _grown()

    with pytest.raises(LayoutRefused, match=why):
        change(layout)

    assert layout == same


def test_several_segments_are_pruned_in_one_epoch() -> None:
    """Ancestors with their descendants, in whatever order they are named; remaining children have no parents any more."""
    after = layouts.pruned(_grown(), 1, 0)

    assert (after.epoch, after.next_number, sorted(after.segments)) == (3, 5, [2, 3, 4])
    assert {one.parents for one in after.active} == {()}


def test_one_of_two_parents_may_be_pruned() -> None:
    """The child keeps the other one."""
    layout = layouts.merge(layouts.created(2, 0), (0, 1), 0)
    assert layouts.pruned(layout, 0).named(2).parents == (1,)
    assert flaws(layouts.pruned(layout, 0)) == []


def test_numbers_that_were_given_and_taken_back_are_skipped() -> None:
    """At the same epoch; a second time changes nothing, and numbers that were skipped before stay skipped."""
    layout = layouts.created(2, 0)
    skipped = layouts.skipped(layout, (2, 3))
    assert (skipped.epoch, skipped.segments, skipped.next_number) == (0, layout.segments, 4)
    assert layouts.skipped(skipped, (2, 3)) == layouts.skipped(skipped, (2,)) == skipped
    assert {one.number for one in layouts.split(skipped, 0, 0).active} == {1, 4, 5}


@pytest.mark.parametrize("neighbours", ["adjacent", "buddy"])
def test_more_segments_cost_no_more_than_in_proportion(neighbours: Neighbours) -> None:
    """Made, split, merged at once, checked for flaws and pruned: ten times as many take less than twenty times as many steps."""

    def changed(segments: int) -> None:
        layout = layouts.created(segments, 0)
        if neighbours == "buddy":
            layout = layouts.merge(layouts.split(layout, 0, 0), (segments, segments + 1), 0, neighbours)
        merged = layouts.merge(layout, [one.number for one in layout.active], 0, at_most=None)
        assert flaws(merged) == []
        assert layouts.pruned(merged, *(one.number for one in merged.sealed)).segments.keys() == {merged.next_number - 1}

    assert counted.lines(lambda: changed(5_000)) < 20 * counted.lines(lambda: changed(500))
