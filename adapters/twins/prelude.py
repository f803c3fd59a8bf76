"""Every writer has had earlier transactions: what one of them leaves must not be seen in the next.

The prelude uses the port of transactional logs, so that it is the same on every protocol, and a separate log that no scenario reads.
"""

from typing import TypeVar

from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.transactional_log import TransactionalLog, Writer

from .performer import Performer

T = TypeVar("T")

LOG = "before"
TIMEOUT_MS = 60_000


def done(outcome: Outcome[T], what: str) -> T:
    """The value of a call that the disturbance itself makes. Raises NotOffered: what cannot be done does not disturb."""
    if isinstance(outcome, Done):
        return outcome.value
    raise NotOffered(f"the disturbance could not be brought about: {what} ended with {outcome}")


class Prelude(Performer):
    """Each transactional id has had a committed and an aborted transaction, and each group has taken input in both."""

    def begin(self) -> None:
        writers, groups = self.undisturbed.writers, self.undisturbed.groups
        if not (self.is_active and writers):
            return
        log: TransactionalLog = self.session.transactional_log()
        done(log.create(LOG), f"creating {LOG}")
        for number in range(len(writers) * max(len(groups), 1)):
            done(log.write(LOG, f"input {number}"), f"writing to {LOG}")
        for name in writers:
            writer = done(log.writer(name, TIMEOUT_MS), f"initialising {name}")
            for commit in (True, False):
                done(writer.write(LOG, f"of {name}"), f"writing as {name}")
                for group in groups:
                    done(writer.take(group, LOG, 1), f"taking input as {name} in {group}")
                self._end(writer, name, commit)

    def _end(self, writer: Writer, name: str, commit: bool) -> None:
        done(writer.end(commit), f"ending the transaction of {name}")
        for _ in self.session.time.attempts():
            if done(writer.is_over(), f"looking for the end of {name}"):
                return
        raise NotOffered(f"the disturbance could not be brought about: the transaction of {name} before the scenario is not over")
