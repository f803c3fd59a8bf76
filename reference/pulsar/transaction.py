"""A transaction as its coordinator knows it: its participants, its status, and since when.

Immutable: each change makes a new value, which the coordinator logs before it is in force.
"""

from dataclasses import dataclass, replace

from fencepost.contract.transitions import Transition
from fencepost.reference.kernel.rules import rule

from .pulsar_types import EndAction, SubscriptionName, TxnId, TxnStatus
from .server_errors import CommandRefused, ServerError

_ENDS = ((TxnStatus.COMMITTING, TxnStatus.COMMITTED), (TxnStatus.ABORTING, TxnStatus.ABORTED))
_STEPS = [step for decided, complete in _ENDS for step in ((TxnStatus.OPEN, decided), (decided, complete))]
TRANSITIONS = frozenset(Transition(before.value, after.value) for before, after in _STEPS)


@dataclass(frozen=True)
class PulsarTransaction:
    """One transaction. Times are in ms; `started_at` is the moment of its beginning, which later changes keep."""

    txn: TxnId
    timeout_ms: int
    started_at: int
    status: TxnStatus = TxnStatus.OPEN
    partitions: tuple[str, ...] = ()
    subscriptions: tuple[SubscriptionName, ...] = ()

    def with_partitions(self, names: tuple[str, ...]) -> "PulsarTransaction":
        """With these partitions as well; one that takes part already is not added twice."""
        rule("PIP31-18")
        return replace(self.opened(), partitions=tuple(dict.fromkeys((*self.partitions, *names))))

    def with_subscriptions(self, names: tuple[SubscriptionName, ...]) -> "PulsarTransaction":
        """With these subscriptions as well."""
        return replace(self.opened(), subscriptions=tuple(dict.fromkeys((*self.subscriptions, *names))))

    def opened(self) -> "PulsarTransaction":
        """The transaction itself while it is open.

        Raises CommandRefused: INVALID_TXN_STATUS when its end is decided, since it accepts no more participants then.
        """
        if self.status is not TxnStatus.OPEN:
            rule("PIP31-17")
            rule("PIP31-21")
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {self.txn} is {self.status.value}, and must be OPEN")
        return self

    def decided(self, action: EndAction) -> "PulsarTransaction":
        """COMMITTING or ABORTING."""
        return replace(self.opened(), status=TxnStatus.COMMITTING if action is EndAction.COMMIT else TxnStatus.ABORTING)

    def completed(self) -> "PulsarTransaction":
        """COMMITTED or ABORTED, once every participant has answered."""
        return replace(self, status=TxnStatus.COMMITTED if self.status is TxnStatus.COMMITTING else TxnStatus.ABORTED)

    def is_overdue(self, now: int) -> bool:
        """Whether it has been open for longer than its owner allowed, counted from its beginning."""
        if self.status is not TxnStatus.OPEN:
            rule("PIP31-44")
            return False
        rule("PIP31-40")
        rule("PIP31-41")
        return now - self.started_at > self.timeout_ms
