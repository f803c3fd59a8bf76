"""Whether what readers and consumers see agrees with the answers to the ends of transactions, whichever of them succeeded."""

from collections.abc import Mapping

from fencepost.adapters.pulsar.pulsar_values import TxnAction
from fencepost.contract.outcomes import Unknown
from fencepost.steps.answers import reported
from fencepost.steps.step_outcomes import unanswered

from .consuming import judge_leftovers
from .pulsar_context import PulsarContext
from .sentence_values import Acknowledged, Participant
from .subscriptions import Subscriber
from .vocabulary import EACH, PULSAR, shown


@PULSAR.then("exactly one end of {which} succeeded")
def one_end_succeeded(context: PulsarContext, which: str) -> None:
    """One of the requested ends was answered with success, and each other one was refused; for one transaction or for all."""
    if which != EACH:
        answers = answers_of(context, which)
        holds = list(answers.values()).count("success") == 1
        context.evidence.expect(holds, "one success", _reported(answers), what=f"ends of {which}")
        return
    of_each = {name: answers_of(context, name) for name in context.transactions.by_name}
    wrong = [f"{name}: {_reported(ends)}" for name, ends in of_each.items() if list(ends.values()).count("success") != 1]
    context.evidence.expect(not wrong and bool(of_each), "one success each", "; ".join(wrong) or "one success each", what="ends")


@PULSAR.then("{participant} agrees with the answers")
def agrees(context: PulsarContext, participant: Participant) -> None:
    """A new subscription of the topic receives what was written in the transactions whose commit was answered with success, in any order,
    and nothing else. The next consumer of the subscription receives what was not acknowledged in these, and nothing else; where the broker
    reports what is pending, nothing is pending of a transaction that has ended.
    """
    answers = {name: answers_of(context, name) for name in context.transactions.by_name}
    committed = [name for name, ends in answers.items() if ends.get(TxnAction.COMMIT) == "success"]
    transactions = [context.transactions[name] for name in committed]
    if participant.is_subscription:
        subscriber = context.subscriptions[participant.name]
        acknowledged = [messages for one in transactions for name, messages in one.acknowledged if name == participant.name]
        expected = sorted(subscriber.ids.keys() - {value for messages in acknowledged for value in _covered(subscriber, messages)})
        found = context.subscriptions.left(participant.name, expected)
    else:
        expected = [value for one in transactions for topic, value in one.written if topic == participant.name]
        found = list(context.look(lambda: context.topics.seen(participant.name), expected))
    due = f"{shown(expected)}, since the commits of {', '.join(committed) or 'none'} succeeded"
    context.evidence.expect(sorted(found) == sorted(expected), due, shown(found), what=f"messages of {participant}")
    if participant.is_subscription:
        judge_leftovers(context, participant.name)


def answers_of(context: PulsarContext, transaction: str) -> dict[TxnAction, str]:
    """The answers to the ends of a transaction, each of which must be known."""
    ends = context.transactions[transaction].ends
    for answer in ends.values():
        if isinstance(answer, Unknown):
            unanswered(answer, f"ending transaction {transaction}")
    return {action: reported(answer) for action, answer in ends.items()}


def _reported(answers: Mapping[TxnAction, str]) -> str:
    return ", ".join(f"{action.name}: {answer}" for action, answer in sorted(answers.items()))


def _covered(subscriber: Subscriber, messages: Acknowledged) -> list[str]:
    """The messages that an acknowledgement covers; a cumulative one covers all earlier messages too."""
    if not messages.is_cumulative:
        return list(messages.values)
    received = list(subscriber.ids)
    return received[: received.index(messages.values[0]) + 1]
