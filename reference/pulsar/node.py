"""A running broker: the parts, put together anew at each start from what is on disk."""

from fencepost.reference.kernel.journal import Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .coordinator import Coordinator
from .errors import Error, Refused
from .participants import EndOn
from .parts import Parts
from .profile import PulsarProfile
from .topic import Topic
from .topics import Topics
from .values import SubscriptionName, TxnId

SWEEP_INTERVAL_MS = 100
"""How often coordinators look for what is overdue and for who has not answered, and topics for what nobody will end any more."""


class Node:
    """One life of the broker, from its start to its crash."""

    def __init__(self, machine: Machine, profile: PulsarProfile, parts: Parts) -> None:
        self.machine = machine
        self.profile = profile
        self.answers = parts.answers()
        self._parts = parts
        self.topics = Topics(machine.disk, self._load)
        self._counts: Journal[int] = machine.disk.journal("coordinators")
        self._policies: Journal[tuple[str, bool]] = machine.disk.journal("deduplication")
        self._coordinators: dict[int, Coordinator] = {}
        for tc_id in range(max((1, *self._counts))):
            self._start_coordinator(tc_id)
        machine.clock.every(SWEEP_INTERVAL_MS, self._sweep)

    # -- Coordinators

    def coordinator(self, tc_id: int) -> Coordinator:
        """Refused TRANSACTION_COORDINATOR_NOT_FOUND where there is none of that number."""
        if (coordinator := self._coordinators.get(tc_id)) is None:
            raise Refused(Error.TRANSACTION_COORDINATOR_NOT_FOUND, f"there is no coordinator {tc_id}")
        return coordinator

    def coordinators(self) -> tuple[Coordinator, ...]:
        return tuple(self._coordinators.values())

    def set_coordinators(self, count: int) -> None:
        """Have that many; there can only be more than before. Refused NOT_ALLOWED."""
        if count < len(self._coordinators):
            raise Refused(Error.NOT_ALLOWED, f"there are {len(self._coordinators)} coordinators, and cannot be {count}")
        self._counts.append(count)
        for tc_id in range(len(self._coordinators), count):
            self._start_coordinator(tc_id)

    # -- Policies of namespaces

    def set_deduplication(self, namespace: str, enabled: bool) -> None:
        """Whether messages of the namespace's topics are deduplicated."""
        self._policies.append((namespace, enabled))

    def is_deduplicated(self, topic_name: str) -> bool:
        """Whether messages of that topic are."""
        namespace = "/".join(topic_name.removeprefix("persistent://").split("/")[:2])
        return dict(self._policies).get(namespace, False)

    # -- Inside

    def _start_coordinator(self, tc_id: int) -> None:
        log = self._parts.transaction_log(self.machine.disk, tc_id)
        self._coordinators[tc_id] = self._parts.coordinator(tc_id, self.machine, self.profile, log, self.end_on, self._parts.participants)

    def end_on(self, message: EndOn) -> None:
        """A participant does its part. One that is deleted has none any more."""
        name = message.participant.topic if isinstance(message.participant, SubscriptionName) else message.participant
        if name not in self.topics.names:
            return
        found = self.topics.named(name)
        match message.participant:
            case SubscriptionName(_, subscription):
                if subscription in found.subscriptions:
                    found.end_on_subscription(subscription, message.txn, message.action, message.low_watermark)
            case _:
                rule("PIP31-38")
                found.end(message.txn, message.action, message.low_watermark)

    def _sweep(self) -> None:
        for coordinator in self._coordinators.values():
            coordinator.expire()
            coordinator.tell_again()
        if self.profile.stray_messages == "ended":
            for topic in self.topics.loaded():
                topic.end_strays(self._is_over)

    def _is_over(self, txn: TxnId) -> bool:
        return txn.most not in self._coordinators or self._coordinators[txn.most].is_over(txn)

    def _load(self, name: str) -> Topic:
        return Topic(name, self.machine, self.profile, self._parts)
