"""Metadata-driven transactions as a kind of transactions: for topics `segment://`, and for requests with the flag `scalable`."""

import contextlib
from collections.abc import Callable, Mapping
from itertools import chain

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.varied import varied
from fencepost.reference.metadata.store import MetadataStore, Unavailable
from fencepost.reference.pulsar.buffer import TransactionBuffer
from fencepost.reference.pulsar.coordinator import TransactionCoordinator
from fencepost.reference.pulsar.kinds import Site
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.participants import EndOnParticipant, Participant
from fencepost.reference.pulsar.pending_ack_store import PendingAckStore
from fencepost.reference.scalable import scalable_release_bugs
from fencepost.reference.scalable.control import Control, control
from fencepost.reference.scalable.layout_crash_points import CRASH_POINTS as POINTS_OF_CHANGES
from fencepost.reference.scalable.names import TOPIC_DOMAIN, is_segment
from fencepost.reference.scalable.scalable_profile import ScalableProfile
from fencepost.reference.scalable.segment_owners import Segments

from . import metadata_release_bugs
from .metadata_crash_points import CRASH_POINTS
from .metadata_parts import MetadataParts
from .metadata_profile import MetadataProfile
from .participation import Participation
from .store_client import StoreClient
from .transaction_records import TransactionRecords


class MetadataKind:
    """One object for all nodes of a broker, each of which is a separate client of the store. Its topics are the segments of layouts.

    `connect_layouts` connects to the store in which layouts are kept, if that is another one.
    """

    scalable = True
    parallelism = 4
    crash_points: Mapping[str, str] = CRASH_POINTS | POINTS_OF_CHANGES

    def __init__(
        self,
        profile: MetadataProfile,
        parts: MetadataParts,
        connect: Callable[[], MetadataStore],
        scalable_topics: ScalableProfile,
        connect_layouts: Callable[[], MetadataStore] | None = None,
    ) -> None:
        self._profile = profile
        self._scalable_topics = scalable_topics
        bugs = (metadata_release_bugs.of(profile), scalable_release_bugs.of(scalable_topics))
        self._parts = varied(parts, chain.from_iterable(bugs))
        self._connect = connect
        self._connect_layouts = connect_layouts
        self._stores: dict[int, StoreClient] = {}
        self._layout_stores: dict[int, StoreClient] = {}
        """The clients of the store of layouts alone."""
        self._participations: dict[tuple[int, Participant], Participation] = {}

    def takes(self, topic: str) -> bool:
        """Segments. 5.0.0-M1 also accepts topics that an old client names as if they were scalable ones, which are unrelated to them."""
        is_extra = topic.startswith(TOPIC_DOMAIN) and self._scalable_topics.old_clients == "extra-topic"
        return is_extra or is_segment(topic)

    def control(self, machine: Machine, segments: Segments) -> Control:
        store = self._store(machine)
        if self._connect_layouts is not None:
            store = self._layout_stores[machine.node] = self._parts.store_client(self._connect_layouts())
        return control(self._parts, machine, store, segments, self._scalable_topics)

    def coordinator(self, tc_id: int, machine: Machine, end_on: EndOnParticipant) -> TransactionCoordinator:  # noqa: ARG002 - none is asked
        made = self._parts.metadata_coordinator(tc_id, machine, self._records(machine), self._profile, self._parts.collection)
        made.is_loaded = self._is_loaded
        return made

    def buffer(self, site: Site, ledger: Ledger) -> TransactionBuffer:
        made = self._parts.metadata_buffer(site, ledger, self._records(site.machine), self._profile, self._parts.participation)
        self._participations[site.machine.node, site.participant] = made.participation
        return made

    def pending_ack_store(self, site: Site) -> PendingAckStore:
        made = self._parts.pending_ack_records(site, self._records(site.machine), self._profile, self._parts.participation)
        self._participations[site.machine.node, site.participant] = made.participation
        return made

    def forget(self, participant: Participant, machine: Machine) -> None:
        if (participation := self._participations.pop((machine.node, participant), None)) is not None:
            participation.close()

    def node_is_down(self, node: int) -> None:
        for stores in (self._stores, self._layout_stores):
            if (store := stores.pop(node, None)) is not None:
                with contextlib.suppress(Unavailable):
                    store.close()
        self._participations = {key: one for key, one in self._participations.items() if key[0] != node}

    def settle(self) -> None:
        """One client of each store is enough, except for what the others hold back."""
        for stores in (self._stores, self._layout_stores):
            for number, store in enumerate([store for store in stores.values() if store.has_written]):
                with contextlib.suppress(Unavailable):  # participants also look by themselves
                    store.has_written = False
                    (store.hear if number else store.settle)()

    def hear(self) -> None:
        """Deliver notifications of what other processes have written on the store; in real time they arrive by themselves."""
        for store in list(self._stores.values()):
            with contextlib.suppress(Unavailable):
                store.hear()

    def _is_loaded(self, participant: Participant) -> bool:
        return any(name == participant for _, name in self._participations)

    def _records(self, machine: Machine) -> TransactionRecords:
        return self._parts.transaction_records(self._store(machine))

    def _store(self, machine: Machine) -> StoreClient:
        if machine.node not in self._stores:
            self._stores[machine.node] = self._parts.store_client(self._connect())
        return self._stores[machine.node]
