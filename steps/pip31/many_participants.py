"""Transactions with many participants: topics and subscriptions whose names are numbers."""

from fencepost.adapters.pulsar.values import SubscriptionType
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved, observed
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.vocabulary import Participant

from .vocabulary import PIP31, SHOWS, TO_EACH


@PIP31.given("{transaction} has {shared_work} each of {count} {many}")
def has_a_part_in_each(context: ScenarioContext, transaction: str, shared_work: str, count: int, many: str) -> None:
    """New topics, whose names are their numbers. All are added in one request, and then each gets its number in a SEND, which was
    acknowledged. Or new shared subscriptions, whose names are their numbers; each has received the message, which is the topic's only one.
    All are added in one request, and then each acknowledges the message in the transaction, which was answered with success.
    """
    if (many == "topics") != (shared_work == TO_EACH):
        raise SetUpFailed(f"{shared_work} each of {count} {many} has no meaning")
    if many == "topics":
        _write_to_each(context, transaction, count)
    else:
        value, topic = shared_work.removeprefix('acknowledged "').removesuffix(" for").split('" of ')
        _acknowledge_for_each(context, transaction, value, topic, count)


def _write_to_each(context: ScenarioContext, transaction: str, count: int) -> None:
    names = [str(number) for number in range(1, count + 1)]
    for name in names:
        context.topics.create(name)
    topics = tuple(Participant(name, is_subscription=False) for name in names)
    achieved(context.add(transaction, topics), f"adding {count} topics to {transaction}")
    for name in names:
        achieved(context.send(transaction, name, name), f"writing to topic {name}")


def _acknowledge_for_each(context: ScenarioContext, transaction: str, value: str, topic: str, count: int) -> None:
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


@PIP31.then("each of the {count} {kept}")
def each_has_kept(context: ScenarioContext, count: int, kept: str) -> None:
    """A new subscription of each topic receives what the transaction has written to it, and nothing else. Or, within patience, the cursor
    of each subscription has reached this message: it is deleted there, and not only pending.
    """
    if kept.startswith(SHOWS):
        _expect_shown(context, count, kept.removeprefix(SHOWS))
    else:
        _expect_consumed(context, count, kept.split('"')[1])


def _expect_shown(context: ScenarioContext, count: int, transaction: str) -> None:
    written = dict(context.transactions[transaction].written)
    expected = [written[str(number)] for number in range(1, count + 1)]
    found = [value for number in range(1, count + 1) for value in context.topics.seen(str(number))]
    context.expect_messages(f"readers of {count} topics", expected, found)


def _expect_consumed(context: ScenarioContext, count: int, value: str) -> None:
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
