"""The segments of a scalable topic, as values, and what changes them. PIP-460, "Segment DAG"; PIP-468, "Split", "Merge".

The hashes of keys go from 0 to 65535, and each segment has a range of them that includes both ends. Active segments never overlap and cover
all hashes, at every epoch. A sealed segment is never written again, and stays until it is pruned. Values are immutable: a change returns
another layout, and a refused one has no effect.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from fencepost.reference.kernel.rules import rule

HASHES = 65_536
"""How many hashes there are: `0000` to `ffff`."""

Neighbours = Literal["adjacent", "buddy"]
"""Which segments may be merged: any adjacent ones, or only those of one split."""


Remainder = Literal["spread", "last"]
"""Which segments get the remainder if the hashes cannot be shared equally: several one hash each, or the last one all."""


class LayoutRefused(ValueError):
    """A change that a layout does not allow: the value, what was expected, and what to do."""


class HashRange(NamedTuple):
    """The hashes from the first to the last, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first:04x}-{self.last:04x}"


class SegmentState(Enum):
    """Whether a segment accepts messages."""

    ACTIVE = "ACTIVE"
    SEALED = "SEALED"


@dataclass(frozen=True)
class Segment:
    """A segment. Epochs are those of the layout that created or sealed it; times are in ms."""

    number: int
    hashes: HashRange
    state: SegmentState = SegmentState.ACTIVE
    parents: tuple[int, ...] = ()
    children: tuple[int, ...] = ()
    created_at_epoch: int = 0
    sealed_at_epoch: int | None = None
    created_ms: int = 0
    sealed_ms: int | None = None

    @property
    def is_active(self) -> bool:
        """Whether it accepts messages."""
        return self.state is SegmentState.ACTIVE


@dataclass(frozen=True)
class Layout:
    """A scalable topic's segments at one epoch, by their numbers; `next_number` is that of the next segment to be created."""

    epoch: int
    next_number: int
    segments: Mapping[int, Segment]

    @cached_property
    def active(self) -> tuple[Segment, ...]:
        """The active segments, the lowest hashes first."""
        return tuple(sorted((one for one in self.segments.values() if one.is_active), key=lambda one: one.hashes))

    @cached_property
    def sealed(self) -> tuple[Segment, ...]:
        """The sealed segments, by their numbers."""
        return tuple(one for _, one in sorted(self.segments.items()) if not one.is_active)

    def named(self, number: int) -> Segment:
        """The segment of that number. Raises LayoutRefused."""
        if (found := self.segments.get(number)) is None:
            there = f"0 to {self.next_number - 1}, without those that are pruned"
            raise LayoutRefused(f"there is no segment {number}; expected a number from {there}. Look the layout up again")
        return found


