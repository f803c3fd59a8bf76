"""Scalable topics that an administrator creates, looks at and deletes, and unknown names."""

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import (
    ConsumerHandle,
    InitialPosition,
    MessageId,
    SubscriptionHandle,
    SubType,
    persistent,
    scalable,
)
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.subscriptions import Subscriber
from fencepost.steps.pulsar.topics import is_sentinel
from fencepost.steps.pulsar.vocabulary import shown
from fencepost.steps.step_outcomes import achieved, observed

from .scalable_context import NumberedSegment, ScenarioScalableTopics
from .vocabulary import PIP460

OLD_CLIENT = "old client"
"""A client that uses every topic as a classic topic, whatever its name."""
_FAR_AWAY = 1_000_000
"""More segments than any scenario has."""

MAKE = PIP460.act(
    given="the[ {deduplicated}] scalable {topics} of {segments}[, {neighbouring}]",
    tried="a scalable topic under the name of {topic} has been tried",
    when="an administrator makes the scalable {topics} of {segments}",
    meaning="A new scalable topic; each of its segments has a separate name in the scenario, and is used as a topic. One that was "
    "deleted is made again under its name. Under the name of a classic topic: with its tenant, namespace and name; the answer does not "
    "matter.",
)
DELETE = PIP460.act(
    given="{topic} has been deleted as a whole",
    when="an administrator deletes {topic} as a whole",
    meaning="DELETE of a scalable topic, also when it is in use.",
)


@MAKE.given
def scalable_topic_of(
    scalable_topics: ScenarioScalableTopics,
    topics: tuple[str, ...],
    segments: tuple[str, ...],
    deduplicated: str | None,
    neighbouring: str | None,
) -> None:
    for topic in topics:
        made = scalable_topics.make(topic, len(segments), is_deduplicated=bool(deduplicated), neighbouring=neighbouring)
        achieved(made, f"making the scalable topic {topic}")
        scalable_topics.name_segments(topic, segments)


@MAKE.when
def makes(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topics: tuple[str, ...], segments: tuple[str, ...]) -> None:
    for topic in topics:
        context.ask("creation", scalable_topics.make(topic, len(segments)))
        scalable_topics.name_segments(topic, segments)


@MAKE.tried
def has_been_tried_under_a_name(context: PulsarContext, topic: str) -> None:
    context.client.create_scalable_topic(context.topics[topic].replace("persistent://", "topic://", 1))


