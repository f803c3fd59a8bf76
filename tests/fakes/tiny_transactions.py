"""A second kind of transactions, as small as possible, for a broker that offers it next to PIP-31's.

Its topics are segments, and its requests have the flag `scalable`. A coordinator keeps outcomes in one table on the disk and sends no
participant anything: each buffer and store is notified on its own node that a transaction has ended. It lies in that nothing else is
checked.
"""

from collections.abc import Iterable, Iterator, Mapping

from fencepost.reference.kernel.journal import Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.kinds import Site
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.participants import EndOnParticipant, Participant
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.scalable.control import Control, control
from fencepost.reference.scalable.names import is_segment
from fencepost.reference.scalable.scalable_parts import ScalableParts
from fencepost.reference.scalable.scalable_profile import ScalableProfile
from fencepost.reference.scalable.segment_owners import Segments

Outcomes = Journal[tuple[TxnId, EndAction | None]]
"""How each transaction stands: None while it is open."""


class TinyTransactions:
    """The kind."""

    scalable = True
    parallelism = 1
    crash_points: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.sites: dict[Participant, Site] = {}
        """Where each participant was loaded last; what was loaded before is gone."""
        self._layouts = MemoryData()
        self._stores: dict[int, MemoryStore] = {}

    def takes(self, topic: str) -> bool:
        return is_segment(topic)

    def coordinator(self, tc_id: int, machine: Machine, end_on: EndOnParticipant) -> "TinyCoordinator":  # noqa: ARG002 - no participant is sent an end
        return TinyCoordinator(tc_id, machine, self)

    def buffer(self, site: Site, ledger: Ledger) -> "TinyBuffer":
        self.sites[site.participant] = site
        return TinyBuffer(ledger, outcomes_on(site.machine))

    def pending_ack_store(self, site: Site) -> "TinyStore":
        self.sites[site.participant] = site
        return TinyStore(site)

    def forget(self, participant: Participant, machine: Machine) -> None:
        """Nothing is held for participants."""

    def control(self, machine: Machine, segments: Segments) -> Control:
        self._stores[machine.node] = MemoryStore(self._layouts)
        return control(ScalableParts(), machine, self._stores[machine.node], segments, ScalableProfile.load("seed"))

    def node_is_down(self, node: int) -> None:
        """Everything but layouts is on the disk."""
        self._stores.pop(node).close()

    def settle(self) -> None:
        """Participants are notified of ends at once, and watches of new layouts now."""
        for store in self._stores.values():
            store.settle()


def outcomes_on(machine: Machine) -> Outcomes:
    return machine.disk.journal("tiny-outcomes")


class TinyCoordinator:
    """A coordinator whose table any node continues."""

    low_watermark = -1

    def __init__(self, tc_id: int, machine: Machine, kind: TinyTransactions) -> None:
        self.tc_id = tc_id
        self._machine = machine
        self._kind = kind
        self._outcomes = outcomes_on(machine)

    @property
    def last_sequence(self) -> int:
        return max((txn.sequence for txn, _ in self._outcomes if txn.tc_id == self.tc_id), default=-1)

    def new(self, timeout_ms: int) -> TxnId:  # noqa: ARG002 - time does not pass here
        txn = TxnId(self.tc_id, self.last_sequence + 1)
        self._outcomes.append((txn, None))
        return txn

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:  # noqa: ARG002
        self.describe(txn)

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:  # noqa: ARG002
        self.describe(txn)

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        self.describe(txn)
        self._outcomes.append((txn, action))
        reply()
        for site in self._kind.sites.values():
            site.machine.send((txn, site.participant), lambda _, site=site: site.end(txn, action))

    def sweep(self) -> None:
        """Nothing is overdue."""

    def describe(self, txn: TxnId) -> PulsarTransaction:
        if txn not in dict(self._outcomes):
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"there is no {txn}")
        return PulsarTransaction(txn, 0, 0)

    def is_over(self, txn: TxnId) -> bool:
        return dict(self._outcomes).get(txn) is not None

    def transactions(self) -> tuple[PulsarTransaction, ...]:
        return tuple(self.describe(txn) for txn in dict(self._outcomes))


class TinyBuffer:
    """Shows what is committed, by the table."""

    def __init__(self, ledger: Ledger, outcomes: Outcomes) -> None:
        self._ledger = ledger
        self._outcomes = outcomes

    def publish(self, message: Message) -> Position:
        return self._ledger.append(message)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        """The table says it."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        known = dict(self._outcomes)
        for entry in self._ledger.after(place.position):
            assert isinstance(entry.content, Message), "there are no markers"
            if entry.content.txn is None or known.get(entry.content.txn) is EndAction.COMMIT:
                yield Readable(MessagePosition(entry.position), entry.content)

    def erase(self) -> None:
        """There is nothing."""

    def stored(self) -> Iterator[Message]:
        return (entry.content for entry in self._ledger if isinstance(entry.content, Message))

    def is_aborted(self, txn: TxnId) -> bool:
        return dict(self._outcomes).get(txn) is EndAction.ABORT

    def ongoing(self) -> dict[TxnId, Position]:
        return {}

    @property
    def aborted(self) -> int:
        return 0

    @property
    def max_read_position(self) -> Position:
        return self._ledger.last


class TinyStore:
    """Positions by transaction."""

    def __init__(self, site: Site) -> None:
        self._journal: Journal[PendingAck] = site.machine.disk.journal(f"tiny-acks {site.participant}")

    def append(self, waiting: PendingAck) -> None:
        self._journal.append(waiting)

    def end(self, txn: TxnId, action: EndAction) -> None:  # noqa: ARG002 - either way nothing is pending
        self._journal.replace([waiting for waiting in self._journal if waiting.txn != txn])

    def replay(self) -> Iterable[PendingAck]:
        return tuple(self._journal)

    def erase(self) -> None:
        self._journal.replace(())
