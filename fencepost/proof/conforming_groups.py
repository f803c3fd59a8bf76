"""Lawful variants as one broker, so that a proof asks everything once for several of them.

They replace different parts, so each is whole in it. A broker that nothing catches clears all of its variants, side by side; one that
is caught says nothing of any, and each is then tried alone.
"""

import dataclasses
from collections.abc import Iterable

from fencepost.reference.defects import Defect


def parts_of(variant: Defect) -> set[str]:
    """The names of the parts that it replaces."""
    return {name for name, lawful in vars(type(variant.parts)()).items() if getattr(variant.parts, name) is not lawful}


def groups(lawful: Iterable[Defect]) -> list[tuple[Defect, ...]]:
    """Each variant in one group, with others of its protocol that replace other parts; few groups, and the same each time."""
    found: list[list[Defect]] = []
    for variant in lawful:
        fitting = (group for group in found if all(_are_apart(variant, other) for other in group))
        group = next(fitting, None)
        if group is None:
            found.append([variant])
        else:
            group.append(variant)
    return [tuple(group) for group in found]


def as_one(variants: tuple[Defect, ...]) -> Defect:
    """A broker that has what makes each of these different; the variant itself where it is one."""
    first, *others = variants
    if not others:
        return first
    changed = {name: getattr(other.parts, name) for other in others for name in parts_of(other)}
    return dataclasses.replace(
        first,
        name="+".join(variant.name for variant in variants),
        story=" ".join(variant.story for variant in variants),
        parts=dataclasses.replace(first.parts, **changed),
    )


def _are_apart(one: Defect, other: Defect) -> bool:
    return one.protocol == other.protocol and parts_of(one).isdisjoint(parts_of(other))
