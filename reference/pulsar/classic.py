"""PIP-31's kind of transactions: a coordinator with a log, the buffer that the profile names, and journalled acknowledgements."""

import re
from collections.abc import Mapping

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.scalable.segment_owners import Segments

from .buffer import TransactionBuffer
from .coordinator import TransactionCoordinator
from .kinds import Site
from .ledger import Ledger
from .participants import EndOnParticipant, Participant
from .pending_ack_store import PendingAckStore
from .pulsar_crash_points import CRASH_POINTS
from .pulsar_parts import PulsarParts
from .pulsar_profile import PulsarProfile
from .pulsar_types import SubscriptionName
from .sidecar_buffer import SIDECAR_SUFFIX

_NAME = re.compile(r"persistent://[^/\s]+/[^/\s]+/[^/\s]+")


class Classic:
    """Transactions of topics whose domain is `persistent`."""

    scalable = False
    parallelism = 1
    crash_points: Mapping[str, str] = CRASH_POINTS

    def __init__(self, profile: PulsarProfile, parts: PulsarParts) -> None:
        self._profile = profile
        self._parts = parts

    def takes(self, topic: str) -> bool:
        return _NAME.fullmatch(topic) is not None

    def coordinator(self, tc_id: int, machine: Machine, end_on: EndOnParticipant) -> TransactionCoordinator:
        log = self._parts.transaction_log(machine.disk, tc_id)
        return self._parts.coordinator(tc_id, machine, self._profile, log, end_on, self._parts.participants)

    def buffer(self, site: Site, ledger: Ledger) -> TransactionBuffer:
        if self._profile.buffer == "marker":
            return self._parts.marker_buffer(ledger, site.machine)
        sidecar = self._parts.ledger(site.machine.disk, f"{site.participant}{SIDECAR_SUFFIX}")
        return self._parts.sidecar_buffer(ledger, sidecar, site.machine)

    def pending_ack_store(self, site: Site) -> PendingAckStore:
        assert isinstance(site.participant, SubscriptionName), "acknowledgements are a subscription's"
        return self._parts.pending_ack_journal(site.machine, site.participant)

    def control(self, machine: Machine, segments: Segments) -> None:  # noqa: ARG002 - its topics have no layouts
        return None

    def forget(self, participant: Participant, machine: Machine) -> None:
        """Nothing is held for participants."""

    def node_is_down(self, node: int) -> None:
        """Everything is on the disk."""

    def settle(self) -> None:
        """What is sent to participants is in the network."""
