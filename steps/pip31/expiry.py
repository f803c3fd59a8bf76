"""Time-outs: transactions that nobody ends, or that somebody ends at about the time at which the coordinator would.

A transaction begins at the coordinator, somewhere between the request and its answer. So what was seen within the time-out, counted
from before the request, was seen before the time was up, however long the answers took.
"""

import re
from dataclasses import dataclass, field

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import Action, Status
from fencepost.contract.evidence import NoAnswer, SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.outcomes import achieved, unanswered

from .ground import World, crashes, is_left_open

MODERATE_MS = 5_000
"""Long enough for some dozen requests on a busy system, and over while a scenario waits."""
_AHEAD_MS = 100
"""How long before the first time-out the first of many commits is asked for."""


@dataclass(frozen=True)
class Look:
    """How a transaction stood, and how many milliseconds its time-out was away at least when that was known; none where it had passed."""

    status: Status | None
    left_ms: float

    def __str__(self) -> str:
        return f"{'not known any more' if self.status is None else self.status.name} {self.left_ms:.0f} ms before it"


@dataclass
class Expiring:
    """The looks at a transaction that was watched, and what was answered to commits, by the transactions' names."""

    world: World
    looks: list[Look] = field(default_factory=list)
    answers: dict[str, Outcome[None]] = field(default_factory=dict)

    def look(self, name: str) -> Look:
        """How a transaction stands."""
        status = self.world.pulsar.status(name)
        return Look(status, max(0.0, self.world.pulsar.transactions[name].due_ms - self.world.session.time.now_ms()))

    def pause(self) -> None:
        """The shortest time that there is between two tries."""
        tries = self.world.session.time.attempts()
        next(tries)
        next(tries, None)


@pytest.fixture
def expiring(world: World) -> Expiring:
    """The state of this scenario."""
    return Expiring(world)


@given(parsers.re(r"transactions? (?P<names>[A-Z](?: and [A-Z])?) with a moderate time-out$"))
def moderate_transactions(world: World, names: str) -> None:
    """Begun in this order, so that the time of the first is up before that of the second."""
    for name in re.findall("[A-Z]", names):
        world.pulsar.begin(name, MODERATE_MS)


@given(parsers.re(r"(?P<count>\d+) transactions with a moderate time-out, each with one message in (?P<topic>\w+)$"))
def many_transactions(world: World, count: str, topic: str) -> None:
    """Called 1, 2, 3 and so on, and so are their messages; all are begun before the first sends."""
    names = [str(number) for number in range(1, int(count) + 1)]
    for name in names:
        world.pulsar.begin(name, MODERATE_MS)
    for name in names:
        achieved(world.send(topic, name, world.add(name, topic)), f"sending {name} to {topic}")


@given(parsers.re(r"(?P<name>[A-Z]) has been left open past its time-out$"))
def has_been_left_open(world: World, name: str) -> None:
    """Nobody has ended it, and it is over."""
    is_left_open(world, name)
    if (status := world.pulsar.status(name)) not in (Status.ABORTED, None):
        raise SetUpFailed(f"{name} was left open past its time-out, and should be over; it is {status.name if status else 'gone'}")


@when(parsers.re(r"(?P<name>[A-Z]) is watched until it is open no longer$"))
def is_watched(expiring: Expiring, name: str) -> None:
    """The coordinator is asked again and again, until patience ends."""
    expiring.world.pulsar.transactions[name].is_over = True
    for _ in expiring.world.session.time.attempts():
        expiring.looks.append(expiring.look(name))
        if expiring.looks[-1].status is not Status.OPEN:
            break


@when(parsers.re(r"(?P<topic>\w+) is added to (?P<name>[A-Z]) again and again$"))
def is_added_again_and_again(world: World, topic: str, name: str) -> None:
    """Until that is not done any more, or patience ends."""
    world.pulsar.transactions[name].is_over = True
    for _ in world.session.time.attempts():
        answer = world.probe.add_topics(world.id_of(name), [world.topics[topic]])
        world.ask(answer)
        if not isinstance(answer, Done):
            break


@when(parsers.re(r"the system crashes while (?P<name>[A-Z]) is open, and comes back$"))
def crashes_while_open(world: World, name: str) -> None:
    """A power cut before the time-out, and a start with what was durable. Nobody ends the transaction."""
    if (status := world.pulsar.status(name)) is not Status.OPEN:
        raise SetUpFailed(f"{name} should be open when the system crashes; it is {status.name if status else 'gone'}")
    crashes(world)
    world.pulsar.transactions[name].is_over = True


@when("each of them is committed at about its time-out")
def commit_at_the_time_out(expiring: Expiring) -> None:
    """One after another, from shortly before the first time-out on."""
    world = expiring.world
    first = min(transaction.due_ms for transaction in world.pulsar.transactions.values())
    for _ in world.session.time.attempts():
        if world.session.time.now_ms() >= first - _AHEAD_MS:
            break
    for name, transaction in world.pulsar.transactions.items():
        transaction.is_over = True
        expiring.answers[name] = world.probe.end(transaction.id, Action.COMMIT, retry=False)
        expiring.pause()


@then(parsers.re(r"(?P<name>[A-Z]) was OPEN until its time-out had passed$"))
def was_open(expiring: Expiring, name: str) -> None:
    """Every look before that has found it open. When it is over afterwards is not asked here."""
    early = [look for look in expiring.looks if look.left_ms > 0]
    if not early:
        raise NoAnswer(f"the first look at {name} was answered when its time-out may have passed already")
    holds = all(look.status is Status.OPEN for look in early)
    expiring.world.evidence.expect(holds, f"{name} is OPEN until its time-out", f"{early[-1]}, in {len(early)} looks")


@then(parsers.re(r"readers of (?P<topic>\w+) see the messages of those whose commit was done, and no others$"))
def readers_see_the_committed(expiring: Expiring, topic: str) -> None:
    """A new subscription gets these, and nothing of a transaction whose commit was refused."""
    for name, answer in expiring.answers.items():
        if isinstance(answer, Unknown):
            unanswered(answer, f"committing transaction {name}")
    done = [name for name, answer in expiring.answers.items() if isinstance(answer, Done)]
    found = sorted(expiring.world.seen(topic), key=int)
    told = f"readers of {topic} see the messages of {', '.join(done) or 'none'}, of {len(expiring.answers)} transactions"
    expiring.world.evidence.expect(found == done, told, f"{', '.join(found) or 'nothing'}")
