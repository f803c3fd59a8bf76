"""A broker's parts with further variants of them: the bugs of a release, applied to whatever the broker is made of."""

import dataclasses
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Parts = TypeVar("Parts", bound="DataclassInstance")


def varied(parts: Parts, variants: Iterable[tuple[str, type]]) -> Parts:
    """These parts, each with the decisions of the variants that stand for its field. A part's own decisions come before theirs."""
    by_field: dict[str, list[type]] = {}
    for field, variant in variants:
        by_field.setdefault(field, []).append(variant)
    changes: dict[str, Any] = {field: _with(getattr(parts, field), tuple(those)) for field, those in by_field.items()}
    return dataclasses.replace(parts, **changes)


@functools.cache
def _with(part: type, variants: tuple[type, ...]) -> type:
    classes = (part, *variants)
    bases = tuple(one for one in classes if not any(other is not one and issubclass(other, one) for other in classes))
    return bases[0] if len(bases) == 1 else type("And".join(one.__name__ for one in bases), bases, {})
