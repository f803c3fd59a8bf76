"""What can be wrong with a stored layout. PIP-460, "Segment DAG": each of its rules, and what breaks it."""

from collections.abc import Iterator
from itertools import pairwise

from .layout import HASHES, HashRange, Layout, Segment


def flaws(layout: Layout) -> list[str]:
    """What is wrong with the layout, each with the segment and what was expected; empty for a sound one."""
    found = [*_numbers(layout), *_ranges(layout), *_families(layout), *_epochs(layout)]
    return found if found else list(_cover(layout))


def _numbers(layout: Layout) -> Iterator[str]:
    for key, segment in layout.segments.items():
        if key != segment.number:
            yield f"segment {segment.number} stands under the number {key}"
        if not 0 <= segment.number < layout.next_number:
            yield f"segment {segment.number} is not below the next number {layout.next_number}"


def _ranges(layout: Layout) -> Iterator[str]:
    for segment in layout.segments.values():
        if not 0 <= segment.hashes.first <= segment.hashes.last < HASHES:
            yield f"segment {segment.number} has the hashes {segment.hashes}; expected first to last, within 0000-ffff"


def _families(layout: Layout) -> Iterator[str]:
    # The parents of a merge can be thousands: each is looked up once.
    parents = {number: frozenset(one.parents) for number, one in layout.segments.items()}
    children = {number: frozenset(one.children) for number, one in layout.segments.items()}
    for segment in layout.segments.values():
        for parent in segment.parents:
            if parent not in layout.segments:
                yield f"segment {segment.number} names the parent {parent}, which is unknown"
            elif segment.number not in children[parent]:
                yield f"segment {segment.number} names the parent {parent}, which does not name it as a child"
        for child in segment.children:
            if child not in layout.segments:
                yield f"segment {segment.number} names the child {child}, which is unknown"
            elif segment.number not in parents[child]:
                yield f"segment {segment.number} names the child {child}, which does not name it as a parent"
            elif not _is_related(segment.hashes, layout.segments[child].hashes):
                yield f"segment {segment.number} ({segment.hashes}) names the child {child}, which has other hashes"
        for edges in (segment.parents, segment.children):
            if len(set(edges)) != len(edges):
                yield f"segment {segment.number} names a parent or a child twice: {list(edges)}"
        if segment.is_active == bool(segment.children):
            yield f"segment {segment.number} is {segment.state.value} and has the children {list(segment.children)}"


def _is_related(parent: HashRange, child: HashRange) -> bool:
    """Whether the child has a part of the parent's hashes, as after a split, or all of them and more, as after a merge."""
    shared = HashRange(max(parent.first, child.first), min(parent.last, child.last))
    return shared in (parent, child)


def _epochs(layout: Layout) -> Iterator[str]:
    for segment in layout.segments.values():
        if not 0 <= segment.created_at_epoch <= layout.epoch:
            yield f"segment {segment.number} was created at epoch {segment.created_at_epoch}; the layout is at {layout.epoch}"
        if segment.is_active != (segment.sealed_at_epoch is None):
            yield f"segment {segment.number} is {segment.state.value}, and was sealed at epoch {segment.sealed_at_epoch}"
        elif segment.sealed_at_epoch is not None and not segment.created_at_epoch < segment.sealed_at_epoch <= layout.epoch:
            yield (
                f"segment {segment.number} was sealed at epoch {segment.sealed_at_epoch}; "
                f"expected one after {segment.created_at_epoch} and up to {layout.epoch}"
            )
        yield from _epoch_behind_parents(segment, layout)


def _epoch_behind_parents(segment: Segment, layout: Layout) -> Iterator[str]:
    for parent in segment.parents:
        if (known := layout.segments.get(parent)) is not None and known.sealed_at_epoch != segment.created_at_epoch:
            yield (
                f"segment {segment.number} was created at epoch {segment.created_at_epoch}, "
                f"and its parent {parent} was sealed at {known.sealed_at_epoch}; expected the same epoch"
            )


def _cover(layout: Layout) -> Iterator[str]:
    if not layout.active:
        yield "no segment is active"
        return
    if layout.active[0].hashes.first != 0:
        yield f"no active segment has the hashes below {layout.active[0].hashes.first:04x}"
    for left, right in pairwise(layout.active):
        if right.hashes.first <= left.hashes.last:
            yield f"the active segments {left.number} ({left.hashes}) and {right.number} ({right.hashes}) overlap"
        elif right.hashes.first > left.hashes.last + 1:
            yield f"no active segment has the hashes between {left.hashes} and {right.hashes}"
    if layout.active[-1].hashes.last != HASHES - 1:
        yield f"no active segment has the hashes above {layout.active[-1].hashes.last:04x}"