def created(segments: int, now_ms: int, remainder: Remainder = "spread") -> Layout:
    """A new topic's layout: that many segments, whose ranges are equal, give or take one hash; or the last gets the whole remainder.

    Raises LayoutRefused for a number below 1, or above that of the hashes.
    """
    rule("PIP460-01")
    rule("PIP460-02")
    if not 1 <= segments <= HASHES:
        raise LayoutRefused(f"{segments} segments; expected 1 to {HASHES}")
    bounds = [number * HASHES // segments for number in range(segments + 1)]
    if remainder == "last":
        bounds = [*(number * (HASHES // segments) for number in range(segments)), HASHES]
    made = {number: Segment(number, HashRange(bounds[number], bounds[number + 1] - 1), created_ms=now_ms) for number in range(segments)}
    return Layout(0, segments, made)


def halves(segment: Segment) -> tuple[HashRange, HashRange]:
    """The ranges of the children of a split: up to the midpoint, and above it. Raises LayoutRefused for a single hash."""
    rule("PIP460-05")
    rule("PIP460-24")
    first, last = segment.hashes
    if first == last:
        rule("PIP460-09")
        raise LayoutRefused(f"segment {segment.number} has the one hash {first:04x} and cannot be split; split one with two hashes or more")
    middle = (first + last) // 2
    return HashRange(first, middle), HashRange(middle + 1, last)


def split(layout: Layout, number: int, now_ms: int) -> Layout:
    """The segment is sealed, and two children share its hashes. Raises LayoutRefused if it is unknown, sealed, or has one hash."""
    parent = _active(layout, number, "split")
    return replaced(layout, [parent], halves(parent), now_ms)


def merge(layout: Layout, numbers: Iterable[int], now_ms: int, neighbours: Neighbours = "adjacent", at_most: int | None = 2) -> Layout:
    """The segments are sealed, and one child has all their hashes.

    Raises LayoutRefused for one that is unknown, sealed or named twice, for segments that are not adjacent, and, if a profile merges only
    those of one split, or only `at_most` of them (None: any number), for others.
    """
    named = tuple(numbers)
    if len(set(named)) != len(named) or len(named) < 2 or (at_most is not None and len(named) > at_most):
        rule("PIP460-11")
        expected = f"2 to {at_most}" if at_most != 2 and at_most is not None else ("2" if at_most else "2 or more")
        raise LayoutRefused(f"segments {list(named)} to be merged; expected {expected} different ones")
    parents = sorted((_active(layout, number, "merge") for number in named), key=lambda one: one.hashes)
    for left, right in pairwise(parents):
        if left.hashes.last + 1 != right.hashes.first:
            rule("PIP460-11")
            raise LayoutRefused(
                f"segments {left.number} ({left.hashes}) and {right.number} ({right.hashes}) do not lie side by side; "
                "expected that one ends where the next begins. Merge what lies between as well"
            )
    rule("PIP460-12")
    # Each change has its own epoch, so that those of one split are recognised by it, also when their parent is pruned.
    if neighbours == "buddy" and (parents[0].created_at_epoch == 0 or len({one.created_at_epoch for one in parents}) != 1):
        raise LayoutRefused(f"segments {list(named)} come of different splits; expected those of one split")
    rule("PIP460-10")
    return replaced(layout, parents, (HashRange(parents[0].hashes.first, parents[-1].hashes.last),), now_ms)


def replaced(layout: Layout, parents: Iterable[Segment], ranges: Iterable[HashRange], now_ms: int) -> Layout:
    """The layout of the next epoch, in which the parents are sealed, and children have these ranges and the next numbers."""
    rule("PIP460-01")
    rule("PIP460-06")
    parents, epoch = tuple(parents), layout.epoch + 1
    numbers = tuple(one.number for one in parents)
    rule("PIP460-07")
    children = {
        number: Segment(number, hashes, parents=numbers, created_at_epoch=epoch, created_ms=now_ms)
        for number, hashes in enumerate(ranges, layout.next_number)
    }
    rule("PIP460-04")
    sealed = {
        one.number: replace(one, state=SegmentState.SEALED, children=tuple(children), sealed_at_epoch=epoch, sealed_ms=now_ms)
        for one in parents
    }
    return Layout(epoch, layout.next_number + len(children), {**layout.segments, **sealed, **children})


def pruned(layout: Layout, *numbers: int) -> Layout:
    """The layout of the next epoch, without these sealed segments; their children lose them as parents.

    Raises LayoutRefused for one that is unknown or active, and for one whose parents stay: ancestors are pruned first, or with it.
    """
    gone = set(numbers)
    left = {number: one for number, one in layout.segments.items() if number not in gone}
    for number in numbers:
        segment = layout.named(number)
        if segment.is_active:
            raise LayoutRefused(f"segment {number} is active; only a sealed one can be pruned")
        if staying := [parent for parent in segment.parents if parent in left]:
            raise LayoutRefused(f"segment {number} has the parents {staying}; prune those first")
        for child in segment.children:
            if child in left:
                left[child] = _without_parents(left[child], gone)
    return Layout(layout.epoch + 1, layout.next_number, left)


def skipped(layout: Layout, numbers: Iterable[int]) -> Layout:
    """The same layout, at the same epoch, which never gives any of these numbers to a segment."""
    rule("PIP460-07")
    return replace(layout, next_number=max(layout.next_number, *(number + 1 for number in numbers)))


def _without_parents(child: Segment, gone: Set[int]) -> Segment:
    if gone.isdisjoint(child.parents):
        return child  # it was reached by another of its parents before
    return replace(child, parents=tuple(parent for parent in child.parents if parent not in gone))


def _active(layout: Layout, number: int, change: str) -> Segment:
    found = layout.named(number)
    if not found.is_active:
        if change == "split":
            rule("PIP460-08")
        else:
            rule("PIP460-11")
        raise LayoutRefused(f"segment {number} is sealed; only an active one can be {'split' if change == 'split' else 'merged'}")
    return found
