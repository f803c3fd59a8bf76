"""The bundled reference as a Pulsar system with scalable topics and metadata-driven transactions, on a store in memory.

Its classic side is the release's whose profile is meant, or that of the proposal.
"""

from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.reference.defects import Defect
from fencepost.reference.metadata.faults import StoreFaults
from fencepost.reference.metadata.memory import MemoryStore
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile
from fencepost.reference.pulsar import ReferencePulsar

from .reference_pulsar import NODES, PulsarFaults, PulsarReferenceSystem

_CORE_POINTS = {
    "before-decision-logged": "before-header-cas",
    "after-decision-logged": "after-header-cas",
    "after-marker-written": "before-op-delete",
    "before-complete-logged": "after-event",
}
"""Where coordinators with a log have these crash points, this one has that."""
_OFFERED = frozenset({"batch-index-acknowledgement", "crash", "crash-points", "hold-markers", "reload", "virtual-time"})


class _Faults(PulsarFaults):
    """The faults of that broker, whose crash points are called otherwise."""

    def crash_at(self, point: str) -> None:
        super().crash_at(_CORE_POINTS.get(point, point))


class ScalableReferenceSystem(PulsarReferenceSystem):
    """The reference with the behaviour of a profile of metadata-driven transactions, or a broken variant of it."""

    session_type = ScalableSession
    faults_type = _Faults
    offered = _OFFERED

    def __init__(self, profile_name: str = "seed", variant: Defect | None = None, patience_s: float = PATIENCE_S) -> None:
        super().__init__(profile_name, variant, patience_s)
        self._metadata = MetadataProfile.load(profile_name)

    @property
    def profile(self) -> MetadataProfile:
        return self._metadata

    def broker(self) -> ReferencePulsar:
        parts = self.variant.parts if self.variant else MetadataParts()
        assert isinstance(parts, MetadataParts), "a variant of metadata-driven transactions is made of their parts"
        data, faults = MemoryData(), StoreFaults()
        kind = MetadataKind(self._metadata, parts, lambda: MemoryStore(data, faults))
        return ReferencePulsar(self._profile, parts, nodes=NODES, kinds=[kind])
