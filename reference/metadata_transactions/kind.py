"""Metadata-driven transactions as a kind of transactions: for topics `segment://`, and for requests with the flag `scalable`."""

import contextlib
import re
from collections.abc import Callable, Mapping

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.metadata.store import MetadataStore, Unavailable
from fencepost.reference.pulsar.buffer import TransactionBuffer
from fencepost.reference.pulsar.coordinator import TransactionCoordinator
from fencepost.reference.pulsar.kinds import Site
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.participants import EndOnParticipant, Participant
from fencepost.reference.pulsar.pending_ack_store import PendingAckStore

from .crash_points import CRASH_POINTS
from .participation import Participation
from .parts import MetadataParts
from .profile import MetadataProfile
from .store_client import StoreClient
from .transaction_records import TransactionRecords

_SEGMENT = re.compile(r"segment://[^/\s]+/[^/\s]+/[^/\s]+/[0-9a-f]{4}-[0-9a-f]{4}-[0-9]+")


class MetadataKind:
    """One object for all nodes of a broker, each of which is a client of the store by itself."""

    scalable = True
    crash_points: Mapping[str, str] = CRASH_POINTS

    def __init__(self, profile: MetadataProfile, parts: MetadataParts, connect: Callable[[], MetadataStore]) -> None:
        self._profile = profile
        self._parts = parts
        self._connect = connect
        self._stores: dict[int, StoreClient] = {}
        self._participations: dict[tuple[int, Participant], Participation] = {}

    def takes(self, topic: str) -> bool:
        return _SEGMENT.fullmatch(topic) is not None

    def coordinator(self, tc_id: int, machine: Machine, end_on: EndOnParticipant) -> TransactionCoordinator:  # noqa: ARG002 - nobody is asked
        return self._parts.metadata_coordinator(tc_id, machine, self._records(machine), self._profile, self._parts.collection)

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
        if (store := self._stores.pop(node, None)) is not None:
            with contextlib.suppress(Unavailable):
                store.close()
        self._participations = {key: one for key, one in self._participations.items() if key[0] != node}

    def settle(self) -> None:
        for store in [store for store in self._stores.values() if store.has_written]:
            with contextlib.suppress(Unavailable):  # participants also look by themselves
                store.settle()

    def _records(self, machine: Machine) -> TransactionRecords:
        if machine.node not in self._stores:
            self._stores[machine.node] = StoreClient(self._connect())
        return self._parts.transaction_records(self._stores[machine.node])
