"""The engines: for each protocol the reference that implements it, in process and served.

An engine is added here, and nowhere else. Its code is imported at its first use: to serve one protocol takes no time for others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fencepost.contract.ports import System
    from fencepost.reference.defects import Defect
    from fencepost.reference.serving.offer import Served


@dataclass(frozen=True)
class Engine:
    """A reference implementation of a protocol: its profiles, how it is made as a system in this process, and the module that serves it."""

    protocol: str
    profiles: Callable[[], list[str]]
    system: Callable[[str, Defect | None, float], System]
    served_by: str

    @property
    def served(self) -> Served:
        module: Any = importlib.import_module(f"fencepost.reference.serving.{self.served_by}")
        served: Served = module
        return served


def _kafka_profiles() -> list[str]:
    from fencepost.reference.kafka import Profile

    return Profile.names()


def _kafka(profile: str, defect: Defect | None, patience_s: float) -> System:
    from .reference_kafka import ReferenceSystem

    return ReferenceSystem(profile, defect, patience_s)


def _pulsar_profiles() -> list[str]:
    from fencepost.reference.pulsar import PulsarProfile

    return PulsarProfile.names()


def _pulsar(profile: str, defect: Defect | None, patience_s: float) -> System:
    from .reference_pulsar import PulsarReferenceSystem

    return PulsarReferenceSystem(profile, defect, patience_s)


def _scalable_profiles() -> list[str]:
    from fencepost.reference.metadata_transactions import MetadataProfile

    return MetadataProfile.names()


def _scalable(profile: str, defect: Defect | None, patience_s: float) -> System:
    from .reference_scalable import ScalableReferenceSystem

    return ScalableReferenceSystem(profile, defect, patience_s)


ENGINES = {
    engine.protocol: engine
    for engine in (
        Engine("kafka", _kafka_profiles, _kafka, "served_kafka"),
        Engine("pulsar", _pulsar_profiles, _pulsar, "served_pulsar"),
        Engine("pulsar-scalable", _scalable_profiles, _scalable, "served_pulsar"),
    )
}


def import_all() -> None:
    """Import the systems of all engines, in a process from which others are forked."""
    for name in ("reference_kafka", "reference_pulsar", "reference_scalable"):
        importlib.import_module(f"fencepost.adapters.{name}")
