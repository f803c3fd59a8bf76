"""Where readers begin, and how they learn that there is no more."""

from fencepost.steps.outcomes import observed

from .context import ScenarioContext
from .vocabulary import PULSAR


@PULSAR.then("the consumer of {subscription} learns {news}")
def is_notified(context: ScenarioContext, subscription: str, news: str) -> None:
    """No more: REACHED_END_OF_TOPIC, within patience. Nothing of an end: none before the answer to a later request on the same connection.
    Nothing that it did not ask for: a later request on the same connection is answered first; an answer to no request is malformed, which
    is a violation.
    """
    one = context.subscriptions[subscription]
    if news == "nothing that it did not ask for":
        observed(context.client.last_message_id(one.consumer), "asking for the last message behind an acknowledgement")
        context.evidence.saw(f"the next answer to {subscription} is that to the next request")
        return
    expected = news == "that there is no more"
    is_at_end = False
    for _ in context.session.time.attempts() if expected else range(1):
        observed(context.client.last_message_id(one.consumer), f"asking as {subscription} for the last message")
        is_at_end = observed(context.client.is_at_end(one.consumer), f"looking what {subscription} was told")
        if is_at_end:
            break
    seen = "that there is no more" if is_at_end else "nothing of an end"
    context.evidence.expect(is_at_end is expected, news, seen, what=f"told to {subscription}")


@PULSAR.then("who begins to read {topic} behind {value} sees {content}")
def begins_behind(context: ScenarioContext, topic: str, value: str, content: tuple[str, ...]) -> None:
    """A new subscription that is not durable, and begins at the id with which this message was received (start_message_id), receives these.
    It skips the message itself, and what lies before it in a batch, as clients do.
    """
    context.expect_messages(f"readers of {topic} behind {value}", content, context.topics.seen_behind(topic, value))
