"""Every writer has had earlier transactions: what one of them leaves must not be seen in the next.

The prelude uses the port of transactional logs, so that it is the same on every protocol, and a separate log that no scenario reads.
"""

from collections.abc import Sequence
from typing import TypeVar

from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import PassesTime, Session
from fencepost.contract.transactional_log import TransactionalLog, Writer

from .performer import CannotDisturb, Performer

T = TypeVar("T")

LOG = "before"
TIMEOUT_MS = 60_000
EXPIRES_MS, EXPIRED_MS = 1_000, 12_000
"""The timeout of a transaction that expires, and how long it is left alone."""


def done(outcome: Outcome[T], what: str) -> T:
    """The value of a call that the disturbance itself makes. Raises CannotDisturb: what cannot be done does not disturb."""
    if isinstance(outcome, Done):
        return outcome.value
    raise CannotDisturb(f"the disturbance could not be brought about: {what} ended with {outcome}")


def await_end(writer: Writer, session: Session, whose: str, where: str) -> None:
    """Wait until the writer's last transaction is over. Raises Violation if it never is."""
    for _ in session.time.attempts():
        if done(writer.is_over(), f"looking for the end of a transaction {where}"):
            return
    raise Violation("a transaction that is over", f"{whose} is not", what=f"end of a transaction {where}")


def expect(values: Sequence[str], seen: Outcome[Sequence[str]], what: str) -> None:
    """Raises Violation if these are not the values that were seen."""
    if not (isinstance(seen, Done) and list(seen.value) == list(values)):
        raise Violation(str(list(values)), str(seen), what=what)


class Prelude(Performer):
    """Each transactional id has had a committed and an aborted transaction, in each of which each group has taken input, then one that
    another instance took over, and, where no time is lost by it, one that expired. What is left of them is as they ended.
    """

    idle = "the scenario has no transactional id"

    def begin(self) -> None:
        writers, groups = self.undisturbed.writers, self.undisturbed.groups
        self._expected = list[str]()
        if not (self.is_active and writers):
            return
        log: TransactionalLog = self.session.transactional_log()
        done(log.create(LOG), f"creating {LOG}")
        inputs = [f"input {number}" for number in range(len(writers) * max(len(groups), 1))]
        for value in inputs:
            done(log.write(LOG, value), f"writing to {LOG}")
        self._expected += inputs
        for number, name in enumerate(writers, 1):
            writer = done(log.writer(name, TIMEOUT_MS), f"initialising {name}")
            for commit in (True, False):
                value = f"{'committed' if commit else 'aborted'} by {name}"
                done(writer.write(LOG, value), f"writing as {name}")
                self._expected += [value] * commit
                for group in groups:
                    done(writer.take(group, LOG, 1), f"taking input as {name} in {group}")
                done(writer.end(commit), f"ending the transaction of {name}")
                self._await_end(writer, name)
                for group in groups:
                    expect(inputs[:number], log.place(group, LOG), f"place of {group} in {LOG}")
                self.did("made", "earlier transaction")
            self._leave_open(writer, name)
            taker = done(log.writer(name, TIMEOUT_MS), f"taking {name} over")
            self._await_end(taker, name)
            self._expect_refusal(writer, "was taken over")
            if isinstance(self.session.time, PassesTime):
                late = done(log.writer(name, EXPIRES_MS), f"initialising {name} once more")
                self._leave_open(late, name)
                self.session.time.let_pass(EXPIRED_MS)
                self._await_end(late, name)
                self._expect_refusal(late, "expired")

    def end(self) -> None:
        if self._expected:
            expect(self._expected, self.session.transactional_log().committed(LOG), f"what readers of {LOG} see")

    @staticmethod
    def _expect_refusal(writer: Writer, how: str) -> None:
        if isinstance(writer.end(True), Done):
            raise Violation("a refusal", "success", what=f"answer to the commit of a transaction before the scenario that {how}")

    @staticmethod
    def _leave_open(writer: Writer, name: str) -> None:
        done(writer.write(LOG, f"left open by {name}"), f"writing as {name}")

    def _await_end(self, writer: Writer, name: str) -> None:
        await_end(writer, self.session, f"that of {name}", "before the scenario")
