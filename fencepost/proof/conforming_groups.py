"""Conforming variants combined into one broker, so that a proof runs every scenario once for several of them.

They change different functions, so each is complete in it; if several replace one part, the broker's part inherits from all of theirs. A
broker that no scenario catches clears all of its variants together; one that is caught judges none of them, and each is then tried alone.
"""

import dataclasses
import dis
import functools
from abc import ABC
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any

from fencepost.contract.errors import first_of
from fencepost.reference.defects import Defect
from fencepost.reference.defects.watch import classes_by_part

_MOST_NAMED = 2


class _Empty(ABC):  # noqa: B024 - it is asked only for what Python gives each class
    """Has what every class has."""


def changes_of(variant: Defect) -> set[tuple[str, str]]:
    """What a variant changes: the names of its parts, and in each those of the functions that it defines, and of what they set."""
    classes = classes_by_part(variant.parts)
    return {(part, name) for part, own in classes.items() for one in own for name in _names_of(one)}


@functools.cache
def _names_of(part: type) -> frozenset[str]:
    names = vars(part).keys() - vars(_Empty).keys()
    functions = [member for member in vars(part).values() if isinstance(member, FunctionType)]
    set_by = {one.argval for function in functions for one in dis.get_instructions(function) if one.opname == "STORE_ATTR"}
    return frozenset(names | set_by)


def named(variants: Sequence[str]) -> str:
    """A broker with the variants of these names, for people: `late-completion, foreign-batches and 9 more`."""
    return first_of(variants, _MOST_NAMED)


def groups(conforming: Iterable[Defect]) -> list[tuple[Defect, ...]]:
    """Puts each variant into one group, with others of its protocol that change other things; few groups, and the same each time."""
    found: list[list[Defect]] = []
    for variant in conforming:
        fitting = (group for group in found if all(_are_apart(variant, other) for other in group))
        group = next(fitting, None)
        if group is None:
            found.append([variant])
        else:
            group.append(variant)
    return [tuple(group) for group in found]


def as_one(variants: tuple[Defect, ...]) -> Defect:
    """A broker with the changes of all these variants; the variant itself if it is only one."""
    first, *others = variants
    if not others:
        return first
    replaced: dict[str, list[type]] = {}
    for variant in variants:
        for part, own in classes_by_part(variant.parts).items():
            replaced.setdefault(part, []).append(own[0])
    inheriting: dict[str, Any] = {part: _inheriting(classes) for part, classes in replaced.items()}
    return dataclasses.replace(
        first,
        name="+".join(variant.name for variant in variants),
        story=" ".join(variant.story for variant in variants),
        parts=dataclasses.replace(first.parts, **inheriting),
    )


def _inheriting(classes: list[type]) -> type:
    """A class with the changes of all these classes; the class itself if it is only one."""
    return classes[0] if len(classes) == 1 else type("And".join(one.__name__ for one in classes), tuple(classes), {})


def _are_apart(one: Defect, other: Defect) -> bool:
    return one.protocol == other.protocol and changes_of(one).isdisjoint(changes_of(other))
