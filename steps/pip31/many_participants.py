"""Transactions with many messages, or with many participants: topics and subscriptions whose names are numbers."""

from fencepost.adapters.pulsar.pulsar_values import SubType
from fencepost.steps.pulsar.acknowledging import has_acknowledged
from fencepost.steps.pulsar.consuming import has_received
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Acknowledged, Participant
from fencepost.steps.step_outcomes import achieved, observed

from .strays import post
from .vocabulary import (
    PIP31,
    AcknowledgedForEach,
    AcknowledgedLastOfABatch,
    AcknowledgedOneByOne,
    Each,
    Many,
    MessagesUnderWay,
    SubscriptionsConsumed,
    TopicsShow,
    WrittenMessages,
    WrittenToEach,
)


@PIP31.given("{transaction} has {many}")
def has_done_many(context: PulsarContext, transaction: str, many: Many) -> None:
    """For each of new topics or new shared subscriptions, whose names are their numbers: all are added in one request. Then each topic gets
    its number in a SEND, which was acknowledged; each subscription has received the message, which is the topic's only one, and
    acknowledges it, which was answered with success.

    Messages to one topic: SEND of all of them before the first receipt is read; then each was acknowledged, or, in flight, no receipt is
    read before a Then reads it. A message is its number. One by one: new messages outside of transactions, in an empty topic; the consumer
    of a new shared subscription has received all of them, and acknowledged each with a separate ACK, which was answered with success. One
    batch: new messages in one entry; the consumer has received all of them, and acknowledged the last.
    """
    match many:
        case WrittenToEach(count):
            _write_to_each(context, transaction, count)
        case WrittenMessages(count, topic):
            _write_many(context, transaction, count, topic)
        case MessagesUnderWay(count, topic):
            _send_many(context, transaction, count, topic)
        case AcknowledgedForEach(value, topic, count):
            _acknowledge_for_each(context, transaction, value, topic, count)
        case AcknowledgedOneByOne(count, topic, subscription):
            _acknowledge_one_by_one(context, transaction, count, topic, subscription)
        case AcknowledgedLastOfABatch(count, topic, subscription):
            _acknowledge_last_of_a_batch(context, transaction, count, topic, subscription)


def _write_to_each(context: PulsarContext, transaction: str, count: int) -> None:
    names = [str(number) for number in range(1, count + 1)]
    for name in names:
        context.topics.create(name)
    topics = tuple(Participant(name, is_subscription=False) for name in names)
    achieved(context.add(transaction, topics), f"adding {count} topics to {transaction}")
    for name in names:
        achieved(context.send(transaction, name, name), f"writing to topic {name}")


def _send_many(context: PulsarContext, transaction: str, count: int, topic: str) -> None:
    context.take_part(transaction, Participant(topic, is_subscription=False))
    post(context, transaction, topic, range(1, count + 1))


def _write_many(context: PulsarContext, transaction: str, count: int, topic: str) -> None:
    _send_many(context, transaction, count, topic)
    state = context.transactions[transaction]
    for name, value, pending in state.under_way:
        achieved(context.client.receipt(pending), f"writing {value} to {name}")
        state.written.append((name, value))
    state.under_way.clear()


def _acknowledge_one_by_one(context: PulsarContext, transaction: str, count: int, topic: str, subscription: str) -> None:
    values = tuple(str(number) for number in range(1, count + 1))
    for value in values:
        achieved(context.topics.send(topic, value), f"writing {value} to {topic}")
    has_received(context, SubType.SHARED, subscription, values, topic, None)
    for value in values:
        has_acknowledged(context, transaction, Acknowledged((value,)), subscription, None)


def _acknowledge_last_of_a_batch(context: PulsarContext, transaction: str, count: int, topic: str, subscription: str) -> None:
    values = tuple(str(number) for number in range(1, count + 1))
    achieved(context.client.send_batch(context.topics.producer(topic), values), f"sending a batch to {topic}")
    has_received(context, SubType.SHARED, subscription, values, topic, None)
    has_acknowledged(context, transaction, Acknowledged(values[-1:]), subscription, None)


def _acknowledge_for_each(context: PulsarContext, transaction: str, value: str, topic: str, count: int) -> None:
    names = [str(number) for number in range(1, count + 1)]
    for name in names:
        one = context.subscriptions.subscribe(name, topic, SubType.SHARED, name)
        one.ids[value] = achieved(context.client.receive(one.consumer), f"receiving as {name}").id
    subscriptions = tuple(Participant(name, is_subscription=True) for name in names)
    achieved(context.add(transaction, subscriptions), f"adding {count} subscriptions to {transaction}")
    for name in names:
        one = context.subscriptions[name]
        acknowledged = context.client.acknowledge(one.consumer, [one.ids[value]], transaction=context.id_of(transaction))
        achieved(acknowledged, f"acknowledging for {name}")


@PIP31.then("each of the {each}")
def each_of_many(context: PulsarContext, each: Each) -> None:
    """A new subscription of each topic receives what the transaction has written to it, and nothing else. Within patience, the cursor of
    each subscription has reached this message: it is deleted there, and not only pending.
    """
    match each:
        case TopicsShow(count, transaction):
            _judge_topics(context, count, transaction)
        case SubscriptionsConsumed(count, value):
            _judge_subscriptions(context, count, value)


def _judge_topics(context: PulsarContext, count: int, transaction: str) -> None:
    written = dict(context.transactions[transaction].written)
    expected = [written[str(number)] for number in range(1, count + 1)]
    found = [value for number in range(1, count + 1) for value in context.topics.seen(str(number))]
    context.expect_messages(f"readers of {count} topics", expected, found)


def _judge_subscriptions(context: PulsarContext, count: int, value: str) -> None:
    context.transactions.await_ends()
    missing = [str(number) for number in range(1, count + 1)]
    for _ in context.session.time.attempts():
        missing = [name for name in missing if not _has_consumed(context, name, value)]
        if not missing:
            break
    context.expect_messages(f"subscriptions that have not consumed {value}", (), missing)


def _has_consumed(context: PulsarContext, name: str, value: str) -> bool:
    one = context.subscriptions[name]
    place = observed(context.client.mark_delete(one.subscription), f"asking how far subscription {name} is")
    return place is not None and place >= one.ids[value].position
