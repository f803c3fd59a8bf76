"""The changes from one layout of a scalable topic to the next, as histories have them: PIP-468.

`ctl` is as the history checker reads it: `topic`; `segs`, the segments that were sealed or removed; `children` as NAME:FIRST-LAST with
hexadecimal hashes; and the first `epoch` with the change.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fencepost.contract.events import Operation
from fencepost.contract.operations import operation

from .layout_values import LayoutSegment, ReportedLayout

Kind: TypeAlias = Literal["create", "split", "merge", "prune"]


@dataclass(frozen=True)
class LayoutChange:
    """One change. `sealed` has the numbers of the segments that it sealed or, for a `prune`, removed."""

    name: Kind
    sealed: frozenset[int]
    epoch: int
    ctl: Mapping[str, str]

    def as_operation(self) -> Operation:
        """The change as a history has it."""
        return operation(self.name, ctl=self.ctl)


def beginning(layout: ReportedLayout) -> list[LayoutChange] | None:
    """The changes that made a layout: its first segments, and what became of them. None if segments that one would need are gone."""
    roots = [one for one in layout.segments if not _parents(one, layout)]
    if layout.epoch and not (_divide_all_hashes(roots) and _has_siblings(layout, set())):
        return None
    epoch = min((one.created_at_epoch for one in roots), default=layout.epoch)
    made = LayoutChange("create", frozenset(), epoch, _ctl(layout, (), roots, epoch))
    return [made, *_families(layout, {one.number for one in roots})]


def between(before: ReportedLayout, after: ReportedLayout) -> list[LayoutChange] | None:
    """The changes from one layout to a later one; None likewise."""
    known, there = {one.number for one in before.segments}, {one.number for one in after.segments}
    if any(one.number not in there for one in before.active) or not _has_siblings(after, known):
        return None
    gone = [one for one in before.segments if one.number not in there]
    pruned = LayoutChange("prune", frozenset(one.number for one in gone), after.epoch, _ctl(after, gone, (), after.epoch))
    return [*_families(after, known), *([pruned] if gone else [])]


def _has_siblings(layout: ReportedLayout, known: set[int]) -> bool:
    """Whether, for each segment that is not known yet, all children of its parents are there. The layout's own epoch is left out, because
    its segments cannot be gone yet: what is not there never was.
    """
    there = known | {one.number for one in layout.segments}
    older = [one for one in layout.segments if one.number not in known and one.created_at_epoch < layout.epoch]
    parents = {number for one in older for number in _parents(one, layout)}
    return all(child in there for one in layout.segments if one.number in parents for child in one.children)


def _families(layout: ReportedLayout, known: set[int]) -> Iterator[LayoutChange]:
    """The splits and merges that made the segments which are not known yet, parents before their children."""
    families: defaultdict[tuple[int, frozenset[int]], list[LayoutSegment]] = defaultdict(list)
    for one in layout.segments:
        if one.number not in known:
            families[one.created_at_epoch, _parents(one, layout)].append(one)
    by_number = {one.number: one for one in layout.segments}
    for (epoch, numbers), children in sorted(families.items(), key=lambda family: (family[0][0], min(family[0][1], default=-1))):
        if numbers:
            parents = [by_number[number] for number in sorted(numbers) if number in by_number]
            yield LayoutChange("split" if len(numbers) == 1 else "merge", numbers, epoch, _ctl(layout, parents, children, epoch))


def _parents(segment: LayoutSegment, layout: ReportedLayout) -> frozenset[int]:
    """Its parents that are still there, as either the segment or the parent names them."""
    there = {one.number for one in layout.segments}
    return frozenset(segment.parents) & there | {one.number for one in layout.segments if segment.number in one.children}


def _divide_all_hashes(segments: Iterable[LayoutSegment]) -> bool:
    due = 0
    for one in sorted(segments, key=lambda one: one.first_hash):
        if one.first_hash != due:
            return False
        due = one.last_hash + 1
    return due == 1 << 16


def _ctl(layout: ReportedLayout, segments: Iterable[LayoutSegment], children: Iterable[LayoutSegment], epoch: int) -> dict[str, str]:
    found = {
        "topic": layout.topic,
        "segs": ",".join(one.topic for one in segments),
        "children": ",".join(f"{one.topic}:{one.first_hash:04x}-{one.last_hash:04x}" for one in children),
        "epoch": str(epoch),
    }
    return {name: value for name, value in found.items() if value}
