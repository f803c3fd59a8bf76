"""How much of a reference's coordinator a search has reached: the transitions of its state machine that were taken."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from fencepost.console.phrases import counted
from fencepost.contract.transitions import Transition


@dataclass(frozen=True)
class Coverage:
    """The transitions that a coordinator has, and those that were taken, which may still grow."""

    known: frozenset[Transition]
    taken: Set[Transition]

    @property
    def never(self) -> list[Transition]:
        """Those that were not taken."""
        return sorted(self.known - self.taken)

    def __str__(self) -> str:
        return f"{len(self.known & self.taken)} of {counted(len(self.known), 'transition')} of the coordinator"

    def as_json(self) -> dict[str, Any]:
        return {"taken": len(self.known & self.taken), "known": len(self.known), "never": [str(one) for one in self.never]}
