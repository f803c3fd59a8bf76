"""Ends that race with each other, or with a time-out.

A transaction begins at the coordinator, somewhere between the request and its answer. So what was seen within the time-out, counted
from before the request, was seen before the time was up, however long the answers took.
"""

from collections.abc import Iterator

from fencepost.adapters.pulsar.values import Action, Status
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done
from fencepost.steps.pulsar.context import ScenarioContext

from .vocabulary import PIP31

_AHEAD_MS = 100
"""How long before the first time-out the first of many commits is asked for."""


@PIP31.when("{transaction} is asked to {first:end} and to {second:end} at the same time")
def is_asked_both(context: ScenarioContext, transaction: str, first: Action, second: Action) -> None:
    """END_TXN twice, in this order, on two connections: the second is sent before the first is answered."""
    ends = context.transactions.begin_ends(transaction, first, second)
    context.transactions[transaction].ends.update({pending.action: ender.ended(pending) for ender, pending in ends})


@PIP31.when("each of them is committed at about its time-out")
def commit_at_the_time_out(context: ScenarioContext) -> None:
    """One after another, from shortly before the first time-out on."""
    time, transactions = context.session.time, context.transactions
    first = min(transaction.expires_ms for transaction in transactions.by_name.values())
    for _ in time.attempts():
        if time.now_ms() >= first - _AHEAD_MS:
            break
    for name in transactions.by_name:
        transactions.end(name, Action.COMMIT, retry=False)
        _pause(time.attempts())


@PIP31.when("{transaction} adds {topic} again and again until it is refused")
def adds_again_and_again(context: ScenarioContext, transaction: str, topic: str) -> None:
    """ADD_PARTITION_TO_TXN, until that is refused or patience ends. Nobody ends the transaction."""
    context.transactions[transaction].is_over = True
    for _ in context.session.time.attempts():
        answer = context.client.add_topics(context.id_of(transaction), [context.topics[topic]])
        context.ask("ADD_PARTITION_TO_TXN", answer)
        if not isinstance(answer, Done):
            break


@PIP31.then("{transaction} was OPEN until its time-out had passed")
def was_open(context: ScenarioContext, transaction: str) -> None:
    """Every time that the coordinator was asked before that, it said OPEN. When the transaction is over afterwards is not asked here."""
    early = [seen for seen in context.transactions[transaction].observations if seen.left_ms > 0]
    if not early:
        raise NoAnswer(f"{transaction} was first seen when its time-out may have passed already")
    holds = all(seen.status is Status.OPEN for seen in early)
    seen = f"{next((one for one in early if one.status is not Status.OPEN), early[-1])}, in {len(early)} answers"
    context.evidence.expect(holds, "OPEN until its time-out", seen, what=f"status of {transaction}")


def _pause(tries: Iterator[int]) -> None:
    """The shortest time that there is between two tries."""
    next(tries)
    next(tries, None)
