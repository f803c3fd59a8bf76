"""The state of a core scenario: its writers, the crash that is armed, and the last answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fencepost.contract.evidence import Evidence, SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Session
from fencepost.contract.shared_crashes import gather
from fencepost.contract.transactional_log import Answer, Follower, TransactionalLog, Writer
from fencepost.contract.waiting import changes_in
from fencepost.steps.named import NamedThings
from fencepost.steps.settling import settled
from fencepost.steps.step_outcomes import achieved, error_of, unanswered

from .vocabulary import CORE

SHORT_MS = 2_000
"""A short timeout: long enough for two requests, and over before a scenario's patience ends."""


@dataclass(frozen=True)
class PlannedCrash:
    """A crash on the next request of a writer to end its transaction in this way; without a point, right after its answer."""

    writer: str
    commit: bool
    point: str | None

    decides: bool = True
    """Whether the request is decided when the crash happens."""


@dataclass
class CoreContext:
    """The state of one scenario."""

    session: Session
    system: TransactionalLog
    evidence: Evidence
    writers: dict[str, Writer] = field(default_factory=lambda: NamedThings("writer", "Given a writer A"))
    ended_last: dict[str, Writer] = field(default_factory=dict)
    """The instance of each writer that ended a transaction last; a new instance has replaced it since, if it is not the writer's own."""
    followers: dict[str, Follower] = field(default_factory=dict)
    """The followers, by their logs."""
    ended: set[str] = field(default_factory=set)
    """The writers whose last transaction is decided, as far as clients can know."""
    crash: PlannedCrash | None = None
    answer: Outcome[object] | None = None
    _seen_over: tuple[int | None, frozenset[str]] | None = None
    """The writers whose transactions were all seen to be over, and the number of changes at that time."""

    def ask(self, answer: Outcome[object]) -> None:
        """Keep the request of the When and its answer, for the Then to judge."""
        self.answer = answer

    def arm(self, crash: PlannedCrash) -> None:
        """Arm a crash in the middle of a future request."""
        self.crash = crash
        if crash.point is not None:
            self.session.faults.crash_at(crash.point)

    def end(self, name: str, commit: bool) -> Outcome[None]:
        """Let a writer end its transaction. A crash that is armed for this happens now, and the system has restarted when it is over."""
        self.ended.add(name)
        self.ended_last[name] = self.writers[name]
        self._seen_over = None
        crash = self.crash
        if crash is None or (crash.writer, crash.commit) != (name, commit):
            return self.writers[name].end(commit)
        gather(self.session)
        self.crash, answer = None, self.writers[name].end(commit)
        if crash.point is None:
            achieved(answer, f"ending the transaction of {name}")
            self.session.faults.crash()
        self.session.faults.restart()
        if not crash.decides:
            self.ended.discard(name)
        return answer

    def end_again(self, name: str, commit: bool) -> Outcome[None]:
        """Repeat the last end of a writer, as the instance that made it."""
        return self.ended_last.get(name, self.writers[name]).end_again(commit)

    def begin(self, name: str) -> Outcome[None]:
        """Let a writer begin a transaction, which is open from here on."""
        self.ended.discard(name)
        return self.writers[name].begin()

    def write(self, name: str, log: str, value: str) -> Outcome[None]:
        """Let a writer write; its transaction is open from here on."""
        self.ended.discard(name)
        return self.writers[name].write(log, value)

    def send(self, name: str, log: str, value: str) -> Answer:
        """Let a writer write without waiting; its transaction is open from here on."""
        self.ended.discard(name)
        return self.writers[name].send(log, value)

    def take(self, name: str, group: str, log: str, count: int) -> tuple[str, ...]:
        """Let a writer take input, of which there must be so much."""
        self.ended.discard(name)
        return tuple(achieved(self.writers[name].take(group, log, count), f"taking {count} values of {log} for {group}"))

    def take_what_is_free(self, name: str, group: str, log: str) -> Outcome[Sequence[str]]:
        """Let a writer take what the group receives now."""
        self.ended.discard(name)
        return self.writers[name].take_what_is_free(group, log)

    def await_ends(self) -> None:
        """Wait until decisions have reached all participants. When patience ends first, the next sentence judges the state at that time.

        What was seen to be over is still over if nothing was requested since that may change anything.
        """
        now = changes_in(self.session.time), frozenset(self.ended)
        if now[0] is not None and now == self._seen_over:
            return
        are_over = [self._await_end(name) for name in sorted(self.ended)]
        self._seen_over = now if all(are_over) else None

    def _await_end(self, name: str) -> bool:
        return any(self.is_over(name) for _ in self.session.time.attempts())

    def look(self, look: Callable[[], Sequence[str]], expected: Sequence[str]) -> tuple[str, ...]:
        """What a look shows when decisions have reached all participants: once, or repeatedly where no client can learn when that is."""
        self.await_ends()
        return tuple(settled(look, expected, self.session.time, later=self.system.settles_later))

    def is_over(self, name: str) -> bool:
        """Whether the writer's last transaction is over."""
        match self.writers[name].is_over():
            case Done(over):
                return over
            case Refused():
                return False
            case unknown:
                return unanswered(unknown, f"asking whether the transaction of {name} is over")

    def expect(self, holds: bool, *, what: str, expected: str, seen: str) -> None:
        """Judge one observation, with the error of the last request, if it was refused. A crash that did not happen proves nothing."""
        if self.crash is not None:
            raise SetUpFailed(f"the crash that was to come on the end of {self.crash.writer}'s transaction met no such request")
        error, code = error_of(self.answer)
        self.evidence.expect(holds, what=what, expected=expected, seen=seen, error=error, code=code)


@CORE.state
def context(session: Session, evidence: Evidence) -> CoreContext:
    """The state of this scenario."""
    return CoreContext(session, session.transactional_log(), evidence)
