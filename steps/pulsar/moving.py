"""Subscriptions that change: consumers ask for the topic's last message, seek back, and remove their subscription."""

from collections.abc import Mapping
from http import HTTPStatus

from fencepost.adapters.pulsar.pulsar_values import EntryPosition, MessageId
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.step_outcomes import achieved, observed

from .consuming import come_for
from .pulsar_context import PulsarContext
from .sentence_values import Missing, MissingSubscription, MissingTopic
from .topics import is_sentinel
from .vocabulary import PULSAR, shown

_A_WHILE_S = 1.5
"""How long the messages after a SEEK are waited for."""

GO_BACK = PULSAR.act(
    given="the consumer of {subscription} has gone back to {value}",
    when="the consumer of {subscription} goes back to {value}",
    meaning="SEEK to a message that it has received, or another consumer of the topic, which comes next then. The broker closes the "
    "consumer, which subscribes again.",
)


@GO_BACK.given
def has_gone_back(context: PulsarContext, subscription: str, value: str) -> None:
    one = context.subscriptions[subscription]
    position = context.subscriptions.id_of(subscription, value).position
    achieved(context.client.seek(one.consumer, position), f"going back to {value} as {subscription}")


@GO_BACK.when
def goes_back(context: PulsarContext, subscription: str, value: str) -> None:
    context.transactions.await_ends()
    has_gone_back(context, subscription, value)


@PULSAR.then("the consumer of {subscription} receives {values} after it has gone back to {value}")
def receives_after_going_back(context: PulsarContext, subscription: str, values: tuple[str, ...], value: str) -> None:
    """SEEK, as often as it takes: within patience all of these arrive after one. An end that a subscription applies after a SEEK deletes
    again what that has brought back, and the next SEEK shows it; what is pending for ever never arrives.
    """
    seen: set[str] = set()
    for _ in context.session.time.attempts():
        has_gone_back(context, subscription, value)
        seen = set()
        for _ in context.session.time.attempts(_A_WHILE_S):
            seen |= {message.value for message in come_for(context, subscription, 0) if not is_sentinel(message.value)}
            if seen >= set(values):
                break
        if seen >= set(values):
            break
    context.expect_messages(f"received by {subscription}", sorted(values), sorted(seen))


@PULSAR.given("subscription {subscription} has been {removed}")
def has_been_removed(context: PulsarContext, subscription: str, removed: str) -> None:
    """UNSUBSCRIBE of its only consumer, which was answered with success; the next consumer makes a new subscription of that name. Or of one
    of its consumers, whatever the answer; where that was refused, the consumer closes.
    """
    one = context.subscriptions[subscription]
    answer = context.client.unsubscribe(one.consumer)
    if removed == "removed":
        achieved(answer, f"removing {subscription}")
    elif not isinstance(answer, Done):
        achieved(context.client.close_consumer(one.consumer), f"closing the consumer of {subscription}")
    one.is_removed = True


@PULSAR.then("there is no {missing}")
def is_missing(context: PulsarContext, missing: Missing) -> None:
    """An administrator who asks for the log of the topic is answered that it is not found; or finds no cursor of that name."""
    match missing:
        case MissingTopic(topic):
            there = has_log(context, context.topics[topic])
            context.evidence.expect(not there, "none", "a topic" if there else "none", what=f"topic {topic}")
        case MissingSubscription(subscription):
            _judge_no_subscription(context, subscription)


def has_log(context: PulsarContext, name: str) -> bool:
    """Whether an administrator who asks for the log of a topic finds it."""
    match context.client.log_stats(name):
        case Done():
            return True
        case Refused(code=HTTPStatus.NOT_FOUND):
            return False
        case trouble:
            return bool(observed(trouble, f"looking at {name}"))


def _judge_no_subscription(context: PulsarContext, subscription: str) -> None:
    one = context.subscriptions[subscription]
    context.transactions.await_ends()
    cursors = observed(context.client.log_stats(one.subscription.topic), f"looking at {one.topic}").mark_deletes
    is_there = one.subscription.name in cursors
    context.evidence.expect(not is_there, "none", "a cursor" if is_there else "none", what=f"subscription {subscription}")


def judge_that_there_is_a_last(context: PulsarContext, subscription: str) -> None:
    """Judge that one GET_LAST_MESSAGE_ID answers an id."""
    one = context.subscriptions[subscription]
    last = observed(context.client.last_message_id(one.consumer), f"asking as {subscription} for the last message")
    is_there = last.position != EntryPosition(-1, -1)
    context.evidence.expect(is_there, "one", "one" if is_there else "none", what=f"last message for {subscription}")


def judge_last_message(context: PulsarContext, subscription: str, content: tuple[str, ...]) -> None:
    """Judge which message GET_LAST_MESSAGE_ID comes to name."""
    one = context.subscriptions[subscription]
    context.transactions.await_ends()
    reported = ""
    for _ in context.session.time.attempts():
        last = observed(context.client.last_message_id(one.consumer), f"asking as {subscription} for the last message")
        received = observed(context.client.received(one.consumer), f"reading as {subscription}")
        one.ids.update({message.value: message.id for message in received})
        reported = _named(last, one.ids)
        if reported == shown(content):
            break
    context.evidence.expect(reported == shown(content), shown(content), reported, what=f"last message for {subscription}")


def _named(reported: MessageId, known: Mapping[str, MessageId]) -> str:
    """A message id by the message that was received with it."""
    names = [name for name, one in known.items() if (one.position, one.batch_index) == (reported.position, reported.batch_index)]
    return shown(names) if names or reported.position == EntryPosition(-1, -1) else f"{reported}, at which it has received nothing"
