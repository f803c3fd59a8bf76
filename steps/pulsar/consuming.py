"""Consumers of a subscription: what they have received, what they ask for, and what they receive from then on."""

from fencepost.adapters.pulsar.values import SubscriptionType
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .vocabulary import PULSAR, shown

TAKE_OVER = PULSAR.act(
    given="another consumer has taken over {subscription}",
    when="another consumer takes over {subscription}[ with {count} permits]",
    meaning="The consumer of the subscription closes, and the next one subscribes. With few permits (FLOW) it asks for more only as it "
    "receives messages.",
)


@PULSAR.given("the consumer of {subscription_type} subscription {subscription} has received {content} from {topic}")
def has_received(
    context: ScenarioContext, subscription_type: SubscriptionType, subscription: str, content: tuple[str, ...], topic: str
) -> None:
    """The subscription begins with the topic's first message. Its consumer has received these messages and acknowledged none."""
    one = context.subscriptions.subscribe(subscription, topic, subscription_type)
    for _ in content:
        message = achieved(context.client.receive(one.consumer), f"receiving as {subscription}")
        one.ids[message.value] = message.id
    assert sorted(one.ids) == sorted(content), f"{subscription} was given {sorted(one.ids)}"


@TAKE_OVER.given
def has_taken_over(context: ScenarioContext, subscription: str) -> None:
    context.subscriptions.replace_consumer(subscription)


@TAKE_OVER.when
def takes_over(context: ScenarioContext, subscription: str, count: int | None) -> None:
    context.subscriptions.replace_consumer(subscription, count)


@PULSAR.when("the consumer of {subscription} asks for redelivery[ of {values}]")
def asks_for_redelivery(context: ScenarioContext, subscription: str, values: tuple[str, ...] | None) -> None:
    """REDELIVER_UNACKNOWLEDGED_MESSAGES, for these or for all that it has not acknowledged. There is no answer to that."""
    one = context.subscriptions[subscription]
    asked = context.client.redeliver(one.consumer, [one.ids[value] for value in values or ()])
    achieved(asked, f"asking for redelivery as {subscription}")


@PULSAR.then("the consumer of {subscription} receives {values} and nothing else")
def receives(context: ScenarioContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look: each once, in whatever order, and nothing else before a sentinel that is sent now."""
    found = context.subscriptions.received(subscription, values)
    context.expect_messages(f"received by {subscription}", sorted(values), found)


@PULSAR.then("subscription {subscription} has[ {bound}] {content} left")
def has_left(context: ScenarioContext, subscription: str, bound: str | None, content: tuple[str, ...]) -> None:
    """The consumer leaves, and the next one receives these, each once and in whatever order, and no others unless others may be left."""
    found = context.subscriptions.left(subscription, content)
    holds = set(content) <= set(found) if bound else found == sorted(content)
    expected = f"{bound} {shown(content)}" if bound else shown(sorted(content))
    context.evidence.expect(holds, expected, shown(found), what=f"left for {subscription}")