@DELETE.given
def has_been_deleted(scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    achieved(scalable_topics.context.client.delete_scalable_topic(scalable_topics.by_name[topic]), f"deleting {topic}")


@DELETE.when
def is_deleted(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    context.ask("deletion", context.client.delete_scalable_topic(scalable_topics.by_name[topic]))


@PIP460.given("{topic} is {absence}[ of {whole:topic}]")
def is_absent(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str, absence: str, whole: str | None) -> None:
    """An unknown name, of a scalable topic or of a segment. A change can be requested by its number, a producer opened by its name."""
    if whole is None:
        context.topics.by_name[topic] = scalable_topics.by_name[topic] = scalable(context.session.unique(topic))
        return
    if absence == "the topic by a name that has no namespace":
        context.topics.by_name[topic] = scalable_topics.by_name[topic] = f"topic://{scalable_topics.by_name[whole].rpartition('/')[2]}"
        return
    full = scalable_topics.by_name[whole].replace("topic://", "segment://", 1)
    first = scalable_topics.given_layout(whole).active[0]
    middle = (first.first_hash + first.last_hash) // 2
    number = max(segment.number for segment in scalable_topics.given_layout(whole).segments) + 1
    descriptor = {
        "a segment that does not exist": f"{first.first_hash:04x}-{first.last_hash:04x}-{_FAR_AWAY}",
        "the first segment by hashes that it has not": f"{first.first_hash:04x}-{first.last_hash - 1:04x}-{first.number}",
        "the first segment by its number alone": str(first.number),
        "the first segment by decimal hashes": f"{first.first_hash}-{first.last_hash}-{first.number}",
        "the lower child that a split of the first segment would have": f"{first.first_hash:04x}-{middle:04x}-{number}",
    }[absence]
    scalable_topics.places[topic] = NumberedSegment(whole, _FAR_AWAY)
    context.topics.by_name[topic] = f"{full}/{descriptor}"


@PIP460.given("subscription {subscription} has been {registered} {topic}")
def has_been_registered(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, subscription: str, registered: str, topic: str
) -> None:
    """An administrator creates a subscription of the whole topic, from the first message on, without a consumer; or removes it."""
    name = scalable_topics.by_name[topic]
    if registered == "registered for":
        achieved(context.client.register_subscription(name, subscription), f"registering {subscription} for {topic}")
    else:
        achieved(context.client.unregister_subscription(name, subscription), f"unregistering {subscription} from {topic}")


@PIP460.when("an administrator looks at the layout of {topic}")
def looks_at_the_layout(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    """GET of a scalable topic."""
    context.ask("layout", context.client.layout(scalable_topics.by_name[topic], retry=False))


@PIP460.when("a client {opening} {topic}[ {domain}][ {apart}]")
def opens(context: PulsarContext, opening: str, topic: str, domain: str | None, apart: str | None) -> None:
    """Once, as every client does with a topic's name; a client that does not know scalable topics treats `topic://` like other domains. At
    a broker that does not have it: as a client with an outdated answer does, at the first of the brokers that report so.
    """
    client: PulsarProbe = context.session.client(OLD_CLIENT)
    full = context.topics[topic]
    name = full if domain is None else persistent(full.rpartition("/")[2])
    broker = None if apart is None else _apart_from(context, name)
    if opening == "subscribes to":
        context.ask("SUBSCRIBE", client.subscribe(name, "old", retry=False, broker=broker))
    else:
        context.ask("PRODUCER", client.producer(name, retry=False, broker=broker))


@PIP460.then("{topic} {found} among the scalable topics of {namespace}")
def is_listed(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str, found: str, namespace: str | None) -> None:
    """In the list that an administrator gets: of its namespace, or of that of another topic."""
    name = scalable_topics.namespace_of(namespace or topic)
    there = observed(context.client.scalable_topics(name), f"listing the scalable topics of {name}")
    seen = "is" if scalable_topics.by_name[topic] in there else "is not"
    context.evidence.expect(seen == found, found, seen, what=f"{topic} in the list")


@PIP460.then("subscription {subscription} has {content} waiting in {topic}")
def has_waiting(context: PulsarContext, subscription: str, content: tuple[str, ...], topic: str) -> None:
    """Its next consumer there receives these, each once and in any order, and no others before a sentinel that is sent now. A missing
    subscription would begin after all these messages, and receive none of them.
    """
    client, name = context.client, f"{subscription} of {topic}"
    subscribed = client.subscribe(context.topics[topic], subscription, SubType.SHARED, initial=InitialPosition.LATEST)
    consumer = observed(subscribed, f"subscribing {subscription} to {topic}")
    context.subscriptions.by_name[name] = Subscriber(topic, SubscriptionHandle(context.topics[topic], subscription), consumer)
    if topic in context.topics.sealed:
        found = context.subscriptions.received(name, content)
    else:  # the waiting messages arrive before the sentinel, since no other consumer receives any
        found = _until_a_sentinel(context, consumer, topic, subscription)
    context.expect_messages(f"waiting for {subscription}", sorted(content), found)


@PIP460.then("subscription {subscription} is on each active segment of {topic}")
def is_on_each(context: PulsarContext, scalable_topics: ScenarioScalableTopics, subscription: str, topic: str) -> None:
    """Its next consumer of each receives a message that was written before it subscribed. A missing subscription would begin after that
    message.
    """
    for segment in scalable_topics.layout(topic).active:
        name = scalable_topics.name_of(topic, segment)
        observed(_written(context, name, name), f"writing to {name}")
        subscribed = context.client.subscribe(segment.topic, subscription, SubType.SHARED, initial=InitialPosition.LATEST)
        found = _until_a_sentinel(context, observed(subscribed, f"subscribing {subscription} to {name}"), name, subscription)
        context.evidence.expect(name in found, shown([name]), shown(found), what=f"waiting for {subscription} in an active segment")


@PIP460.then("soon each active segment of {topic} takes a message")
def takes_a_message(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    """Within patience, each active segment of the current layout accepts one, and a new subscription receives it."""
    refused = ""
    for number in context.session.time.attempts():
        sent = {}
        for segment in scalable_topics.layout(topic).active:
            name = scalable_topics.name_of(topic, segment)
            sent[name] = (f"{number} to {segment.number}", _written(context, name, f"{number} to {segment.number}"))
        refused = "; ".join(f"{name}: {answer}" for name, (_, answer) in sent.items() if not isinstance(answer, Done))
        if not refused:
            break
    context.evidence.expect(not refused, "that each takes one", refused or "that each takes one", what=f"active segments of {topic}")
    for name, (value, _) in sent.items():
        seen = context.topics.seen_up_to(name, value)
        context.evidence.expect(value in seen, shown([value]), shown(seen), what=f"readers of {name}")


def _until_a_sentinel(context: PulsarContext, consumer: ConsumerHandle, topic: str, subscription: str) -> list[str]:
    received = observed(context.client.receive_decided(consumer, context.topics.sentinel(topic)), f"reading as {subscription}")
    return sorted(message.value for message in received if not is_sentinel(message.value))


def _apart_from(context: PulsarContext, topic: str) -> str:
    """A broker that reports that it does not have a topic."""
    brokers = achieved(context.client.scalable_coordinators(), "asking for brokers").values()
    for broker in sorted({broker for broker in brokers if broker is not None}):
        if not achieved(context.client.is_served_by(topic, broker), f"asking {broker} for {topic}"):
            return broker
    raise SetUpFailed(f"no broker says that it has not {topic}")


def _written(context: PulsarContext, name: str, value: str) -> Outcome[MessageId]:
    """The outcome of one message of a new producer."""
    opened = context.client.producer(context.topics[name], retry=False)
    return context.client.send(opened.value, value) if isinstance(opened, Done) else opened
