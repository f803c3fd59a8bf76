"""A transaction as its coordinator knows it: its participants, its status, and since when.

Immutable: each change makes a new value, which the coordinator logs before it is in force.
"""

from dataclasses import dataclass, replace

from fencepost.contract.transitions import Transition
from fencepost.reference.kernel.rules import rule

from .errors import Error, Refused
from .values import Action, Status, SubscriptionName, TxnId

_ENDS = ((Status.COMMITTING, Status.COMMITTED), (Status.ABORTING, Status.ABORTED))
_STEPS = [step for decided, complete in _ENDS for step in ((Status.OPEN, decided), (decided, complete))]
TRANSITIONS = frozenset(Transition(before.value, after.value) for before, after in _STEPS)


@dataclass(frozen=True)
class Transaction:
    """One transaction. Times are in ms; `started_at` is the moment of its beginning, which later changes keep."""

    txn: TxnId
    timeout_ms: int
    started_at: int
    status: Status = Status.OPEN
    partitions: tuple[str, ...] = ()
    subscriptions: tuple[SubscriptionName, ...] = ()

    def with_partitions(self, names: tuple[str, ...]) -> "Transaction":
        """With these partitions as well; one that takes part already is not added twice."""
        rule("PIP31-18")
        return replace(self.opened(), partitions=tuple(dict.fromkeys((*self.partitions, *names))))

    def with_subscriptions(self, names: tuple[SubscriptionName, ...]) -> "Transaction":
        """With these subscriptions as well."""
        return replace(self.opened(), subscriptions=tuple(dict.fromkeys((*self.subscriptions, *names))))

    def opened(self) -> "Transaction":
        """The transaction itself while it is open.

        Raises Refused: INVALID_TXN_STATUS when its end is decided, since it accepts no more participants then.
        """
        if self.status is not Status.OPEN:
            rule("PIP31-17")
            rule("PIP31-21")
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {self.txn} is {self.status.value}, and must be OPEN")
        return self

    def decided(self, action: Action) -> "Transaction":
        """COMMITTING or ABORTING."""
        return replace(self.opened(), status=Status.COMMITTING if action is Action.COMMIT else Status.ABORTING)

    def completed(self) -> "Transaction":
        """COMMITTED or ABORTED, once every participant has answered."""
        return replace(self, status=Status.COMMITTED if self.status is Status.COMMITTING else Status.ABORTED)

    def is_overdue(self, now: int) -> bool:
        """Whether it has been open for longer than its owner allowed, counted from its beginning."""
        if self.status is not Status.OPEN:
            rule("PIP31-44")
            return False
        rule("PIP31-40")
        rule("PIP31-41")
        return now - self.started_at > self.timeout_ms
