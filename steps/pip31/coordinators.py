"""Ids and answers of coordinators: each answer belongs to its own request."""

from itertools import pairwise

from fencepost.adapters.pulsar.pulsar_values import (
    AddSubscriptions,
    AddTopics,
    End,
    NewTransaction,
    TransactionId,
    TransactionRequest,
    TxnAction,
)
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.answers import judge_done
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Participant
from fencepost.steps.pulsar.transactions import OUT_OF_REACH, TIME_OUTS_MS
from fencepost.steps.step_outcomes import achieved, observed

from .answering import AnsweredRequests
from .vocabulary import PIP31, Alike, NumbersBeginAlike, SameAtTwoCoordinators, SameInBothKinds

_AT_MOST = 200
"""How many transactions are begun at most at the first coordinator to pass the numbers of the second. Scenarios begin few there."""
_AT_MOST_ALIKE = 2_000
"""How many are begun at most to reach a number that is ten times as large, or that of another kind: a whole run begins hundreds."""


@PIP31.given("the system has {count} coordinators")
def has_coordinators(context: PulsarContext, count: int) -> None:
    """At least so many. Where there are fewer, the missing ones are added, and each of them serves clients before the next step."""
    before = achieved(context.client.coordinators(), "asking how many coordinators there are")
    if before < count:
        achieved(context.client.set_coordinators(count), f"having {count} coordinators")
        for number in range(before, count) if not context.client.is_scalable else ():
            _await_coordinator(context, number)


def _await_coordinator(context: PulsarContext, number: int) -> None:
    """A broker has a coordinator some time after the request, and refuses its clients until then."""
    outcome: Outcome[None] = context.client.reach_coordinator(number)
    for _ in context.session.time.attempts():
        if isinstance(outcome, Done):
            return
        outcome = context.client.reach_coordinator(number)
    achieved(outcome, f"reaching coordinator {number}, which was just added")


@PIP31.given("{transaction} is a transaction of the second coordinator[ with a {time_out} timeout][, {passed}]")
def is_of_the_second(context: PulsarContext, transaction: str, time_out: str | None, passed: str | None) -> None:
    """Open and without participants; the coordinator is added where there is only one. Where the sentence names it, the first coordinator,
    at which all others begin, assigns greater numbers from now on than this transaction has.
    """
    has_coordinators(context, 2)
    context.transactions.begin(transaction, time_out, coordinator=1)
    if passed:
        _pass(context, transaction)


@PIP31.given("{transaction} was begun by a client that has lost its connection")
def was_begun_elsewhere(context: PulsarContext, transaction: str) -> None:
    """NEW_TXN on a dedicated connection, which has ended since; another client continues with the open transaction."""
    context.transactions.begin_elsewhere(transaction)


def _pass(context: PulsarContext, transaction: str) -> None:
    begun = context.id_of(transaction)
    for _ in range(_AT_MOST):
        later = achieved(context.client.new_transaction(TIME_OUTS_MS[None]), "beginning a transaction at the first coordinator")
        achieved(context.client.end(later, TxnAction.COMMIT), "committing a transaction of the first coordinator")
        if later.sequence > begun.sequence:
            return
    raise SetUpFailed(f"the first coordinator is still at {later}, and {transaction} is {begun}")


@PIP31.given("{first:transaction} and {second:transaction} are transactions with {alike}")
def are_alike(context: PulsarContext, first: str, second: str, alike: Alike) -> None:
    """Open transactions of the second and the third coordinator, which are added where they are missing. At the one with the lower number
    more transactions are begun, and committed, until the ids differ in the coordinator alone.

    Numbers that begin alike: the number of the other one is that of the first and a digit more, as 12 and 120; those between are committed.
    Where that is more than a million transactions away, they stay as they are.

    The second one classic: the first is begun before. More transactions of the kind with the lower number are begun, and committed, until
    the ids differ in the kind alone, or stay as they are where a system numbers them from places that are so far apart.
    """
    match alike:
        case SameAtTwoCoordinators():
            _have_the_same_number(context, first, second)
        case NumbersBeginAlike():
            _begin_alike(context, first, second)
        case SameInBothKinds():
            _have_the_same_number_in_both_kinds(context, first, second)


def _begin_alike(context: PulsarContext, transaction: str, other: str) -> None:
    transactions = context.transactions
    for name in (transaction, other):
        transactions.begin(name, coordinator=1)
    if context.id_of(transaction).sequence == 0:
        achieved(transactions.end(transaction, TxnAction.COMMIT), f"committing {transaction}, whose number 0 begins no other")
        by_name = transactions.by_name
        by_name[transaction] = by_name[other]
        transactions.begin(other, coordinator=1)
    first = context.id_of(transaction).sequence
    if are_out_of_reach(context, first, 10 * first):
        return
    if 9 * first > _AT_MOST_ALIKE:
        numbers = f"{transaction} is {context.id_of(transaction)}, and the next number that begins like it is {10 * first}"
        raise SetUpFailed(f"{numbers}; only a coordinator that has begun fewer than {_AT_MOST_ALIKE // 9} transactions can be asked")
    for _ in range(_AT_MOST_ALIKE):
        if context.id_of(other).sequence >= 10 * first:
            return
        achieved(transactions.end(other, TxnAction.COMMIT), f"committing {other}, whose number is too small")
        transactions.begin(other, coordinator=1)
    raise SetUpFailed(f"{transaction} is {context.id_of(transaction)} and {other} is {context.id_of(other)} still")


def are_out_of_reach(context: PulsarContext, one: int, other: int) -> bool:
    """Whether no run, however long, begins as many transactions as lie between two numbers. Then the question is asked with the present
    numbers, which no system can confuse in this way.
    """
    apart = abs(one - other)
    if apart > OUT_OF_REACH:
        context.evidence.saw(f"numbers {apart} apart, so that no two transactions have numbers that are alike")
    return apart > OUT_OF_REACH


