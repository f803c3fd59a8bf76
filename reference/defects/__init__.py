"""Variants of the reference that are broken on purpose, and conforming variants, a module for each theme.

A *defect* is a broker in which one part makes one decision wrongly, so that the broker breaks a requirement. The suite must be red on it,
with the stated symptom. A *conforming variant* breaks no requirement, but has unusual order or timing. A red on it is a false red.

`@defect` stands above the class that makes the variant different. `DEFECTS` and `CONFORMING` have the variants of all modules, by name.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator

from .decorator import declared_by
from .defect import Defect

__all__ = ["CONFORMING", "DEFECTS", "Defect"]


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
CONFORMING: dict[str, Defect]


def __getattr__(name: str) -> dict[str, Defect]:
    """Both are built at the first use: a run of the conforming reference imports none of the 150 modules of defects."""
    if name not in ("DEFECTS", "CONFORMING"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    known = by_name(_variants())
    globals()["DEFECTS"] = {name: variant for name, variant in known.items() if not variant.is_conforming}
    globals()["CONFORMING"] = {name: variant for name, variant in known.items() if variant.is_conforming}
    made: dict[str, Defect] = globals()[name]
    return made
