"""What was going on when the system crashed, and what becomes of it afterwards."""

from dataclasses import dataclass, field

import pytest
from pytest_bdd import parsers, then, when

from fencepost.adapters.pulsar.values import Action, Status
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered

from .ground import World, crashes
from .holding import is_let_go


@dataclass
class Ends:
    """What was answered to the ends that one When has asked for, by the transactions' names."""

    world: World
    answers: dict[str, Outcome[None]] = field(default_factory=dict)

    def ask(self, name: str, action: Action) -> Outcome[None]:
        """Ask for an end, and keep the answer."""
        self.answers[name] = self.world.pulsar.end(name, action)
        return self.answers[name]


@pytest.fixture
def several_ends(world: World) -> Ends:
    """The ends of this scenario's When."""
    return Ends(world)


@when(parsers.re(r"(?P<one>[A-Z]) aborts, (?P<other>[A-Z]) commits, and the system crashes right after the answers$"))
def end_and_crash(several_ends: Ends, one: str, other: str) -> None:
    """Both ends were answered with success; then a power cut, and a start with what was durable."""
    achieved(several_ends.ask(one, Action.ABORT), f"aborting {one}")
    achieved(several_ends.ask(other, Action.COMMIT), f"committing {other}")
    crashes(several_ends.world)


@when(parsers.re(r"(?P<one>[A-Z]) commits and (?P<other>[A-Z]) aborts$"))
def commits_and_aborts(several_ends: Ends, one: str, other: str) -> None:
    """One end after the other."""
    several_ends.ask(one, Action.COMMIT)
    several_ends.ask(other, Action.ABORT)


@then("both are done")
def both_are_done(several_ends: Ends) -> None:
    """Each end of the When was answered with success."""
    for name, answer in several_ends.answers.items():
        if isinstance(answer, Unknown):
            unanswered(answer, f"ending {name}")
        several_ends.world.evidence.expect(isinstance(answer, Done), f"the end of {name} is done", str(answer))


@then(
    parsers.re(r"(?P<name>[A-Z]) is (?P<decided>COMMITTING|ABORTING), and (?P<done>COMMITTED|ABORTED) once its end is held back no longer$")
)
def goes_on_by_itself(world: World, name: str, decided: str, done: str) -> None:
    """The coordinator says the first within patience; then what holds the end back is taken away, and it says the second within patience,
    though nobody asks for the end again.

    A transaction that has ended may have been forgotten by then, which says nothing of how it ended: what readers see says that.
    Until the coordinator has one transaction less, or patience ends, it is not asked for this one: a broker may look for long for what
    a deleted topic knows of it.
    """
    before = world.pulsar.await_status(name, Status[decided])
    ongoing = _ongoing(world)
    is_let_go(world, name)
    for _ in world.session.time.attempts():
        if _ongoing(world) < ongoing:
            break
    after = world.pulsar.await_status(name, Status[done], None)
    holds = before is Status[decided] and after in (Status[done], None)
    world.evidence.expect(holds, f"{name} goes from {decided} to {done}", f"from {_shown(before)} to {_shown(after)}")


def _ongoing(world: World) -> int:
    return observed(world.probe.coordinator_stats(), "asking how many transactions are not over").ongoing


def _shown(status: Status | None) -> str:
    return "not known any more" if status is None else status.name
