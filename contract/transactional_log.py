"""What every transactional log has in common, as a port: the core requirements are asked through it, in words of no product.

A *log* is what is written to: a partition of a topic. A *writer* writes in transactions, one after another. A *group* is a set of
readers that share their place in a log, as a consumer group does or a subscription; a transaction can take what a group reads as
its input, so that the group's place moves with the transaction's outcome.

Outcomes are those of `outcomes`: a call that got no answer is Unknown for ever.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from .outcomes import Outcome

Answer: TypeAlias = Callable[[], Outcome[None]]
"""Waits for the answer to what is under way. To be called once; the answers of one writer in the order in which it asked."""


class Writer(Protocol):
    """Somebody who writes in transactions. A call that needs an open transaction begins one."""

    def begin(self) -> Outcome[None]:
        """Begin a transaction; where nothing is said of a beginning, there is nothing to do."""
        ...

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write one value in the transaction."""
        ...

    def send(self, log: str, value: str) -> Answer:
        """Write one value in the transaction, once, and do not wait for the receipt. More may be sent behind it."""
        ...

    def write_late(self, log: str, value: str) -> Outcome[None]:
        """Write once in the transaction that was ended last, as a request does that was held up on its way."""
        ...

    def write_again(self, log: str) -> Outcome[None]:
        """Send the last write to that log once more, as a writer does that got no receipt."""
        ...

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        """Read the next values as a member of the group, and make the group's place behind them part of the transaction.

        What another transaction has taken and not decided is waited for.
        """
        ...

    def take_what_is_free(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """The same with all that the group is given now, which is nothing where another transaction holds it; without waiting for that."""
        ...

    def end(self, commit: bool) -> Outcome[None]:
        """Commit or abort. The next write begins another transaction."""
        ...

    def send_end(self, commit: bool) -> Answer:
        """Ask once for a commit or an abort, on a connection of its own, and do not wait for the answer. More may be asked beside it."""
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


class Follower(Protocol):
    """Somebody who has read the committed data of a log from its beginning, and goes on reading as more comes."""

    def seen(self) -> Outcome[Sequence[str]]:
        """All that it was ever given, read on until now: to where readers of committed data must stop."""
        ...


class TransactionalLog(Protocol):
    """A system as the core requirements see it."""

    @property
    def settles_later(self) -> bool:
        """Whether the outcome of an end that was answered is seen only later, and nobody can be asked whether it is everywhere."""
        ...

    def create(self, log: str, *, deduplicating: bool = False) -> Outcome[None]:
        """Make a log; one that shall store a write once that is sent twice, where the system does not always do that."""
        ...

    def writer(self, name: str, timeout_ms: int) -> Outcome[Writer]:
        """A writer of that name. A transaction that stays open for longer than the time-out is ended by the system.

        One who has the name of an earlier writer takes its place, as an instance does that was started anew.
        """
        ...

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write outside of every transaction."""
        ...

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        """What a new reader of committed data gets in that log, from its beginning to where such readers must stop."""
        ...

    def follow(self, log: str) -> Outcome[Follower]:
        """A reader of committed data who is there from now on, and begins at the beginning of the log."""
        ...

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """What a new member of the group gets, from the group's place to where readers of committed data must stop."""
        ...

    def place(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """The group's place: the values of the log that lie before it, up to the first that the group is not done with.

        What an open transaction has taken lies behind it.
        """
        ...

    def reload(self, log: str) -> Outcome[None]:
        """Take a log off its node and serve it again from what is stored. This is `reload`, or raises NotOffered."""
        ...

    def seal(self, log: str) -> Outcome[None]:
        """Close a log for all writes, in the way that the system has for that. This is `sealing`, or raises NotOffered."""
        ...
