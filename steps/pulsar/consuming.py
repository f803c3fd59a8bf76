"""Consumers of a subscription: what they have received, what they ask for, and what they receive afterwards."""

from fencepost.adapters.pulsar.pulsar_values import InitialPosition, Received, SubType
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.step_outcomes import achieved, observed

from .pulsar_context import PulsarContext
from .topics import is_sentinel
from .vocabulary import PULSAR, shown

_A_WHILE_S = 1.5
"""Long enough for a broker that dispatches messages with a delay."""

TAKE_OVER = PULSAR.act(
    given="another consumer has taken over {subscription}",
    when="another consumer takes over {subscription}[ with {count} permits]",
    meaning="The consumer of the subscription closes, and the next one subscribes. With few permits (FLOW) it asks for more only as it "
    "receives messages.",
)
REDELIVERY = PULSAR.act(
    given="the consumer of {subscription} has asked for redelivery[ of {values}]",
    when="the consumer of {subscription} asks for redelivery[ of {values}]",
    meaning="REDELIVER_UNACKNOWLEDGED_MESSAGES, for these or for all that it has not acknowledged. There is no answer to that.",
)


BEGIN_BEHIND = PULSAR.act(
    given="a {reader} {subscription} has begun behind all that is in {topic}",
    when="a {reader} {subscription} begins behind all that is in {topic}",
    meaning="SUBSCRIBE with the latest initial position. A consumer has a shared subscription that is new, or that is gone with its "
    "consumers; a reader an exclusive one that is not durable. It stays attached, and has received nothing.",
)


@PULSAR.given(
    "the consumer of {subscription_type} subscription {subscription} has received {content} from {topic}"
    "[, by the name of {namesake:subscription}][, with {count} permits]"
)
def has_received(
    context: PulsarContext,
    subscription_type: SubType,
    subscription: str,
    content: tuple[str, ...],
    topic: str,
    namesake: str | None,
    count: int | None = None,
) -> None:
    """The subscription begins with the topic's first message. Its consumer has received these messages and acknowledged none. By the name
    of another one, it has that one's name in the system: on another topic it is another subscription, on the same topic this is one more
    consumer of that one. With so many permits it accepts no more, and the later messages go to other consumers.
    """
    if count is None:
        one = context.subscriptions.subscribe(subscription, topic, subscription_type, namesake or subscription)
    else:
        one = context.subscriptions.subscribe(subscription, topic, subscription_type, namesake or subscription, permits=0)
        achieved(context.client.flow(one.consumer, count), f"asking for messages as {subscription}")
    while len(one.ids) < len(content):
        message = achieved(context.client.receive(one.consumer), f"receiving as {subscription}")
        if one.ids.get(message.value, message.id) != message.id:
            raise SetUpFailed(f"{subscription} was given {message.value} twice")
        if not is_sentinel(message.value):
            one.ids[message.value] = message.id
    if sorted(one.ids) != sorted(content):
        raise SetUpFailed(f"{subscription} was given {shown(sorted(one.ids))}, and it should be {shown(sorted(content))}")


@BEGIN_BEHIND.given
@BEGIN_BEHIND.when
def begins_behind_all(context: PulsarContext, reader: str, subscription: str, topic: str) -> None:
    durable = reader != "reader"
    kind = SubType.SHARED if durable else SubType.EXCLUSIVE
    context.subscriptions.subscribe(subscription, topic, kind, subscription, initial=InitialPosition.LATEST, durable=durable)


@TAKE_OVER.given
def has_taken_over(context: PulsarContext, subscription: str) -> None:
    context.subscriptions.replace_consumer(subscription)


@TAKE_OVER.when
def takes_over(context: PulsarContext, subscription: str, count: int | None) -> None:
    context.subscriptions.replace_consumer(subscription, count)


@REDELIVERY.given
@REDELIVERY.when
def asks_for_redelivery(context: PulsarContext, subscription: str, values: tuple[str, ...] | None) -> None:
    one = context.subscriptions[subscription]
    asked = context.client.redeliver(one.consumer, [one.ids[value] for value in values or ()])
    achieved(asked, f"asking for redelivery as {subscription}")


