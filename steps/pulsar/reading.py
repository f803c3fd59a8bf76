"""Where readers begin, and how they hear that there is no more."""

from fencepost.adapters.pulsar.values import InitialPosition, SubscriptionType
from fencepost.steps.outcomes import observed

from .context import ScenarioContext
from .vocabulary import PULSAR


@PULSAR.then("the consumer of {subscription} is told {news}")
def is_told(context: ScenarioContext, subscription: str, news: str) -> None:
    """REACHED_END_OF_TOPIC, within patience; or none before the answer to a later request on the same connection."""
    one = context.subscriptions[subscription]
    expected = news == "that there is no more"
    is_at_end = False
    for _ in context.session.time.attempts() if expected else range(1):
        observed(context.client.last_message_id(one.consumer), f"asking as {subscription} for the last message")
        is_at_end = observed(context.client.is_at_end(one.consumer), f"looking what {subscription} was told")
        if is_at_end:
            break
    seen = "that there is no more" if is_at_end else "nothing of an end"
    context.evidence.expect(is_at_end is expected, news, seen, what=f"told to {subscription}")


@PULSAR.given("a reader {subscription} has begun behind all that is in {topic}")
def reader_has_begun(context: ScenarioContext, subscription: str, topic: str) -> None:
    """SUBSCRIBE with the latest initial position, exclusive and not durable. It stays attached, and has received nothing."""
    context.subscriptions.subscribe(
        subscription, topic, SubscriptionType.EXCLUSIVE, subscription, initial=InitialPosition.LATEST, durable=False
    )


@PULSAR.then("who begins to read {topic} behind {value} sees {content}")
def begins_behind(context: ScenarioContext, topic: str, value: str, content: tuple[str, ...]) -> None:
    """A new subscription that is not durable, and begins at the id with which this message was received (start_message_id), receives
    these. The message itself, and what lies before it in a batch, it leaves out, as clients do."""
    context.expect_messages(f"readers of {topic} behind {value}", content, context.topics.seen_behind(topic, value))
