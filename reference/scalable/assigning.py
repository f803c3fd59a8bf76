"""Which consumer of a subscription reads which segment. PIP-460, "StreamConsumer"; PIP-468, "Assignment".

The module has no state: every controller, also the next one, computes the same assignment from the segments and the names of the consumers.
"""

from collections.abc import Callable, Iterable, Mapping

from fencepost.reference.kernel.rules import rule

from .layout import Layout, Segment


def assign(segments: Iterable[Segment], consumers: Iterable[str]) -> Mapping[str, tuple[Segment, ...]]:
    """What each consumer reads: the segments, sorted by their hashes, are dealt out in turn to the consumers, sorted by their names.

    Each segment has one consumer; without consumers it has none.
    """
    rule("PIP460-34")
    rule("PIP460-35")
    names, in_order = sorted(set(consumers)), sorted(segments, key=lambda one: (one.hashes, one.number))
    return {name: tuple(in_order[place :: len(names)]) for place, name in enumerate(names)}


def readable(layout: Layout, is_drained: Callable[[Segment], bool], *, only_parents: bool = False) -> list[Segment]:
    """The segments that a subscription may read now: those whose ancestors it has all drained, except sealed ones that it has drained.

    If only parents count, an undrained grandparent does not withhold a child. `is_drained` is called for sealed segments, at most once for
    each.
    """
    rule("PIP460-21")
    rule("PIP460-22")
    rule("PIP460-45")
    finished: set[int] = set()
    found = []
    for segment in (layout.segments[number] for number in sorted(layout.segments)):  # parents have lower numbers than their children
        is_free = finished.issuperset(segment.parents)
        if (is_free or only_parents) and not segment.is_active and is_drained(segment):
            finished.add(segment.number)
        elif is_free:
            found.append(segment)
    return found
