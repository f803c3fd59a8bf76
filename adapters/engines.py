"""The engines: for each protocol the reference that implements it, in process and served.

An engine is added here, and nowhere else. Its code is imported at its first use: to serve one protocol takes no time for others.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fencepost.contract.ports import System
    from fencepost.reference.defects import Defect
    from fencepost.reference.serving.offer import Served


@dataclass(frozen=True)
class Engine:
    """A reference implementation of a protocol: of its profiles and of its system in this process the module and the class, and the module
    that serves it.
    """

    protocol: str
    profile_class: tuple[str, str]
    system_class: tuple[str, str]
    served_by: str

    def profiles(self) -> list[str]:
        """The names of its profiles."""
        module, name = self.profile_class
        names: list[str] = getattr(importlib.import_module(f"fencepost.reference.{module}"), name).names()
        return names

    def system(self, profile: str, defect: Defect | None, patience_s: float) -> System:
        """A new one in this process."""
        system: System = getattr(self.import_system(), self.system_class[1])(profile, defect, patience_s)
        return system

    def import_system(self) -> Any:
        """Its module, with all that it needs."""
        return importlib.import_module(f"fencepost.adapters.{self.system_class[0]}")

    @property
    def served(self) -> Served:
        module: Any = importlib.import_module(f"fencepost.reference.serving.{self.served_by}")
        served: Served = module
        return served


ENGINES = {
    engine.protocol: engine
    for engine in (
        Engine("kafka", ("kafka", "Profile"), ("reference_kafka", "ReferenceSystem"), "served_kafka"),
        Engine("pulsar", ("pulsar", "PulsarProfile"), ("reference_pulsar", "PulsarReferenceSystem"), "served_pulsar"),
        Engine(
            "pulsar-scalable",
            ("metadata_transactions", "MetadataProfile"),
            ("reference_scalable", "ScalableReferenceSystem"),
            "served_pulsar",
        ),
    )
}


def import_all() -> None:
    """Import the systems of all engines, in a process from which others are forked."""
    for engine in ENGINES.values():
        engine.import_system()
