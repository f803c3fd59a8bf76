"""How much of a reference's coordinator a search has reached: the transitions of its state machine that were taken."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from fencepost.console.phrases import counted
from fencepost.reference.kafka import transaction as of_kafka
from fencepost.reference.kernel.transitions import Transition
from fencepost.reference.metadata_transactions import records as of_metadata
from fencepost.reference.pulsar import transaction as of_pulsar

_BY_PROTOCOL = {"kafka": of_kafka.TRANSITIONS, "pulsar": of_pulsar.TRANSITIONS, "pulsar-scalable": of_metadata.TRANSITIONS}


@dataclass(frozen=True)
class Coverage:
    """The transitions that a coordinator has, and those that were taken."""

    known: frozenset[Transition]
    taken: Set[Transition]

    @classmethod
    def of(cls, protocol: str, taken: Set[Transition]) -> "Coverage":
        """Of the reference of that protocol; `taken` may still grow."""
        return cls(_BY_PROTOCOL[protocol], taken)

    @property
    def never(self) -> list[Transition]:
        """Those that were not taken."""
        return sorted(self.known - self.taken)

    def __str__(self) -> str:
        return f"{len(self.known & self.taken)} of {counted(len(self.known), 'transition')} of the coordinator"

    def as_json(self) -> dict[str, Any]:
        return {"taken": len(self.known & self.taken), "known": len(self.known), "never": [str(one) for one in self.never]}
