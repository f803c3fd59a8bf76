"""Watches: a broker sends a client the layouts of a topic, or the scalable topics of a namespace, until the client closes the watch.

Every update is kept, whatever the client does meanwhile, including those after it has closed the watch. A watch lives
as long as its connection: after a lost one a new watch begins with the current state. PIP-468, "DAG watch".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from google.protobuf.message import Message

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb

from .call_outcomes import read_answer, refusal_in
from .client import PulsarClient, parse_service_url
from .connection import ClientConnection
from .layout_calls import LayoutCalls
from .layout_reading import layout_of_update
from .layout_values import LayoutWatchHandle, ReportedLayout, TopicsWatchHandle
from .scalable_lookups import SCALABLE_TOPICS, check_offered
from .scalable_topics import is_for_later

T = TypeVar("T")

LOOK_S = 0.05
"""The longest wait for an update before the session's patience is checked again."""


@dataclass
class _Held:
    """A watch as this client holds it: its connection, and its number there."""

    kind: str
    connection: ClientConnection
    number: int

    def reported(self) -> Sequence[Any]:
        """All updates after the first answer, without waiting."""
        return [frame.body for frame in self.connection.pushed_to(self.kind, self.number)]


class WatchCalls(LayoutCalls):
    """Watches of layouts and of namespaces."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._watches: dict[int, _Held] = {}

    def watch_layout(self, topic: str, *, broker: str | None = None, retry: bool = True) -> Outcome[LayoutWatchHandle]:
        """SCALABLE_TOPIC_LOOKUP, which opens a watch; Done with the present layout. `broker` is the service URL of the broker to ask."""

        def command(number: int) -> Message:
            return pb.CommandScalableTopicLookup(session_id=number, topic=topic, create_if_missing=False)

        def watch(number: int, answer: Any) -> LayoutWatchHandle:
            return LayoutWatchHandle(topic, number, layout_of_update(answer))

        return self._watch("session", command, watch, broker, retry=retry)

    def layouts_reported(self, watch: LayoutWatchHandle, *, is_remade: bool = False) -> tuple[ReportedLayout, ...]:
        """All layouts that a watch has received, in order, from the first on, without waiting.

        Raises Malformed for an invalid layout, and for one that is older than one before, unless the topic was deleted and made again
        (`is_remade`), whose epochs begin again.
        """
        reported = [layout_of_update(body) for body in self._watches[watch.number].reported() if refusal_in(body) is None]
        layouts = (watch.first, *reported)
        for before, after in itertools.pairwise(layouts):
            if after.epoch < before.epoch and not is_remade:
                raise Malformed(f"{watch.topic} was sent an older layout: epoch {after.epoch} after epoch {before.epoch}")
        return layouts

    def end_reported(self, watch: LayoutWatchHandle) -> Refused | None:
        """The error with which the broker has ended a watch, without waiting; None if it has sent only layouts."""
        reported = [refused for body in self._watches[watch.number].reported() if (refused := refusal_in(body)) is not None]
        return reported[-1] if reported else None

    def watch_scalable_topics(self, namespace: str = "public/default") -> Outcome[TopicsWatchHandle]:
        """WATCH_SCALABLE_TOPICS: Done with the topics of the namespace at that moment."""

        def command(number: int) -> Message:
            return pb.CommandWatchScalableTopics(watch_id=number, namespace=namespace)

        def watch(number: int, answer: Any) -> TopicsWatchHandle:
            return TopicsWatchHandle(namespace, number, _first_topics(answer))

        return self._watch("topics", command, watch, None, retry=True)

    def topics_reported(self, watch: TopicsWatchHandle) -> tuple[frozenset[str], ...]:
        """The topics as received, from the first answer on and after each update, without waiting."""
        found = [watch.first]
        for body in self._watches[watch.number].reported():
            if refusal_in(body) is None:
                found.append(_topics_after(found[-1], body))
        return tuple(found)

    def close_watch(self, watch: LayoutWatchHandle | TopicsWatchHandle) -> None:
        """Close the watch. There is no answer; updates that arrive all the same can still be read."""
        command: Message = (
            pb.CommandScalableTopicClose(session_id=watch.number)
            if isinstance(watch, LayoutWatchHandle)
            else pb.CommandWatchScalableTopicsClose(watch_id=watch.number)
        )
        self._watches[watch.number].connection.notify(command)

    def at_broker(self, service_url: str | None) -> Outcome[ClientConnection]:
        """This client's connection to the broker of that service URL, None for the first. Raises Malformed for an invalid URL."""
        return self._client.connection(_address(service_url))

    def new_connection_to(self, service_url: str | None) -> Outcome[ClientConnection]:
        """One more connection to that broker, which the caller closes."""
        return self._client.new_connection(_address(service_url))

    def _watch(
        self, kind: str, command: Callable[[int], Message], watch: Callable[[int, Any], T], broker: str | None, *, retry: bool
    ) -> Outcome[T]:
        def attempt() -> Outcome[T]:
            match self.at_broker(broker):
                case Done(connection):
                    pass
                case trouble:
                    return trouble
            check_offered(connection, SCALABLE_TOPICS)
            number = self._client.next_request()
            answer = connection.answer(connection.ask(command(number)), self._client.deadline_s)
            opened = read_answer(answer, lambda body: watch(number, body))
            if isinstance(opened, Done):
                self._watches[number] = _Held(kind, connection, number)
            return opened

        return self._patiently(attempt, is_for_later, retry=retry)


def _address(service_url: str | None) -> Address | None:
    if service_url is None:
        return None
    if (address := parse_service_url(service_url)) is not None:
        return address
    raise Malformed(f"a broker is reported to be at {service_url!r}, expected pulsar://HOST:PORT")


def _first_topics(update: pb.CommandWatchScalableTopicsUpdate) -> frozenset[str]:
    """The topics of a namespace as a watch begins. Raises Malformed for a difference: there is nothing before it."""
    if update.WhichOneof("told") == "diff":
        raise Malformed(f"WATCH_SCALABLE_TOPICS_UPDATE begins with a difference, expected all topics: {update}".rstrip())
    return _topics_after(frozenset(), update)


def _topics_after(before: frozenset[str], update: pb.CommandWatchScalableTopicsUpdate) -> frozenset[str]:
    """The topics of a namespace after one update. Raises Malformed."""
    match update.WhichOneof("told"):
        case "snapshot":
            return frozenset(update.snapshot.topics)
        case "diff":
            return before - frozenset(update.diff.removed) | frozenset(update.diff.added)
        case _:
            raise Malformed(f"WATCH_SCALABLE_TOPICS_UPDATE has neither topics nor an error: {update}".rstrip())
