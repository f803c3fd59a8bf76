"""Whether what everybody sees agrees with what was answered to the ends of transactions, whichever of them succeeded."""

from fencepost.adapters.pulsar.values import Action
from fencepost.contract.outcomes import Unknown
from fencepost.steps.answers import reported
from fencepost.steps.outcomes import unanswered

from .context import ScenarioContext
from .subscriptions import Subscriber
from .transactions import Transaction
from .vocabulary import PULSAR, Acknowledged, Participant, shown


@PULSAR.then("exactly one end of {transaction} succeeded")
def one_end_succeeded(context: ScenarioContext, transaction: str) -> None:
    """Of those that were asked for, one was answered with success, and each other one was refused."""
    answers = _answers(transaction, context.transactions[transaction])
    done = [action for action, answer in answers.items() if answer == "success"]
    seen = ", ".join(f"{action.name}: {answer}" for action, answer in sorted(answers.items()))
    context.evidence.expect(len(done) == 1, "one success", seen, what=f"ends of {transaction}")


@PULSAR.then("{participant} agrees with the answers")
def agrees(context: ScenarioContext, participant: Participant) -> None:
    """A new subscription of the topic receives what was written in the transactions whose commit was answered with success, in whatever
    order, and nothing else. The next consumer of the subscription receives what was not acknowledged in these, and nothing else."""
    answers = {name: _answers(name, transaction) for name, transaction in context.transactions.by_name.items()}
    committed = [name for name, ends in answers.items() if ends.get(Action.COMMIT) == "success"]
    transactions = [context.transactions[name] for name in committed]
    if participant.is_subscription:
        subscriber = context.subscriptions[participant.name]
        acknowledged = [messages for one in transactions for name, messages in one.acknowledged if name == participant.name]
        expected = sorted(subscriber.ids.keys() - {value for messages in acknowledged for value in _covered(subscriber, messages)})
        found = context.subscriptions.left(participant.name, expected)
    else:
        expected = [value for one in transactions for topic, value in one.written if topic == participant.name]
        found = context.topics.seen(participant.name)
    told = f"{shown(expected)}, since the commits of {', '.join(committed) or 'none'} succeeded"
    context.evidence.expect(sorted(found) == sorted(expected), told, shown(found), what=f"messages of {participant}")


def _answers(name: str, transaction: Transaction) -> dict[Action, str]:
    """What was answered to the ends of a transaction, of which every one must be known."""
    for answer in transaction.ends.values():
        if isinstance(answer, Unknown):
            unanswered(answer, f"ending transaction {name}")
    return {action: reported(answer) for action, answer in transaction.ends.items()}


def _covered(subscriber: Subscriber, messages: Acknowledged) -> list[str]:
    """The messages that an acknowledgement takes away; a cumulative one all that came before."""
    if not messages.is_cumulative:
        return list(messages.values)
    received = list(subscriber.ids)
    return received[: received.index(messages.values[0]) + 1]
