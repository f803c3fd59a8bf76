"""Whether a variant of the reference has taken effect: whether any of the code that makes it different has run.

A defect whose code never ran proves nothing, whatever the verdicts are: it may be in a branch that no scenario takes.
"""

import functools
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from fencepost.reference import kafka, pulsar

from .defect import Defect


class DecisionWatch:
    """Notes which of a variant's own functions are called. For a process that runs only variants, since it changes its classes."""

    def __init__(self, defect: Defect) -> None:
        self._called: set[str] = set()
        self._own = [(part, name) for part in own_classes(defect.parts) for name in _functions(part)]
        for part, name in self._own:
            setattr(part, name, self._noting(f"{part.__name__}.{name}", vars(part)[name]))

    def trouble(self) -> str | None:
        """Why the variant has not taken effect; None where it has."""
        if not self._own:
            return "it replaces no function of any part"
        if not self._called:
            return (
                f"it never took effect: nothing that it was asked calls {', '.join(f'{part.__name__}.{name}' for part, name in self._own)}"
            )
        return None

    def _noting(self, name: str, member: Any) -> Any:
        if isinstance(member, property):
            return property(self._noting(name, member.fget))

        @functools.wraps(member)
        def noting(*arguments: Any, **keywords: Any) -> Any:
            self._called.add(name)
            return member(*arguments, **keywords)

        return noting


def own_classes(parts: kafka.KafkaParts | pulsar.PulsarParts) -> Iterator[type]:
    """The classes between a variant's parts and the conforming ones."""
    for classes in classes_by_part(parts).values():
        yield from classes


def classes_by_part(parts: kafka.KafkaParts | pulsar.PulsarParts) -> dict[str, list[type]]:
    """By the name of each replaced part, the classes between it and the conforming one, the part first."""
    conforming = vars(type(parts)())
    replaced = {field: getattr(parts, field) for field, part in conforming.items() if getattr(parts, field) is not part}
    return {field: [one for one in part.__mro__ if one not in conforming[field].__mro__] for field, part in replaced.items()}


def _functions(part: type) -> list[str]:
    """The methods and properties that the class defines; `__init__` counts only if there is no other."""
    members = [name for name, member in vars(part).items() if isinstance(member, (FunctionType, property))]
    decided = [name for name in members if name != "__init__"]
    return decided or members
