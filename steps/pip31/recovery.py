"""What was going on when the system crashed, and what becomes of it afterwards; the end of a transaction that something holds back.

An end is held back by one more topic of the transaction, which is terminated and so cannot take its part in the end. It is held back no
longer when that topic is deleted: then nobody is awaited there.
"""

from dataclasses import dataclass, field

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.ports import Done, Outcome
from fencepost.adapters.pulsar.values import Action, Status
from fencepost.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved

from .ground import World, crashes

_OF = {"commit": Action.COMMIT, "abort": Action.ABORT}
_DECIDED = {Action.COMMIT: Status.COMMITTING, Action.ABORT: Status.ABORTING}


@dataclass
class Recovering:
    """What was answered to several ends, and how a transaction stood before its end was held back no longer."""

    world: World
    answers: dict[str, Outcome[None]] = field(default_factory=dict)
    before: dict[str, Status | None] = field(default_factory=dict)

    def end(self, name: str, action: Action) -> Outcome[None]:
        """Ask for an end, and keep the answer."""
        self.answers[name] = self.world.pulsar.end(name, action)
        return self.answers[name]

    def hold_back(self, name: str) -> None:
        """Give the transaction a topic that will not take part in its end. A message is in it, for an abort may pass by an empty one."""
        holder = f"holder{name}"
        self.world.create(holder)
        achieved(self.world.send(holder, "held", self.world.add(name, holder)), f"sending to the topic that holds {name} back")
        achieved(self.world.probe.terminate_topic(self.world.topics[holder]), f"terminating the topic that holds {name} back")
        self.world.pulsar.transactions[name].holder = holder

    def await_decision(self, name: str, action: Action) -> None:
        """The end is decided, and not complete."""
        wanted = _DECIDED[action]
        found = self.world.pulsar.await_status(name, wanted)
        if found is not wanted:
            raise SetUpFailed(f"{name} is held back, and should be {wanted.name}; it is {_shown(found)}")

    def let_go(self, name: str) -> None:
        """Delete the topic that holds the end back; how the transaction stood until then is remembered."""
        self.before[name] = self.world.pulsar.status(name)
        holder = self.world.pulsar.transactions[name].holder
        assert holder is not None, f"{name} is held back before it is held back no longer"
        achieved(self.world.probe.delete_topic(self.world.topics[holder]), f"deleting the topic that holds {name} back")
        self.world.pulsar.transactions[name].holder = None


@pytest.fixture
def recovering(world: World) -> Recovering:
    """The state of this scenario."""
    return Recovering(world)


@given(parsers.re(r"the (?P<end>commit|abort) of (?P<name>[A-Z]) has been held back$"))
def has_been_held_back(recovering: Recovering, end: str, name: str) -> None:
    """It was asked for, it is decided, and one participant cannot follow."""
    recovering.hold_back(name)
    recovering.world.pulsar.begin_end(name, _OF[end])
    recovering.await_decision(name, _OF[end])


@given(parsers.re(r"the time-out of (?P<name>[A-Z]) has decided its abort, which has been held back$"))
def has_timed_out_held_back(recovering: Recovering, name: str) -> None:
    """Nobody has asked for an end; the transaction is being aborted, and one participant cannot follow."""
    recovering.hold_back(name)
    recovering.world.pulsar.transactions[name].is_over = True
    recovering.await_decision(name, Action.ABORT)


@when(parsers.re(r"(?P<one>[A-Z]) aborts, (?P<other>[A-Z]) commits, and the system crashes right after the answers$"))
def end_and_crash(recovering: Recovering, one: str, other: str) -> None:
    """Both ends were answered with success; then a power cut, and a start with what was durable."""
    achieved(recovering.end(one, Action.ABORT), f"aborting {one}")
    achieved(recovering.end(other, Action.COMMIT), f"committing {other}")
    crashes(recovering.world)


@when(parsers.re(r"the (?:commit|abort) of (?P<name>[A-Z]) is held back no longer$"))
def is_held_back_no_longer(recovering: Recovering, name: str) -> None:
    """What was in the way is gone; nobody asks for the end again."""
    recovering.let_go(name)


@when(parsers.re(r"(?P<one>[A-Z]) commits and (?P<other>[A-Z]) aborts$"))
def commits_and_aborts(recovering: Recovering, one: str, other: str) -> None:
    """One end after the other."""
    recovering.end(one, Action.COMMIT)
    recovering.end(other, Action.ABORT)


@then("both are done")
def both_are_done(recovering: Recovering) -> None:
    """Each end of the When was answered with success."""
    for name, answer in recovering.answers.items():
        recovering.world.evidence.expect(isinstance(answer, Done), f"the end of {name} is done", str(answer))


@then(parsers.re(r"(?P<name>[A-Z]) has gone from (?P<one>COMMITTING|ABORTING) to (?P<other>COMMITTED|ABORTED)$"))
def has_gone(recovering: Recovering, name: str, one: str, other: str) -> None:
    """So the coordinator said before the end was held back no longer, and says afterwards, within patience. A transaction that has ended
    may have been forgotten by then, which says nothing of how it ended: what readers see says that."""
    before, after = recovering.before[name], recovering.world.pulsar.await_status(name, Status[other], None)
    holds = before is Status[one] and after in (Status[other], None)
    recovering.world.evidence.expect(holds, f"{name} goes from {one} to {other}", f"from {_shown(before)} to {_shown(after)}")


def _shown(status: Status | None) -> str:
    return "not known any more" if status is None else status.name
