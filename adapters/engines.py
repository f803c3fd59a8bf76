"""The engines: for each protocol the reference that implements it, in process and served.

An engine is added here, and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass

from fencepost.contract.ports import System
from fencepost.reference.defects import Defect
from fencepost.reference.kafka import Profile
from fencepost.reference.metadata_transactions import MetadataProfile
from fencepost.reference.pulsar import PulsarProfile
from fencepost.reference.serving import served_kafka, served_pulsar
from fencepost.reference.serving.offer import Served

from .reference_kafka import ReferenceSystem
from .reference_pulsar import PulsarReferenceSystem
from .reference_scalable import ScalableReferenceSystem


@dataclass(frozen=True)
class Engine:
    """A reference implementation of a protocol: its profiles, how it is made as a system in this process, and how it is served."""

    protocol: str
    profiles: Callable[[], list[str]]
    system: Callable[[str, Defect | None, float], System]
    served: Served


ENGINES = {
    engine.protocol: engine
    for engine in (
        Engine("kafka", Profile.names, ReferenceSystem, served_kafka),
        Engine("pulsar", PulsarProfile.names, PulsarReferenceSystem, served_pulsar),
        Engine("pulsar-scalable", MetadataProfile.names, ScalableReferenceSystem, served_pulsar),
    )
}
