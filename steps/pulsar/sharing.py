"""Several consumers of one subscription: who joins, who is served, and what each asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.adapters.pulsar.values import Received, SubscriptionType
from fencepost.steps.outcomes import achieved, observed

from .context import ScenarioContext
from .topics import is_sentinel
from .vocabulary import PULSAR, shown

_A_WHILE_S = 1.5
"""Long enough for a broker that gives messages to consumers when it gets round to it."""


LEAVE = PULSAR.act(
    given="the consumer of {subscription} has left",
    when="the consumer of {subscription} leaves",
    meaning="It is closed; the subscription stays.",
)


@dataclass(frozen=True)
class _Served:
    """What has come for two consumers, and whether each is the active one by what it was told last."""

    values: tuple[Sequence[str], Sequence[str]]
    active: tuple[bool | None, bool | None]

    @property
    def alone(self) -> int | None:
        """Which of them has received everything; None where both have something."""
        receivers = [number for number, values in enumerate(self.values) if values]
        return receivers[0] if len(receivers) == 1 else None


@PULSAR.when("a consumer of {subscription_type} subscription {subscription} of {topic} asks for {count} messages")
def asks_for(context: ScenarioContext, subscription_type: SubscriptionType, subscription: str, topic: str, count: int) -> None:
    """FLOW of a new subscription from the topic's first message on, with so many permits; it gives no more as they are used."""
    one = context.subscriptions.subscribe(subscription, topic, subscription_type, subscription, permits=0)
    achieved(context.client.flow(one.consumer, count), f"asking for messages as {subscription}")


@PULSAR.when("another consumer tries to join {subscription}[ as {subscription_type}]")
def tries_to_join(context: ScenarioContext, subscription: str, subscription_type: SubscriptionType | None) -> None:
    """SUBSCRIBE, once, beside the consumer that is there; of the same kind unless another one is named."""
    one = context.subscriptions[subscription]
    kind = one.consumer.type if subscription_type is None else subscription_type
    context.ask("SUBSCRIBE", context.client.subscribe(one.subscription.topic, one.subscription.name, kind, retry=False))


@PULSAR.when("another consumer joins {subscription} when the connection of the one that is there is lost")
def joins_behind_a_loss(context: ScenarioContext, subscription: str) -> None:
    """The client's connections end without a word, and SUBSCRIBE comes on a new one; again, while the broker has not seen that yet."""
    one = context.subscriptions[subscription]
    context.client.close()
    context.ask("SUBSCRIBE", context.client.subscribe(one.subscription.topic, one.subscription.name, one.consumer.type))


@LEAVE.given
@LEAVE.when
def leaves(context: ScenarioContext, subscription: str) -> None:
    achieved(context.client.close_consumer(context.subscriptions[subscription].consumer), f"closing the consumer of {subscription}")


@PULSAR.when("the active one of {subscription} and {other:subscription} leaves")
def active_one_leaves(context: ScenarioContext, subscription: str, other: str) -> None:
    """The consumer that is told so last is closed. What the other one was given before counts no more."""
    served = _served(context, (subscription, other), 0)
    leaving, staying = (subscription, other) if served.active[0] else (other, subscription)
    achieved(context.client.close_consumer(context.subscriptions[leaving].consumer), f"closing the consumer of {leaving}")
    context.subscriptions.by_name[leaving] = context.subscriptions[staying]


@PULSAR.then("one of {subscription} and {other:subscription} receives {values}, and the other one nothing")
def one_receives(context: ScenarioContext, subscription: str, other: str, values: tuple[str, ...]) -> None:
    """Since the last look, and within patience: each message once, in whatever order, all of them the same consumer."""
    served = _served(context, (subscription, other), len(values))
    found = served.values[served.alone] if served.alone is not None else ()
    context.evidence.expect(sorted(found) == sorted(values), f"{shown(values)} and nothing", _told(served), what="received by the two")


@PULSAR.then("{subscription} and {other:subscription} receive {values} between them")
def both_receive(context: ScenarioContext, subscription: str, other: str, values: tuple[str, ...]) -> None:
    """Since the last look, and within patience: each message once, in whatever order, one consumer or the other."""
    served = _served(context, (subscription, other), len(values))
    found = sorted((*served.values[0], *served.values[1]))
    context.evidence.expect(found == sorted(values), f"{shown(values)} between them", _told(served), what="received by the two")


