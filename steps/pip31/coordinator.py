"""What a coordinator answers: ids, and each answer to its own request."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import Action, AddSubscriptions, AddTopics, End, NewTransaction, TransactionRequest, TxnId
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, unanswered

from .acknowledging import Acknowledging
from .ending import NOT_FOUND
from .ground import World
from .setting import LONG_MS
from .world import Transaction


@dataclass(frozen=True)
class Question:
    """A request that was sent among others, whether its transaction exists, and what came of it."""

    request: TransactionRequest
    exists: bool
    outcome: Outcome[TxnId | None]


@dataclass
class Coordinators:
    """The transactions of one scenario that have no name, in the order in which they were begun, and what was asked at once."""

    world: World
    begun: list[tuple[int, TxnId]] = field(default_factory=list)
    """Each with the coordinator that was asked for it."""
    questions: list[Question] = field(default_factory=list)

    @property
    def ids(self) -> list[TxnId]:
        return [txn for _, txn in self.begun]

    def begin(self, *, client: str = "client", coordinator: int = 0) -> str:
        """Begin a transaction; answers what the scenario calls it."""
        probe = self.world.session.client(client)
        txn = achieved(probe.new_transaction(LONG_MS, coordinator=coordinator), f"beginning a transaction at coordinator {coordinator}")
        return self.note(txn, coordinator)

    def note(self, txn: TxnId, coordinator: int = 0) -> str:
        """Remember a transaction that was begun."""
        self.begun.append((coordinator, txn))
        name = f"transaction {len(self.begun)}"
        self.world.pulsar.transactions[name] = Transaction(txn)
        return name


@pytest.fixture
def coordinators(world: World) -> Coordinators:
    """What the coordinators have answered in this scenario."""
    return Coordinators(world)


@given(parsers.re(r"(?P<count>\d+) transactions have begun(?P<committed> and committed)?$"))
def have_begun(coordinators: Coordinators, count: str, committed: str | None) -> None:
    """At the first coordinator, one after the other. Those that were committed are over."""
    for _ in range(int(count)):
        name = coordinators.begin()
        if committed:
            achieved(coordinators.world.pulsar.end(name, Action.COMMIT), f"committing {name}")
    coordinators.world.pulsar.await_ends()


@given("a second coordinator")
def second_coordinator(world: World) -> None:
    """One more than a system has by itself, and it has begun a transaction."""
    achieved(world.probe.set_coordinators(2), "having two coordinators")
    achieved(world.probe.new_transaction(LONG_MS, coordinator=1), "beginning a transaction at the second coordinator")


@when(parsers.re(r"transaction (?P<name>[A-Z]) begins, and the system crashes right after the answer$"))
def begins_and_crashes(world: World, name: str) -> None:
    """The id was answered; then a power cut, and a start with what was durable."""
    world.pulsar.begin(name, LONG_MS)
    world.session.faults.crash()
    world.session.faults.restart()


@when(parsers.re(r"(?P<count>\d+) (?:more )?transactions begin(?P<two>, at two clients in turn)?$"))
def begin(coordinators: Coordinators, count: str, two: str | None) -> None:
    """At the first coordinator, each when the one before was answered."""
    clients = ("client", "other client") if two else ("client",)
    for number in range(int(count)):
        coordinators.begin(client=clients[number % len(clients)])


@when("a transaction begins at each coordinator")
def begins_at_each(coordinators: Coordinators) -> None:
    """One at each that the system has."""
    for number in range(achieved(coordinators.world.probe.coordinators(), "asking how many coordinators there are")):
        coordinators.begin(coordinator=number)


@when(
    parsers.re(
        r'a client adds (?P<topic>\w+) and "(?P<subscription>\w+)" to (?P<existing>[A-Z]) and to (?P<unknown>[A-Z]), '
        r"commits (?P=unknown) and begins another, all at once$"
    )
)
def asks_everything_at_once(
    coordinators: Coordinators, acks: Acknowledging, topic: str, subscription: str, existing: str, unknown: str
) -> None:
    """All is sent on one connection before any answer is read."""
    world = coordinators.world
    topics, subscriptions = [world.topics[topic]], [acks.subscribers[subscription].subscription]
    real, unreal = world.id_of(existing), world.id_of(unknown)
    requests: list[tuple[TransactionRequest, bool]] = [
        (AddTopics(unreal, topics), False),
        (AddTopics(real, topics), True),
        (End(unreal, Action.COMMIT), False),
        (NewTransaction(LONG_MS), True),
        (AddSubscriptions(unreal, subscriptions), False),
        (AddSubscriptions(real, subscriptions), True),
    ]
    outcomes = world.probe.at_once([request for request, _ in requests])
    for (request, exists), outcome in zip(requests, outcomes, strict=True):
        coordinators.questions.append(Question(request, exists, outcome))
        if isinstance(outcome, Done) and isinstance(outcome.value, TxnId):
            coordinators.note(outcome.value)


@then("no two transactions have the same id")
def are_different(coordinators: Coordinators) -> None:
    """Of all that were begun in the scenario."""
    ids = coordinators.ids
    twice = sorted({txn for txn in ids if ids.count(txn) > 1})
    shown = ", ".join(str(txn) for txn in twice)
    coordinators.world.evidence.expect(not twice, f"{len(ids)} transactions have {len(ids)} ids", f"{shown} twice" if twice else "they do")


@then("each has a greater id than the one before")
def grow(coordinators: Coordinators) -> None:
    """As numbers of 128 bits, in the order in which they were answered."""
    ids = coordinators.ids
    falls = [f"{later} after {earlier}" for earlier, later in pairwise(ids) if later <= earlier]
    shown = ", ".join(falls) or f"{ids[0]} to {ids[-1]}"
    coordinators.world.evidence.expect(not falls and len(ids) > 1, f"each of {len(ids)} ids is greater than the one before", shown)


@then("each id tells the coordinator that was asked")
def tells_the_coordinator(coordinators: Coordinators) -> None:
    """As clients read it: in the 16 highest bits, or in the whole upper half."""
    asked = [number for number, _ in coordinators.begun]
    told = [txn.coordinator for txn in coordinators.ids]
    shown = f"{told} in {', '.join(str(txn) for txn in coordinators.ids)}"
    coordinators.world.evidence.expect(bool(told) and told == asked, f"ids that tell the coordinators {asked}", shown)


@then("each answer is that to its request")
def answers_match(coordinators: Coordinators) -> None:
    """An answer is told by the request id in it. What was asked about the transaction that exists is done, and a new one is begun;
    what was asked about the other one is not found."""
    for question in coordinators.questions:
        match question.outcome:
            case Unknown() as unknown:
                unanswered(unknown, f"asking {question.request} among others")
            case outcome:
                expected = "success" if question.exists else "a refusal as not found"
                not_found = isinstance(outcome, Refused) and outcome.code == NOT_FOUND
                holds = isinstance(outcome, Done) if question.exists else not_found
                coordinators.world.evidence.expect(holds, f"{expected} for {question.request}", str(outcome))
