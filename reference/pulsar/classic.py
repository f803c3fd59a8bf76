"""PIP-31's kind of transactions: a coordinator with a log, the buffer that the profile names, and journalled acknowledgements."""

import re

from fencepost.reference.kernel.machine import Machine

from .buffer import TransactionBuffer
from .coordinator import TransactionCoordinator
from .kinds import Site
from .ledger import Ledger
from .participants import EndOnParticipant
from .parts import Parts
from .pending_ack_store import PendingAckStore
from .profile import PulsarProfile
from .sidecar_buffer import SIDECAR_SUFFIX
from .values import SubscriptionName

_NAME = re.compile(r"persistent://[^/\s]+/[^/\s]+/[^/\s]+")


class Classic:
    """Transactions of topics whose domain is `persistent`."""

    scalable = False

    def __init__(self, profile: PulsarProfile, parts: Parts) -> None:
        self._profile = profile
        self._parts = parts

    def takes(self, topic: str) -> bool:
        return _NAME.fullmatch(topic) is not None

    def coordinator(self, tc_id: int, machine: Machine, end_on: EndOnParticipant) -> TransactionCoordinator:
        log = self._parts.transaction_log(machine.disk, tc_id)
        return self._parts.coordinator(tc_id, machine, self._profile, log, end_on, self._parts.participants)

    def buffer(self, site: Site, ledger: Ledger) -> TransactionBuffer:
        if self._profile.buffer == "marker":
            return self._parts.marker_buffer(ledger, site.machine, self._profile)
        sidecar = self._parts.ledger(site.machine.disk, f"{site.participant}{SIDECAR_SUFFIX}")
        return self._parts.sidecar_buffer(ledger, sidecar, site.machine)

    def pending_ack_store(self, site: Site) -> PendingAckStore:
        assert isinstance(site.participant, SubscriptionName), "acknowledgements are a subscription's"
        return self._parts.pending_ack_journal(site.machine, site.participant)
