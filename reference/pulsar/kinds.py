"""The kinds of transactions that one broker offers: each has coordinators, buffers and pending acknowledgements.

A request chooses a kind by its flag `scalable`, for the coordinators of every kind are numbered from 0. A topic chooses by the domain of
its name. `classic` is the kind of PIP-31; a broker is given others when it is made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.scalable.control import Control
from fencepost.reference.scalable.names import TOPIC_DOMAIN
from fencepost.reference.scalable.segment_owners import Segments

from .buffer import TransactionBuffer
from .coordinator import TransactionCoordinator
from .ledger import Ledger
from .participants import EndOnParticipant, Participant
from .pending_ack_store import PendingAckStore
from .pulsar_types import EndAction, SubscriptionName, TxnId
from .server_errors import CommandRefused, ServerError


@dataclass(frozen=True)
class Site:
    """Where a participant keeps its part: on which machine, and how the broker ends it when its own store says that it has ended."""

    participant: Participant
    machine: Machine
    end: Callable[[TxnId, EndAction], None]


class TransactionKind(Protocol):
    """One kind of transactions. One object serves all nodes; the machine says which one is meant."""

    scalable: bool
    """Which requests it serves: those with the flag, or those without."""
    parallelism: int
    """How many coordinators it has at least."""
    crash_points: Mapping[str, str]
    """The places of its code at which a scenario can crash a node, and what is true there."""

    def takes(self, topic: str) -> bool:
        """Whether a topic of that name is of this kind."""
        ...

    def coordinator(self, tc_id: int, machine: Machine, end_on: EndOnParticipant) -> TransactionCoordinator:
        """Coordinator `tc_id` as its store has it. `end_on` ends a participant's part, on whichever node that is."""
        ...

    def buffer(self, site: Site, ledger: Ledger) -> TransactionBuffer:
        """The buffer of a topic."""
        ...

    def pending_ack_store(self, site: Site) -> PendingAckStore:
        """What keeps the pending acknowledgements of a subscription."""
        ...

    def control(self, machine: Machine, segments: Segments) -> Control | None:
        """What keeps the layouts whose segments are its topics, for one life of that node; None if its topics have none."""
        ...

    def forget(self, participant: Participant, machine: Machine) -> None:
        """A topic or a subscription is unloaded on that machine."""
        ...

    def node_is_down(self, node: int) -> None:
        """A node has crashed, and whatever it held open elsewhere ends with it."""
        ...

    def settle(self) -> None:
        """Deliver everything that was written elsewhere, and that participants wait for."""
        ...


class Kinds:
    """The kinds of one broker."""

    def __init__(self, kinds: Sequence[TransactionKind]) -> None:
        self._kinds = kinds

    @property
    def has_scalable(self) -> bool:
        """Whether one of them is that of scalable topics."""
        return any(kind.scalable for kind in self._kinds)

    def serving(self, *, scalable: bool) -> TransactionKind:
        """Decision: the kind that such a request is meant for.

        A broker without a scalable kind does not know the flag, and ignores it.
        """
        rule("PIP471-56")
        return next((kind for kind in self._kinds if kind.scalable == scalable), self._kinds[0])

    def control(self, machine: Machine, segments: Segments) -> Control | None:
        """What keeps the layouts of scalable topics, if a kind has them."""
        return next((made for kind in self._kinds if (made := kind.control(machine, segments)) is not None), None)

    def of_topic(self, name: str) -> TransactionKind:
        """Decision: the kind of a topic. Raises CommandRefused: INVALID_TOPIC_NAME for an invalid name."""
        for kind in self._kinds:
            if kind.takes(name):
                rule("PIP460-49")
                return kind
        if name.startswith(TOPIC_DOMAIN):
            rule("PIP460-48")
        raise CommandRefused(ServerError.INVALID_TOPIC_NAME, f"{name!r} is not a topic; expected persistent://TENANT/NAMESPACE/NAME")

    def is_notified(self, participant: Participant) -> bool:
        """Decision: whether coordinators notify a participant of ends.

        A segment and its subscriptions learn of ends only from the metadata store, not from a coordinator with the same number.
        """
        topic = participant.topic if isinstance(participant, SubscriptionName) else participant
        return not self.of_topic(topic).scalable

    def __iter__(self) -> Iterator[TransactionKind]:
        return iter(self._kinds)