@PULSAR.then("the consumer of {subscription} receives {content}[ {extent}]")
def receives(context: PulsarContext, subscription: str, content: tuple[str, ...], extent: str | None) -> None:
    """Since the last look, in any order unless stated otherwise; a message that was received before and is redelivered may arrive more than
    once. And nothing else: each once, and nothing else before a sentinel that is sent now. And perhaps others: each once or more, before
    such a sentinel or with it. Before any other write: each once, and nothing else, until all of them have arrived or patience ends. For
    the first time, or once more: within patience, with a redelivery count of 0, or a higher one. And no more unasked: within patience, in
    their order, and nothing else before the answer to a later request on the same connection.

    Nothing: before a sentinel that is sent now, or, where an open transaction blocks that, nothing at all. For a while: no sentinel is
    sent, and nothing arrives before the answer to a request a moment later on the same connection.
    """
    if not content:
        _judge_nothing(context, subscription, waits=extent is not None)
        return
    values = content
    what, one = f"received by {subscription}", context.subscriptions[subscription]
    match extent:
        case None | "and nothing else":
            context.expect_messages(what, sorted(values), context.subscriptions.received(subscription, values))
        case "and perhaps others":
            found = context.subscriptions.received(subscription, values)
            context.evidence.expect(set(values) <= set(found), f"at least {shown(sorted(values))}", shown(found), what=what)
        case "before any other write":
            context.expect_messages(what, sorted(values), context.subscriptions.come(subscription, values))
        case "and no more unasked":
            context.expect_messages(what, values, context.subscriptions.note(one, come_for(context, subscription, len(values))))
        case occasion:
            come = context.subscriptions.without_repetitions(one, come_for(context, subscription, len(values)))
            reported = [f"{message.value} {'once more' if message.redelivery_count else 'for the first time'}" for message in come]
            context.expect_messages(what, [f"{value} {occasion}" for value in sorted(values)], sorted(reported))


def _judge_nothing(context: PulsarContext, subscription: str, *, waits: bool) -> None:
    found: list[str] = [] if waits else list(context.subscriptions.received(subscription, ()))
    for _ in context.session.time.attempts(_A_WHILE_S) if waits else ():
        found += [message.value for message in come_for(context, subscription, 0) if not is_sentinel(message.value)]
    context.expect_messages(f"received by {subscription}", (), sorted(found))


@PULSAR.given("the consumer of {subscription} has received {values} again")
def has_received_again(context: PulsarContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look: all of these, any number of times; a message that arrives later counts once more."""
    found = context.subscriptions.received(subscription, values)
    if missing := sorted(set(values) - set(found)):
        raise SetUpFailed(f"the consumer of {subscription} was to be given {shown(missing)} again, and received {shown(found)}")


@PULSAR.then("subscription {subscription} has[ {bound}] {content} left")
def has_left(context: PulsarContext, subscription: str, bound: str | None, content: tuple[str, ...]) -> None:
    """The consumer is closed, and the next one receives these, each once and in any order, and no others unless others may be left.
    Messages that the former consumer had received may arrive more than once. Where the broker reports what is pending, nothing is pending
    of a transaction that has ended: what is not left is deleted.
    """
    found = context.subscriptions.left(subscription, content, others_may=bool(bound))
    holds = set(content) <= set(found) if bound else found == sorted(content)
    expected = f"{bound} {shown(content)}" if bound else shown(sorted(content))
    context.evidence.expect(holds, expected, shown(found), what=f"left for {subscription}")
    judge_leftovers(context, subscription)


def judge_leftovers(context: PulsarContext, subscription: str) -> None:
    """Where the broker reports what is pending, nothing is pending of a transaction that has ended: what is not left is deleted."""
    if (pending := context.subscriptions.pending(subscription)) is not None:
        found, most = (f"something of {count} transactions" if count else "nothing" for count in pending)
        context.evidence.expect(pending[0] <= pending[1], most, found, what=f'pending in "{subscription}"')


def come_for(context: PulsarContext, name: str, count: int) -> list[Received]:
    """The messages that a consumer has received, once there are so many or patience ends, and a later request was answered."""
    one = context.subscriptions[name]
    come: list[Received] = []
    for _ in context.session.time.attempts():
        come += observed(context.client.received(one.consumer), f"reading as {name}")
        if len(come) >= count:
            break
    observed(context.client.last_message_id(one.consumer), f"asking as {name} for the last message")
    return [*come, *observed(context.client.received(one.consumer), f"reading as {name}")]
