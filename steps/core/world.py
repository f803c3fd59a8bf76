"""What a scenario of the core knows: its writers, and the last answer."""

from dataclasses import dataclass, field

from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Session
from fencepost.contract.transactional_log import TransactionalLog, Writer
from fencepost.steps.outcomes import achieved, unanswered


@dataclass
class CoreWorld:
    """The state of one scenario."""

    session: Session
    system: TransactionalLog
    evidence: Evidence
    writers: dict[str, Writer] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    """The writers whose last transaction is decided, as far as anybody knows."""
    answer: Outcome[object] | None = None

    def ask(self, answer: Outcome[object]) -> None:
        """Keep what the When asked, for the Then to judge."""
        self.answer = answer

    def end(self, name: str, commit: bool) -> Outcome[None]:
        """Let a writer end its transaction."""
        self.ended.add(name)
        return self.writers[name].end(commit)

    def write(self, name: str, log: str, value: str) -> Outcome[None]:
        """Let a writer write; its transaction is open from here on."""
        self.ended.discard(name)
        return self.writers[name].write(log, value)

    def take(self, name: str, group: str, log: str, count: int) -> None:
        """Let a writer take input, of which there must be as much."""
        self.ended.discard(name)
        taken = achieved(self.writers[name].take(group, log, count), f"taking {count} values of {log} for {group}")
        assert len(taken) == count

    def await_ends(self) -> None:
        """Wait until what was decided is told everywhere. When patience ends first, the next sentence judges what there is."""
        for name in sorted(self.ended):
            for _ in self.session.time.attempts():
                if self.is_over(name):
                    break

    def is_over(self, name: str) -> bool:
        """Whether the writer's last transaction is over."""
        match self.writers[name].is_over():
            case Done(over):
                return over
            case Refused():
                return False
            case unknown:
                return unanswered(unknown, f"asking whether the transaction of {name} is over")
