"""Ends that race with each other, or with a timeout.

A transaction begins at the coordinator, at some time between the request and its answer. So what was seen within the timeout, counted from
before the request, was seen before the timeout passed, however long the answers took.
"""

from collections.abc import Iterator
from itertools import cycle

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus, TxnAction
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Participant
from fencepost.steps.pulsar.transactions import shown_status
from fencepost.steps.pulsar.vocabulary import EACH
from fencepost.steps.settling import let_pass
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP31, AtItsTimeout, EndsOfAll, InTurn

_HALF_A_SECOND_MS = 500
_AHEAD_MS = 100
"""How long before the first timeout the first of many commits is sent."""


@PIP31.when("{which} is asked to {first:end} and to {second:end} at the same time")
def is_asked_both(context: PulsarContext, which: str, first: TxnAction, second: TxnAction) -> None:
    """END_TXN twice, in this order, on two connections: the second is sent before the first is answered. For two equal ends, the answer of
    the one that succeeded counts. If each transaction is asked, they share the two connections, all ends are sent before any answer is
    read, and for every second transaction the ends are sent in the opposite order.
    """
    if which != EACH:
        _race(context, which, first, second)
        return
    transactions = context.transactions
    enders = transactions.enders(2)
    ends = []
    for number, name in enumerate(list(transactions.by_name)):
        pairs = list(zip(enders, (first, second), strict=True))
        for ender, action in pairs if number % 2 == 0 else reversed(pairs):
            ends.append((name, ender, transactions.begin_end_by(ender, name, action)))
    for name, ender, pending in ends:
        transactions[name].ends[pending.action] = ender.ended(pending)


@PIP31.when("each of them is {ends_of_all}")
def are_ended(context: PulsarContext, ends_of_all: EndsOfAll) -> None:
    """END_TXN of one after another: from shortly before the first timeout on, or each half a second before its own. A refusal that was
    answered after a timeout that should not be reached is not judged: the timeout may be its cause. In turn: the first one commits, the
    second one aborts, and so on.
    """
    match ends_of_all:
        case AtItsTimeout(moment):
            _commit_at_timeouts(context, moment)
        case InTurn():
            for number, name in enumerate(list(context.transactions.by_name)):
                action = TxnAction.ABORT if number % 2 else TxnAction.COMMIT
                achieved(context.transactions.end(name, action), f"ending transaction {name}")


def _commit_at_timeouts(context: PulsarContext, moment: str) -> None:
    time, transactions = context.session.time, context.transactions
    if moment == "at about":
        first = min(transaction.expires_ms for transaction in transactions.by_name.values())
        for _ in time.attempts():
            if time.now_ms() >= first - _AHEAD_MS:
                break
        for name in transactions.by_name:
            transactions.end(name, TxnAction.COMMIT, retry=False)
            _pause(time.attempts())
        return
    for name, transaction in list(transactions.by_name.items()):
        let_pass(time, max(0.0, transaction.expires_ms - _HALF_A_SECOND_MS - time.now_ms()) / 1000)
        answer = transactions.end(name, TxnAction.COMMIT, retry=False)
        if isinstance(answer, Refused) and time.now_ms() >= transaction.expires_ms:
            raise NoAnswer(f"the commit of transaction {name} was refused when its timeout had passed: this machine was too slow")


@PIP31.when("{transaction} adds {participants} again and again until it is refused")
def adds_again_and_again(context: PulsarContext, transaction: str, participants: tuple[Participant, ...]) -> None:
    """ADD_PARTITION_TO_TXN or ADD_SUBSCRIPTION_TO_TXN, of several participants in turn, until that is refused or patience ends. No client
    ends the transaction.
    """
    context.transactions[transaction].is_over = True
    in_turn = cycle(participants)
    for _ in context.session.time.attempts():
        participant = next(in_turn)
        answer = context.add(transaction, (participant,))
        context.ask("ADD_SUBSCRIPTION_TO_TXN" if participant.is_subscription else "ADD_PARTITION_TO_TXN", answer)
        if not isinstance(answer, Done):
            break


@PIP31.then("{transaction} was OPEN until its timeout had passed[, and not when {other:transaction} had timed out]")
def was_open(context: PulsarContext, transaction: str, other: str | None) -> None:
    """The coordinator answered OPEN every time that it was asked before the timeout. The time at which the transaction ends afterwards is
    judged only if a newer one is named: it was not OPEN right after that one was no longer OPEN. If a restart takes longer than the
    timeout, the coordinator was asked before the restart only.
    """
    seen = context.transactions[transaction].observations
    early = [one for one in seen if one.left_ms > 0]
    wrong = next((one for one in early if one.status is not ReportedStatus.OPEN), None)
    what = f"status of {transaction}"
    if other is None:
        if not early:
            raise NoAnswer(f"{transaction} was first seen when its timeout may have passed already")
        context.evidence.expect(wrong is None, "OPEN until its timeout", f"{wrong or early[-1]}, in {len(early)} answers", what=what)
        return
    context.evidence.expect(wrong is None, "OPEN until its timeout", str(wrong or "OPEN"), what=what)
    last = seen[-1].status
    context.evidence.expect(last is not ReportedStatus.OPEN, "not OPEN", shown_status(last), what=f"{what} when {other} had timed out")


def _race(context: PulsarContext, transaction: str, first: TxnAction, second: TxnAction) -> None:
    ends = context.transactions.begin_ends(transaction, first, second)
    answers = context.transactions[transaction].ends
    for ender, pending in ends:
        answer = ender.ended(pending)
        if not isinstance(answers.get(pending.action), Done):
            answers[pending.action] = answer


def _pause(tries: Iterator[int]) -> None:
    """The shortest time between two attempts."""
    next(tries)
    next(tries, None)
