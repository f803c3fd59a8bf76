"""The bundled reference as a Pulsar system with scalable topics and metadata-driven transactions, on a store in memory.

Its classic side behaves like the release that the profile names, or like the proposal.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Self

from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.adapters.common.time import VirtualTime
from fencepost.adapters.pulsar.client import parse_service_url
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.adapters.pulsar.store_writes import StoreWrite
from fencepost.contract.ports import Handshake
from fencepost.reference.defects import Defect
from fencepost.reference.kernel.clock import FIRST_NODE
from fencepost.reference.metadata.store import MetadataStore
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile
from fencepost.reference.metadata_transactions.record_models import TRANSITIONS
from fencepost.reference.pulsar import ReferencePulsar
from fencepost.reference.scalable.paths import TOPICS
from fencepost.reference.scalable.scalable_profile import ScalableProfile

from .metadata_stores import Backend, InMemory, Stores
from .noted_store import NotedStore
from .reference_metadata import StoreTrouble, StoreView
from .reference_pulsar import NODES, SERVICE, PulsarFaults, PulsarReferenceSystem, number_of

_CORE_POINTS = {
    "before-decision-logged": "before-header-cas",
    "after-decision-logged": "after-header-cas",
    "after-marker-written": "before-op-delete",
    "before-complete-logged": "after-event",
}
"""The crash points of coordinators with a log, and the corresponding ones here."""
_OFFERED = frozenset(
    {
        "batch-index-acknowledgement",
        "clean-stop",
        "crash",
        "crash-points",
        "entry-counts",
        "hold-markers",
        "late-ends",
        "more-brokers",
        "more-coordinators",
        "node-messages",
        "own-broker",
        "reload",
        "sealing",
        "virtual-time",
    }
)
_STORE = frozenset({"metadata-store", "metadata-indexes", "store-faults", "plain-store", "short-retention"})


class _Faults(PulsarFaults, StoreTrouble):
    """The faults of that broker, whose crash points have other names, and of its store."""

    def __init__(self, broker: ReferencePulsar, patience_s: float, store: StoreFaults) -> None:
        PulsarFaults.__init__(self, broker, patience_s)
        StoreTrouble.__init__(self, store)
        self._nodes = broker
        self.store_is_true = True
        """Whether every broker has read the true state; what a broker does after a stale read is the fault's effect, and no anomaly."""

    def trouble_store(self, fault: str, records: str) -> None:
        super().trouble_store(fault, records)
        self.store_is_true = self.store_is_true and fault != "stale-read"

    def crash_broker(self, service_url: str) -> None:
        self._nodes.crash(_number_at(service_url))

    def expire_session(self, service_url: str) -> None:
        expired = _number_at(service_url)
        self._faults.arm("session-expires", TOPICS)
        self._nodes.run(lambda node: node.scalable.topics.names_in("public/default"), expired)  # the next request to the store
        for number in range(FIRST_NODE, FIRST_NODE + NODES):
            if number != expired:
                self._nodes.run(lambda node: node.scalable.topics.sweep(), number)

    def crash_at(self, point: str) -> None:
        super().crash_at(_CORE_POINTS.get(point, point))


def _number_at(service_url: str) -> int:
    """The node of the reference at this address."""
    address = parse_service_url(service_url)
    assert address is not None, f"{service_url} is no address of a broker of the reference"
    return number_of(address)


class ScalableReferenceSystem(PulsarReferenceSystem):
    """The reference with the behaviour of a profile of metadata-driven transactions, or a broken variant of it."""

    lacks: tuple[str, ...] = ()
    transitions = TRANSITIONS

    def __init__(self, profile_name: str = "seed", variant: Defect | None = None, patience_s: float = PATIENCE_S) -> None:
        super().__init__(profile_name, variant, patience_s)
        self._metadata = MetadataProfile.load(profile_name)
        self._scalable = ScalableProfile.load(profile_name)
        self._backend: Backend = InMemory()

    @property
    def offered(self) -> frozenset[str]:
        return _OFFERED | _STORE | self.of_keys

    def on(self, backend: Backend) -> Self:
        """This system, with its transactions in stores of that backend."""
        self._backend = backend
        return self

    @property
    def profile(self) -> MetadataProfile:
        return self._metadata

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> ScalableSession:
        self.check_is_open()
        stores = self._stores(is_plain="plain-store" in needs)
        listening: list[ScalableSession] = []

        def note(write: StoreWrite, doubt: str | None) -> None:
            for session in listening:
                session.note(write, doubt)

        broker = self._on(lambda: NotedStore(stores.connect(), note))
        faults = _Faults(broker, self.patience_s, stores.faults)
        connect, connect_admin = self.ways_to(broker)
        view = stores.connect()
        session = ScalableSession(
            SERVICE,
            connect,
            connect_admin,
            VirtualTime(broker, self.patience_s),
            faults,
            f"{zlib.crc32(title.encode()) & 0xFFFFFF:06x}",
            metadata=StoreView(view),
            is_true=lambda: faults.store_is_true,
            length_of=broker.length_of,
        )
        session.log_of_writers = self.log_of_writers
        listening.append(session)
        session.on_close(view.close)
        session.on_close(broker.crash)  # its nodes are clients of the store
        return session

    def open(self) -> Handshake:
        self._backend.open()
        return super().open()

    def close(self) -> None:
        self._backend.close()

    def broker(self) -> ReferencePulsar:
        return self._on(self._stores(is_plain=False).connect)

    def _stores(self, *, is_plain: bool) -> Stores:
        return self._backend.stores(self._parts.plain_store if is_plain else None)

    def _on(self, connect: Callable[[], MetadataStore]) -> ReferencePulsar:
        kind = MetadataKind(self._metadata, self._parts, connect, self._scalable)
        return ReferencePulsar(self._profile, self._parts, nodes=NODES, kinds=[kind])

    @property
    def _parts(self) -> MetadataParts:
        parts = self.variant.parts if self.variant else MetadataParts()
        assert isinstance(parts, MetadataParts), "a variant of metadata-driven transactions is made of their parts"
        return parts
