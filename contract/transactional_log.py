"""What every transactional log has in common, as a port: the core requirements are asked through it, in words of no product.

A *log* is what is written to: a partition of a topic. A *writer* writes in transactions, one after another. A *group* is a set of
readers that share their place in a log, as a consumer group does or a subscription; a transaction can take what a group reads as
its input, so that the group's place moves with the transaction's outcome.

Outcomes are those of `outcomes`: a call that got no answer is Unknown for ever.
"""

from collections.abc import Sequence
from typing import Protocol

from .outcomes import Outcome


class Writer(Protocol):
    """Somebody who writes in transactions. A call that needs an open transaction begins one."""

    def begin(self) -> Outcome[None]:
        """Begin a transaction; where nothing is said of a beginning, there is nothing to do."""
        ...

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write one value in the transaction."""
        ...

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        """Read the next values as a member of the group, and make the group's place behind them part of the transaction."""
        ...

    def end(self, commit: bool) -> Outcome[None]:
        """Commit or abort. The next write begins another transaction."""
        ...

    def end_again(self, commit: bool) -> Outcome[None]:
        """Commit or abort the transaction that was ended last once more, as somebody does who got no answer."""
        ...

    def lose_transaction(self) -> Outcome[None]:
        """Let somebody else end the open transaction with an abort, in the way that the system has for that."""
        ...

    def is_over(self) -> Outcome[bool]:
        """Whether the transaction that was open last is over, whoever ended it: decided, and told everywhere."""
        ...


class TransactionalLog(Protocol):
    """A system as the core requirements see it."""

    def create(self, log: str) -> Outcome[None]:
        """Make a log."""
        ...

    def writer(self, name: str, timeout_ms: int) -> Outcome[Writer]:
        """A writer of that name. A transaction that stays open for longer than the time-out is ended by the system."""
        ...

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write outside of every transaction."""
        ...

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        """What a new reader of committed data gets in that log, from its beginning to where such readers must stop."""
        ...

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """What a new member of the group gets, from the group's place to where readers of committed data must stop."""
        ...
