"""What every transactional log has in common, as a port: the core requirements use it, in words of no product.

A *log* is what is written to: a partition of a topic. A *writer* writes in transactions, one after another. A *group* is a set of
readers that share their place in a log, as a consumer group does or a subscription; a transaction can take what a group reads as
its input, so that the group's place moves with the transaction's outcome.

Outcomes are those of `outcomes`: a call that got no answer is Unknown for ever.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from .outcomes import Outcome

Answer: TypeAlias = Callable[[], Outcome[None]]
"""Waits for the answer to a request in flight. To be called once; the answers of one writer in the order of its requests."""


class Writer(Protocol):
    """A client that writes in transactions. A call that needs an open transaction begins one."""

    def begin(self) -> Outcome[None]:
        """Begin a transaction; does nothing in a protocol without a request for that."""
        ...

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write one value in the transaction."""
        ...

    def send(self, log: str, value: str) -> Answer:
        """Write one value in the transaction, once, and do not wait for the receipt. More may be sent after it."""
        ...

    def write_late(self, log: str, value: str) -> Outcome[None]:
        """Write once in the transaction that ended last, like a request that was delayed on the network."""
        ...

    def write_again(self, log: str) -> Outcome[None]:
        """Send the last write to that log once more, like a writer that got no receipt."""
        ...

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        """Read the next values as a member of the group, and make the group's place after them part of the transaction.

        Waits for values that another, undecided transaction has taken.
        """
        ...

    def take_what_is_free(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """The same with all that the group receives now, without waiting: nothing if another transaction holds it."""
        ...

    def end(self, commit: bool) -> Outcome[None]:
        """Commit or abort. The next write begins another transaction."""
        ...

    def send_end(self, commit: bool) -> Answer:
        """Ask once for a commit or an abort, on a separate connection, without waiting for the answer. More may be asked concurrently."""
        ...

    def end_again(self, commit: bool) -> Outcome[None]:
        """Commit or abort the transaction that ended last once more, like a client that got no answer."""
        ...

    def lose_transaction(self) -> Outcome[None]:
        """Let another client abort the open transaction, in the way that the system has for that."""
        ...

    def is_over(self) -> Outcome[bool]:
        """Whether the transaction that was open last is over, whichever client ended it: decided, and applied everywhere."""
        ...


class Follower(Protocol):
    """A client that has read the committed data of a log from its beginning, and goes on reading as more arrives."""

    def seen(self) -> Outcome[Sequence[str]]:
        """All that it has ever received, read on until now: to where readers of committed data must stop."""
        ...


class TransactionalLog(Protocol):
    """A system as the core requirements see it."""

    @property
    def settles_later(self) -> bool:
        """Whether the outcome of an answered end becomes visible later, and no request shows whether it is applied everywhere."""
        ...

    def create(self, log: str, *, deduplicating: bool = False) -> Outcome[None]:
        """Make a log; with `deduplicating` one that stores a write once that is sent twice, if the system does not always do that."""
        ...

    def writer(self, name: str, timeout_ms: int) -> Outcome[Writer]:
        """A writer of that name. The system ends a transaction that stays open for longer than the timeout.

        A writer with the name of an earlier one replaces it, as a restarted instance does.
        """
        ...

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write outside of every transaction."""
        ...

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        """What a new reader of committed data gets in that log, from its beginning to where such readers must stop."""
        ...

    def follow(self, log: str) -> Outcome[Follower]:
        """A reader of committed data that exists from now on, and begins at the beginning of the log."""
        ...

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """What a new member of the group gets, from the group's place to where readers of committed data must stop."""
        ...

    def place(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """The group's place: the values of the log before it, up to the first that the group is not done with.

        What an open transaction has taken is not counted.
        """
        ...

    def reload(self, log: str) -> Outcome[None]:
        """Unload a log from its node and serve it again from what is stored. This is `reload`, or raises NotOffered."""
        ...

    def seal(self, log: str) -> Outcome[None]:
        """Close a log for all writes, in the way that the system has for that. This is `sealing`, or raises NotOffered."""
        ...


@runtime_checkable
class ReportsPendingInput(Protocol):
    """A transactional log that can be asked which input waits for the end of a transaction."""

    def has_leftovers(self, group: str, log: str) -> bool:
        """Whether input of the group is pending in more transactions than its writers have open. False where the system does not say."""
        ...
