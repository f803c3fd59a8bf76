"""Several consumers of one subscription: which join, which receive messages, and what each requests."""

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.adapters.pulsar.pulsar_values import Received, SubType
from fencepost.steps.step_outcomes import achieved, observed

from .consuming import come_for
from .pulsar_context import PulsarContext
from .sentence_values import ActiveOf, ConsumerOf, Leaving
from .topics import is_sentinel
from .vocabulary import PULSAR, shown

LEAVE = PULSAR.act(
    given="the {leaving} has left",
    when="the {leaving} leaves",
    meaning="It is closed; the subscription stays. The active one of two is the consumer that was last notified that it is active; "
    "messages that the other one has received before do not count any more.",
)


@dataclass(frozen=True)
class _Served:
    """The messages that two consumers have received, and whether each is the active one by its last notification."""

    values: tuple[Sequence[str], Sequence[str]]
    active: tuple[bool | None, bool | None]

    @property
    def alone(self) -> int | None:
        """The one that has received everything; None where both have received something."""
        receivers = [number for number, values in enumerate(self.values) if values]
        return receivers[0] if len(receivers) == 1 else None


@PULSAR.when("a consumer of {subscription_type} subscription {subscription} of {topic} asks for {count} messages")
def asks_for(context: PulsarContext, subscription_type: SubType, subscription: str, topic: str, count: int) -> None:
    """FLOW of a new subscription from the topic's first message on, with so many permits; it sends no more as they are used."""
    one = context.subscriptions.subscribe(subscription, topic, subscription_type, subscription, permits=0)
    achieved(context.client.flow(one.consumer, count), f"asking for messages as {subscription}")


@PULSAR.when("another consumer tries to join {subscription}[ as {subscription_type}][ {after_loss}]")
def tries_to_join(context: PulsarContext, subscription: str, subscription_type: SubType | None, after_loss: str | None) -> None:
    """SUBSCRIBE, once, in addition to the attached consumer; of the same kind unless another one is named. After the loss, the client's
    connections have ended without notice, and SUBSCRIBE is sent on a new one; it is retried while the broker has not noticed the loss.
    """
    one = context.subscriptions[subscription]
    kind = one.consumer.type if subscription_type is None else subscription_type
    if after_loss:
        context.client.close()
    joined = context.client.subscribe(one.subscription.topic, one.subscription.name, kind, retry=after_loss is not None)
    context.ask("SUBSCRIBE", joined)


@LEAVE.given
@LEAVE.when
def leaves(context: PulsarContext, leaving: Leaving) -> None:
    match leaving:
        case ConsumerOf(subscription):
            achieved(context.client.close_consumer(context.subscriptions[subscription].consumer), f"closing the consumer of {subscription}")
        case ActiveOf(subscription, other):
            _close_active(context, subscription, other)


def _close_active(context: PulsarContext, subscription: str, other: str) -> None:
    served = _served(context, (subscription, other), 0)
    leaving, staying = (subscription, other) if served.active[0] else (other, subscription)
    achieved(context.client.close_consumer(context.subscriptions[leaving].consumer), f"closing the consumer of {leaving}")
    context.subscriptions.by_name[leaving] = context.subscriptions[staying]


@PULSAR.then("{subscription} and {other:subscription} receive {values} between them")
def both_receive(context: PulsarContext, subscription: str, other: str, values: tuple[str, ...]) -> None:
    """Since the last look, and within patience: each message once, in any order, by one consumer or the other."""
    served = _served(context, (subscription, other), len(values))
    found = sorted((*served.values[0], *served.values[1]))
    context.evidence.expect(found == sorted(values), f"{shown(values)} between them", _reported(served), what="received by the two")


@PULSAR.then("{recipient} of {subscription} and {other:subscription} receives {values}, and the other one nothing")
def one_receives(context: PulsarContext, recipient: str, subscription: str, other: str, values: tuple[str, ...]) -> None:
    """Since the last look, and within patience: each message once, in any order, all of them by the same consumer. The active one: in their
    order; and only this consumer was notified that it is active (ACTIVE_CONSUMER_CHANGE).
    """
    names = (subscription, other) if context.subscriptions[subscription] is not context.subscriptions[other] else (subscription,)
    served = _served(context, names, len(values))
    found = list(served.values[served.alone]) if served.alone is not None else []
    if recipient == "one":
        holds, expected = sorted(found) == sorted(values), f"{shown(values)} and nothing"
    else:
        holds = served.alone is not None and found == list(values) and served.active[served.alone] is True
        holds, expected = holds and served.active.count(True) == 1, f"{shown(values)} as the active one, and nothing"
    context.evidence.expect(holds, expected, _reported(served), what="received by the two")


def _served(context: PulsarContext, names: Sequence[str], count: int) -> _Served:
    """The messages that two consumers, or the one that is left, have received, once there are so many, one of them is active if any is
    notified of that, and each has been answered a later request.
    """
    messages: list[list[Received]] = [[], []]
    taken: list[list[str]] = [[], []]
    active: list[bool | None] = [None, None]
    for _ in context.session.time.attempts():
        for number, name in enumerate(names):
            consumer = context.subscriptions[name].consumer
            messages[number] += [message for message in come_for(context, name, 0) if not is_sentinel(message.value)]
            distinct = context.subscriptions.without_repetitions(context.subscriptions[name], messages[number])
            taken[number] = [message.value for message in distinct]
            active[number] = observed(context.client.is_active(consumer), f"looking who is active of {name}")
        is_settled = consumer.type is not SubType.FAILOVER or active.count(True) == 1
        if len(taken[0]) + len(taken[1]) >= count and is_settled:
            break
    for number, name in enumerate(names):
        context.subscriptions.note(context.subscriptions[name], messages[number])
    return _Served((taken[0], taken[1]), (active[0], active[1]))


def _reported(served: _Served) -> str:
    said = {True: " as the active one", False: "", None: ""}
    return " and ".join(f"{shown(values)}{said[active]}" for values, active in zip(served.values, served.active, strict=True))
