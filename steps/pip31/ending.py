"""Ends that nobody can ask for, and two that are asked for at the same time."""

from dataclasses import dataclass

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import Action, TxnId
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import unanswered

from .acknowledging import Acknowledging
from .ground import World
from .setting import VALUES, values_of
from .world import GONE, Transaction

NOT_FOUND = 24
_NEVER_GIVEN = 2**62
"""A number that no coordinator comes to."""


@dataclass
class Race:
    """Two opposite ends of one transaction, and what was answered to each."""

    world: World
    commit: Outcome[None] | None = None
    abort: Outcome[None] | None = None

    def __str__(self) -> str:
        return f"the commit: {_told(self.commit)}; the abort: {_told(self.abort)}"


@pytest.fixture
def race(world: World) -> Race:
    """The race of this scenario."""
    return Race(world)


@given(parsers.re(r"a transaction (?P<name>[A-Z]) that does not exist$"))
def does_not_exist(world: World, name: str) -> None:
    """An id as the first coordinator gives them, which it has given to nobody."""
    world.pulsar.transactions[name] = Transaction(TxnId(0, _NEVER_GIVEN), is_over=True)


@when(parsers.re(r"(?P<name>[A-Z]) (?P<first>commits|aborts) and (?:commits|aborts) at once, on two connections$"))
def ends_both_ways(race: Race, name: str, first: str) -> None:
    """Two requests on two connections, the second before the first is answered; then both answers."""
    actions = (Action.COMMIT, Action.ABORT) if first == "commits" else (Action.ABORT, Action.COMMIT)
    ends = race.world.pulsar.begin_ends(name, *actions)
    answers = {pending.action: ender.ended(pending) for ender, pending in ends}
    race.commit, race.abort = answers[Action.COMMIT], answers[Action.ABORT]


@then("it is refused as not found")
def is_not_found(world: World) -> None:
    """The transaction is said not to be there."""
    match world.pulsar.answer:
        case Unknown() as unknown:
            unanswered(unknown, "asking about a transaction that does not exist")
        case answer:
            holds = isinstance(answer, Refused) and answer.code == NOT_FOUND
            world.evidence.expect(holds, "a refusal as not found", str(answer))


@then(parsers.re(r"there is still no transaction (?P<name>[A-Z])$"))
def is_still_unknown(world: World, name: str) -> None:
    """The coordinator says that it does not know it."""
    match world.probe.transaction(world.id_of(name)):
        case Unknown() as unknown:
            unanswered(unknown, f"asking for transaction {name}")
        case answer:
            holds = isinstance(answer, Refused) and answer.code == GONE
            world.evidence.expect(holds, f"no transaction {name}", str(answer))


@then("exactly one of the two has succeeded")
def one_has_succeeded(race: Race) -> None:
    """One was answered with success, and the other was refused."""
    for answer in (race.commit, race.abort):
        if isinstance(answer, Unknown):
            unanswered(answer, "ending a transaction both ways")
    won = [isinstance(answer, Done) for answer in (race.commit, race.abort)]
    race.world.evidence.expect(won.count(True) == 1, "exactly one of the two succeeds", str(race))


@then(parsers.re(rf"readers of (?P<topic>\w+) see (?P<values>{VALUES}) just if that was the commit$"))
def readers_see_the_winner(race: Race, topic: str, values: str) -> None:
    """A new subscription gets these values when the commit was answered with success, and nothing when the abort was."""
    expected = values_of(values) if isinstance(race.commit, Done) else []
    found = race.world.seen(topic)
    what = f"readers of {topic} see {expected or 'nothing'}, as it was answered ({race})"
    race.world.evidence.expect(found == expected, what, f"{found or 'nothing'}")


@then(parsers.re(r'"(?P<value>[^"]+)" is left for subscription "(?P<name>\w+)" just if that was the abort$'))
def is_left_by_the_winner(race: Race, acks: Acknowledging, value: str, name: str) -> None:
    """The consumer leaves, and the next one is given this message when the abort was answered with success, and not when the commit was."""
    is_expected = isinstance(race.abort, Done)
    race.world.pulsar.await_ends()
    acks.replace_consumer(name)
    found = acks.given(name, [value] if is_expected else [])
    what = f"{value} is {'' if is_expected else 'not '}left for {name}, as it was answered ({race})"
    race.world.evidence.expect((value in found) is is_expected, what, f"{found or 'nothing'}")


def _told(answer: Outcome[None] | None) -> str:
    return "success" if isinstance(answer, Done) else str(answer)
