"""Consumers of a subscription: what they have received, what they ask for, and what they receive from then on."""

from fencepost.adapters.pulsar.values import InitialPosition, SubscriptionType
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .topics import is_sentinel
from .vocabulary import PULSAR, shown

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
    given="a consumer of {subscription} has begun behind all that is in {topic}",
    when="a consumer of {subscription} begins behind all that is in {topic}",
    meaning="SUBSCRIBE with the latest initial position, of a shared subscription that is new, or that is gone with its consumers.",
)


@PULSAR.given(
    "the consumer of {subscription_type} subscription {subscription} has received {content} from {topic}"
    "[, by the name of {namesake:subscription}]"
)
def has_received(
    context: ScenarioContext,
    subscription_type: SubscriptionType,
    subscription: str,
    content: tuple[str, ...],
    topic: str,
    namesake: str | None,
) -> None:
    """The subscription begins with the topic's first message. Its consumer has received these messages and acknowledged none.
    By the name of another one, it has that one's name in the system: on another topic it is another subscription, on the same topic
    this is one more consumer of that one."""
    one = context.subscriptions.subscribe(subscription, topic, subscription_type, namesake or subscription)
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
def begins_behind_all(context: ScenarioContext, subscription: str, topic: str) -> None:
    context.subscriptions.subscribe(subscription, topic, SubscriptionType.SHARED, subscription, initial=InitialPosition.LATEST)


@TAKE_OVER.given
def has_taken_over(context: ScenarioContext, subscription: str) -> None:
    context.subscriptions.replace_consumer(subscription)


@TAKE_OVER.when
def takes_over(context: ScenarioContext, subscription: str, count: int | None) -> None:
    context.subscriptions.replace_consumer(subscription, count)


@REDELIVERY.given
@REDELIVERY.when
def asks_for_redelivery(context: ScenarioContext, subscription: str, values: tuple[str, ...] | None) -> None:
    one = context.subscriptions[subscription]
    asked = context.client.redeliver(one.consumer, [one.ids[value] for value in values or ()])
    achieved(asked, f"asking for redelivery as {subscription}")


@PULSAR.then("the consumer of {subscription} receives {values} and nothing else")
def receives(context: ScenarioContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look: each once, in whatever order, and nothing else before a sentinel that is sent now. What was received before
    and is delivered again may come more than once."""
    found = context.subscriptions.received(subscription, values)
    context.expect_messages(f"received by {subscription}", sorted(values), found)


@PULSAR.then("the consumer of {subscription} receives at least {values}")
def receives_at_least(context: ScenarioContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look: each once or more, in whatever order, before a sentinel that is sent now, or with it. Others may come too."""
    found = context.subscriptions.received(subscription, values)
    expected = f"at least {shown(sorted(values))}"
    context.evidence.expect(set(values) <= set(found), expected, shown(found), what=f"received by {subscription}")


@PULSAR.then("the consumer of {subscription} receives {values} before anybody writes again")
def receives_before(context: ScenarioContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look: each once, in whatever order, and nothing else, until all of them have come or patience ends. What was
    received before and is delivered again may come more than once."""
    found = context.subscriptions.come(subscription, values)
    context.expect_messages(f"received by {subscription}", sorted(values), found)


@PULSAR.then("the consumer of {subscription} receives nothing")
def receives_nothing(context: ScenarioContext, subscription: str) -> None:
    """Since the last look: nothing before a sentinel that is sent now, or, where an open transaction holds that up, nothing at all."""
    context.expect_messages(f"received by {subscription}", (), context.subscriptions.received(subscription, ()))


@PULSAR.given("the consumer of {subscription} has received {values} again")
def has_received_again(context: ScenarioContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look: all of these, however often; what comes after that comes once more."""
    found = context.subscriptions.received(subscription, values)
    if missing := sorted(set(values) - set(found)):
        raise SetUpFailed(f"the consumer of {subscription} was to be given {shown(missing)} again, and received {shown(found)}")


@PULSAR.then("subscription {subscription} has[ {bound}] {content} left")
def has_left(context: ScenarioContext, subscription: str, bound: str | None, content: tuple[str, ...]) -> None:
    """The consumer leaves, and the next one receives these, each once and in whatever order, and no others unless others may be left.
    What the former consumer had received may come more than once."""
    found = context.subscriptions.left(subscription, content)
    holds = set(content) <= set(found) if bound else found == sorted(content)
    expected = f"{bound} {shown(content)}" if bound else shown(sorted(content))
    context.evidence.expect(holds, expected, shown(found), what=f"left for {subscription}")
