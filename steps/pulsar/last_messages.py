"""How consumers learn of last messages, and that there is no more."""

from fencepost.steps.step_outcomes import observed

from .moving import judge_last_message, judge_that_there_is_a_last
from .pulsar_context import PulsarContext
from .sentence_values import LastMessage, News, Said
from .vocabulary import PULSAR


@PULSAR.then("the consumer of {subscription} learns {news}")
def is_notified(context: PulsarContext, subscription: str, news: News) -> None:
    """No more: REACHED_END_OF_TOPIC, within patience. Nothing of an end: none before the answer to a later request on the same connection.
    Nothing that it did not ask for: a later request on the same connection is answered first; an answer to no request is malformed, which
    is a violation.

    A last message: within patience, GET_LAST_MESSAGE_ID answers the id with which the consumer has received it; -1 where there is none. At
    once: sent once, it does not answer -1, as it would where an open transaction blocks all messages of the topic.
    """
    match news:
        case LastMessage(content):
            judge_last_message(context, subscription, content)
        case Said("at once of a last message"):
            judge_that_there_is_a_last(context, subscription)
        case Said(said):
            _judge_news(context, subscription, said)


def _judge_news(context: PulsarContext, subscription: str, news: str) -> None:
    one = context.subscriptions[subscription]
    if news == "nothing that it did not ask for":
        observed(context.client.last_message_id(one.consumer), "asking for the last message after an acknowledgement")
        context.evidence.saw(f"the next answer to {subscription} is that to the next request")
        return
    expected = news == "that there is no more"
    is_at_end = False
    for _ in context.session.time.attempts() if expected else range(1):
        observed(context.client.last_message_id(one.consumer), f"asking as {subscription} for the last message")
        is_at_end = observed(context.client.is_at_end(one.consumer), f"looking for a notification to {subscription}")
        if is_at_end:
            break
    seen = "that there is no more" if is_at_end else "nothing of an end"
    context.evidence.expect(is_at_end is expected, news, seen, what=f"notification to {subscription}")
