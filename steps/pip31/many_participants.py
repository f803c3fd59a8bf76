"""Transactions with many participants: topics and subscriptions whose names are numbers."""

from fencepost.adapters.pulsar.values import SubscriptionType
from fencepost.steps.outcomes import achieved, observed
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.vocabulary import Participant

from .vocabulary import PIP31


@PIP31.given("{transaction} has written a message to each of {count} topics")
def has_written_to_each(context: ScenarioContext, transaction: str, count: int) -> None:
    """New topics, whose names are their numbers. All are added in one request, and then each gets its number in a SEND, which was
    acknowledged.
    """
    names = [str(number) for number in range(1, count + 1)]
    for name in names:
        context.topics.create(name)
    topics = tuple(Participant(name, is_subscription=False) for name in names)
    achieved(context.add(transaction, topics), f"adding {count} topics to {transaction}")
    for name in names:
        achieved(context.send(transaction, name, name), f"writing to topic {name}")


@PIP31.given("{transaction} has acknowledged {value} of {topic} for each of {count} subscriptions")
def has_acknowledged_for_each(context: ScenarioContext, transaction: str, value: str, topic: str, count: int) -> None:
    """New shared subscriptions, whose names are their numbers; each has received the message, which is the topic's only one. All are added
    in one request, and then each acknowledges the message in the transaction, which was answered with success.
    """
    names = [str(number) for number in range(1, count + 1)]
    for name in names:
        one = context.subscriptions.subscribe(name, topic, SubscriptionType.SHARED, name)
        one.ids[value] = achieved(context.client.receive(one.consumer), f"receiving as {name}").id
    subscriptions = tuple(Participant(name, is_subscription=True) for name in names)
    achieved(context.add(transaction, subscriptions), f"adding {count} subscriptions to {transaction}")
    for name in names:
        one = context.subscriptions[name]
        acknowledged = context.client.acknowledge(one.consumer, [one.ids[value]], transaction=context.id_of(transaction))
        achieved(acknowledged, f"acknowledging for {name}")


@PIP31.then("each of the {count} topics shows its readers the message of {transaction}")
def each_topic_shows(context: ScenarioContext, count: int, transaction: str) -> None:
    """A new subscription of each topic receives what the transaction has written to it, and nothing else."""
    written = dict(context.transactions[transaction].written)
    expected = [written[str(number)] for number in range(1, count + 1)]
    found = [value for number in range(1, count + 1) for value in context.topics.seen(str(number))]
    context.expect_messages(f"readers of {count} topics", expected, found)


@PIP31.then("each of the {count} subscriptions has consumed {value}")
def each_subscription_has_consumed(context: ScenarioContext, count: int, value: str) -> None:
    """Within patience, the cursor of each subscription has reached this message: it is deleted there, and not only pending."""
    context.transactions.await_ends()
    missing = [str(number) for number in range(1, count + 1)]
    for _ in context.session.time.attempts():
        missing = [name for name in missing if not _has_consumed(context, name, value)]
        if not missing:
            break
    context.expect_messages(f"subscriptions that have not consumed {value}", (), missing)


def _has_consumed(context: ScenarioContext, name: str, value: str) -> bool:
    one = context.subscriptions[name]
    place = observed(context.client.mark_delete(one.subscription), f"asking how far subscription {name} is")
    return place is not None and place >= one.ids[value].position