def _have_the_same_number(context: PulsarContext, first: str, second: str) -> None:
    has_coordinators(context, 3)
    transactions = context.transactions
    for coordinator, name in enumerate((first, second), start=1):
        transactions.begin(name, coordinator=coordinator)
    for _ in range(_AT_MOST):
        behind, ahead = sorted((first, second), key=lambda name: context.id_of(name).sequence)
        if context.id_of(behind).sequence == context.id_of(ahead).sequence:
            return
        achieved(transactions.end(behind, TxnAction.COMMIT), "committing a transaction of the coordinator with the lower number")
        transactions.begin(behind, coordinator=context.id_of(behind).coordinator)
    raise SetUpFailed(f"{first} is {context.id_of(first)} and {second} is {context.id_of(second)} still")


def _have_the_same_number_in_both_kinds(context: PulsarContext, transaction: str, classic: str) -> None:
    transactions = context.transactions
    transactions.begin_classic(classic)
    for _ in range(_AT_MOST_ALIKE):
        ours, theirs = context.id_of(transaction), context.id_of(classic)
        if ours.sequence == theirs.sequence or are_out_of_reach(context, ours.sequence, theirs.sequence):
            return
        behind = transaction if ours.sequence < theirs.sequence else classic
        achieved(transactions.end(behind, TxnAction.COMMIT), f"committing {behind}, whose number is lower")
        if behind == classic:
            transactions.begin_classic(classic)
        else:
            transactions.begin(transaction)
    raise SetUpFailed(f"{transaction} is {context.id_of(transaction)} and {classic} is {context.id_of(classic)} still")


@PIP31.when("a transaction begins at each coordinator")
def begins_at_each(context: PulsarContext) -> None:
    """One at each that the system has, until one of them refuses."""
    for number in range(achieved(context.client.coordinators(), "asking how many coordinators there are")):
        answer = context.client.new_transaction(TIME_OUTS_MS[None], coordinator=number)
        context.ask("NEW_TXN", answer)
        if not isinstance(answer, Done):
            return
        context.transactions.remember(answer.value, number)


@PIP31.when("the number of coordinators is set to {number:coordinators}")
def number_is_set(context: PulsarContext, number: int | None) -> None:
    """By an administrator."""
    if number is None:
        number = achieved(context.client.coordinators(), "asking how many coordinators there are") + 1
    context.ask("POST", context.client.set_coordinators(number))


@PIP31.then("the last coordinator begins a transaction")
def last_begins(context: PulsarContext) -> None:
    """The last one of the number that clients are answered when they ask how many there are."""
    number = observed(context.client.coordinators(), "asking how many coordinators there are") - 1
    answer = context.client.new_transaction(TIME_OUTS_MS[None], coordinator=number)
    judge_done(context.evidence, f"NEW_TXN at coordinator {number}", answer)


@PIP31.when("a client pipelines requests that add {participants} to {existing:transaction} and {unknown:transaction}")
def pipelines(
    context: PulsarContext, answers: AnsweredRequests, participants: tuple[Participant, ...], existing: str, unknown: str
) -> None:
    """All are sent on one connection before any answer is read, as are, between them, a commit of the unknown transaction and a request for
    a new one.
    """
    topics = [context.topics[one.name] for one in participants if not one.is_subscription]
    subscriptions = [context.subscription(one.name) for one in participants if one.is_subscription]
    real, unreal = context.id_of(existing), context.id_of(unknown)
    requests: list[tuple[TransactionRequest, bool]] = [
        (AddTopics(unreal, topics), False),
        (AddTopics(real, topics), True),
        (End(unreal, TxnAction.COMMIT), False),
        (NewTransaction(TIME_OUTS_MS[None]), True),
        (AddSubscriptions(unreal, subscriptions), False),
        (AddSubscriptions(real, subscriptions), True),
    ]
    outcomes = context.client.at_once([request for request, _ in requests])
    for (request, exists), outcome in zip(requests, outcomes, strict=True):
        answers.to[str(request)] = outcome
        if not exists:
            answers.unknown.add(str(request))
        if isinstance(outcome, Done) and isinstance(outcome.value, TransactionId):
            context.transactions.remember(outcome.value)


@PIP31.then("the transaction ids {id_property}")
def ids_are(context: PulsarContext, id_property: str) -> None:
    """For all transactions without a name in the scenario, in the order in which they were answered. Distinct: no two are the same;
    ascending: each is greater than the one before, as a number of 128 bits. The coordinator that was asked is in the 16 highest bits, or in
    the whole upper half, as clients read them.
    """
    ids = [txn for _, txn in context.transactions.numbered]
    if id_property == "are distinct":
        twice = sorted({txn for txn in ids if ids.count(txn) > 1})
        seen = f"{', '.join(str(txn) for txn in twice)} twice" if twice else f"{len(ids)} ids"
        context.evidence.expect(not twice, f"{len(ids)} ids", seen, what="transaction ids")
    elif id_property == "are ascending":
        falls = [f"{later} after {earlier}" for earlier, later in pairwise(ids) if later <= earlier]
        seen = ", ".join(falls) or f"{ids[0]} to {ids[-1]}"
        context.evidence.expect(not falls and len(ids) > 1, "each greater than the one before", seen, what="transaction ids")
    else:
        asked, named = [number for number, _ in context.transactions.numbered], [txn.coordinator for txn in ids]
        seen = f"{named} in {', '.join(str(txn) for txn in ids)}"
        context.evidence.expect(bool(named) and named == asked, f"{asked}", seen, what="coordinators of transaction ids")
