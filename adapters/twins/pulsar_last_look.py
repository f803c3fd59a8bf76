"""What clients find after a scenario's last step on Pulsar: what a new reader of each topic receives, and where subscriptions are."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import ConsumerHandle, SubscriptionHandle
from fencepost.adapters.pulsar.received_messages import SENTINEL, without_sentinels

from .performer import Undisturbed, said

_CLIENT = "the client of the last look"
_MOST_TOPICS = 4
"""More are not looked at."""


def pulsar_last_look(session: PulsarSession, undisturbed: Undisturbed) -> Iterator[str]:
    """What is there, each as a text without positions."""
    probe: PulsarProbe = session.client(_CLIENT)
    for number, known in enumerate(undisturbed.topics[:_MOST_TOPICS]):
        topic, name = (known.replace(undisturbed.suffix, suffix) for suffix in (session.unique(""), ""))
        seen = _received(probe, topic, session.unique(f"last-look-{number}"))
        if not isinstance(seen, list):
            yield f"readers of {name}: {seen}"
            continue
        yield f"readers of {name}: {[one.value for one in seen]}"
        for subscription in undisturbed.subscriptions:
            place: Any = said(partial(probe.mark_delete, SubscriptionHandle(topic, session.unique(subscription))))
            before = place if isinstance(place, str | None) else [one.value for one in seen if one.id.position <= place]
            yield f"place of {subscription} in {name}: {before}"


def _received(probe: PulsarProbe, topic: str, subscription: str) -> Any:
    """The messages that a new subscription receives, or what came instead."""
    consumer = said(lambda: probe.subscribe(topic, subscription))
    if not isinstance(consumer, ConsumerHandle):
        return consumer
    producer = said(lambda: probe.producer(topic))
    if not isinstance(producer, str):  # a topic that is sealed accepts none
        said(lambda: probe.send(producer, SENTINEL))
        said(lambda: probe.close_producer(producer))
    messages = said(lambda: probe.receive_visible(consumer, SENTINEL))
    said(lambda: probe.close_consumer(consumer))
    return messages if isinstance(messages, str) else without_sentinels(messages)
