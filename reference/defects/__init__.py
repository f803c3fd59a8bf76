"""Deliberately broken variants of the reference, and unusual lawful ones, a module for each theme.

A *defect* is a broker in which one part decides one thing wrongly, so that one requirement is broken: a suite that is worth its
verdicts turns red at it, and says why. A *lawful variant* breaks no requirement, but has unusual order or timing: a suite that turns
red at one has found nothing.

`@defect` declares a variant above the class that makes it different. Each that a theme's module has is known by its name here, in
`DEFECTS` or in `LAWFUL`.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator

from .decorator import declared_by
from .defect import Defect

__all__ = ["DEFECTS", "LAWFUL", "Defect"]


def _variants() -> Iterator[Defect]:
    for theme in pkgutil.walk_packages(__path__, f"{__name__}."):
        for value in vars(importlib.import_module(theme.name)).values():
            if isinstance(value, type):
                yield from declared_by(value)


def by_name(variants: Iterable[Defect]) -> dict[str, Defect]:
    """The variants by their names. Raises ValueError where two have the same name, since one of them would never be tried."""
    found: dict[str, Defect] = {}
    for variant in variants:
        if found.setdefault(variant.name, variant) is not variant:
            raise ValueError(f"two variants are called {variant.name!r}: {found[variant.name].story!r} and {variant.story!r}; rename one")
    return found


DEFECTS: dict[str, Defect]
LAWFUL: dict[str, Defect]


def __getattr__(name: str) -> dict[str, Defect]:
    """Both are made when one is first asked for: a run of the honest reference needs none of 150 modules."""
    if name not in ("DEFECTS", "LAWFUL"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    known = by_name(_variants())
    globals()["DEFECTS"] = {name: variant for name, variant in known.items() if not variant.is_lawful}
    globals()["LAWFUL"] = {name: variant for name, variant in known.items() if variant.is_lawful}
    made: dict[str, Defect] = globals()[name]
    return made