@PULSAR.then("the active one of {subscription} and {other:subscription} receives {values}")
def active_one_receives(context: ScenarioContext, subscription: str, other: str, values: tuple[str, ...]) -> None:
    """Since the last look, and within patience: each message once, in their order; no consumer but this one was told that it is active
    (ACTIVE_CONSUMER_CHANGE), and the other one receives nothing."""
    names = (subscription, other) if context.subscriptions[subscription] is not context.subscriptions[other] else (subscription,)
    served = _served(context, names, len(values))
    holds = served.alone is not None and list(served.values[served.alone]) == list(values) and served.active[served.alone] is True
    holds = holds and served.active.count(True) == 1
    context.evidence.expect(holds, f"{shown(values)} as the active one, and nothing", _told(served), what="received by the two")


@PULSAR.then("the consumer of {subscription} receives nothing for a while")
def receives_nothing(context: ScenarioContext, subscription: str) -> None:
    """Since the last look, and before the answer to a request that comes a moment later on the same connection."""
    taken: list[str] = []
    for _ in context.session.time.attempts(_A_WHILE_S):
        taken += [message.value for message in _taken(context, subscription, 0) if not is_sentinel(message.value)]
    context.expect_messages(f"received by {subscription}", (), sorted(taken))


@PULSAR.then("the consumer of {subscription} receives {values} and no more unasked")
def receives_no_more_unasked(context: ScenarioContext, subscription: str, values: tuple[str, ...]) -> None:
    """Since the last look, and within patience: these, in their order; and nothing else before the answer to a later request on the
    same connection. What was received before and is delivered again may come more than once."""
    taken = context.subscriptions.note(context.subscriptions[subscription], _taken(context, subscription, len(values)))
    context.expect_messages(f"received by {subscription}", values, taken)


@PULSAR.then("the consumer of {subscription} receives {values} {occasion}")
def receives_on_occasion(context: ScenarioContext, subscription: str, values: tuple[str, ...], occasion: str) -> None:
    """Since the last look, and within patience: these, in whatever order. For the first time: their redelivery count is 0; once more:
    it is not. What was received before and is delivered again may come more than once."""
    taken = context.subscriptions.without_repetitions(context.subscriptions[subscription], _taken(context, subscription, len(values)))
    told = [f"{message.value} {'once more' if message.redelivery_count else 'for the first time'}" for message in taken]
    context.expect_messages(f"received by {subscription}", [f"{value} {occasion}" for value in sorted(values)], sorted(told))


def _taken(context: ScenarioContext, name: str, count: int) -> list[Received]:
    """The messages that have come for a consumer, once there are so many or patience ends, and a later request was answered."""
    one = context.subscriptions[name]
    taken: list[Received] = []
    for _ in context.session.time.attempts():
        taken += observed(context.client.received(one.consumer), f"reading as {name}")
        if len(taken) >= count:
            break
    observed(context.client.last_message_id(one.consumer), f"asking as {name} for the last message")
    return [*taken, *observed(context.client.received(one.consumer), f"reading as {name}")]


def _served(context: ScenarioContext, names: Sequence[str], count: int) -> _Served:
    """What has come for two consumers, or for one of two that is left, once it is so much, one of them is active if any is told so, and
    each has been answered a later request."""
    messages: list[list[Received]] = [[], []]
    taken: list[list[str]] = [[], []]
    active: list[bool | None] = [None, None]
    for _ in context.session.time.attempts():
        for number, name in enumerate(names):
            consumer = context.subscriptions[name].consumer
            messages[number] += [message for message in _taken(context, name, 0) if not is_sentinel(message.value)]
            distinct = context.subscriptions.without_repetitions(context.subscriptions[name], messages[number])
            taken[number] = [message.value for message in distinct]
            active[number] = observed(context.client.is_active(consumer), f"looking who is active of {name}")
        is_settled = consumer.type is not SubscriptionType.FAILOVER or active.count(True) == 1
        if len(taken[0]) + len(taken[1]) >= count and is_settled:
            break
    for number, name in enumerate(names):
        context.subscriptions.note(context.subscriptions[name], messages[number])
    return _Served((taken[0], taken[1]), (active[0], active[1]))


def _told(served: _Served) -> str:
    said = {True: " as the active one", False: "", None: ""}
    return " and ".join(f"{shown(values)}{said[active]}" for values, active in zip(served.values, served.active, strict=True))
