"""The consumers that are notified that a sealed segment has no more messages."""

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import ConsumerHandle, TxnAction
from fencepost.contract.outcomes import Done
from fencepost.steps.pulsar.ending import has_ended
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.step_outcomes import observed

from .scalable_administration import OLD_CLIENT
from .vocabulary import PIP460

_A_WHILE_S = 1.5
"""Long enough for a broker that notifies the end with a delay."""
_NOT_YET = "not reported yet"
_REPORTED = "reported"


@PIP460.then("{waiting} is not notified of the end of {topic} before {values}, which {transaction} {ends} now")
def is_not_notified_the_end(
    context: PulsarContext, waiting: str | None, topic: str, values: tuple[str, ...], transaction: str, ends: TxnAction
) -> None:
    """The new consumer, or that of a subscription, gets no end (REACHED_END_OF_TOPIC) for a while in which the transaction is open, and
    receives these messages, each once and in any order, within patience after its end: what it commits, or what is redelivered. What the
    subscription had received before may arrive more than once.
    """
    if waiting is not None:
        _expect_the_end_later(context, context.client, context.subscriptions[waiting].consumer, topic)
        has_ended(context, transaction, ends)
        context.expect_messages(f"reader of {topic}", sorted(values), context.subscriptions.come(waiting, values))
        return
    client, answer = context.session.client(OLD_CLIENT), context.answer
    if not (isinstance(answer, Done) and isinstance(answer.value, ConsumerHandle)):
        context.evidence.expect(False, "success", str(answer), what=f"answer to {context.asked}")
        return
    _expect_the_end_later(context, client, answer.value, topic)
    has_ended(context, transaction, ends)
    taken: list[str] = []
    for _ in context.session.time.attempts():
        taken += [message.value for message in observed(client.received(answer.value), f"reading {topic}")]
        if set(values) <= set(taken):
            break
    context.expect_messages(f"reader of {topic}", sorted(values), sorted(taken))


@PIP460.then("the next consumer of {subscription} is notified of the end of {topic}")
def next_is_notified_the_end(context: PulsarContext, subscription: str, topic: str) -> None:
    """A consumer takes over the subscription now, and receives REACHED_END_OF_TOPIC within patience."""
    context.subscriptions.replace_consumer(subscription, looking=True)
    consumer = context.subscriptions[subscription].consumer
    is_notified = False
    for _ in context.session.time.attempts():
        is_notified = observed(context.client.is_at_end(consumer), f"reading {topic}")
        if is_notified:
            break
    context.evidence.expect(is_notified, _REPORTED, _REPORTED if is_notified else _NOT_YET, what=f"end of {topic}")


def _expect_the_end_later(context: PulsarContext, client: PulsarProbe, consumer: ConsumerHandle, topic: str) -> None:
    is_notified = False
    for _ in context.session.time.attempts(_A_WHILE_S):
        is_notified = is_notified or observed(client.is_at_end(consumer), f"reading {topic}")
    context.evidence.expect(not is_notified, _NOT_YET, _REPORTED if is_notified else _NOT_YET, what=f"end of {topic}")
