"""The calls about scalable topics: administrators make and delete them, and clients look up their segments, which are topics.

If CONNECTED does not report the feature, they raise NotOffered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .administration import AdminCalls
from .connection import ClientConnection
from .layout_values import ReportedLayout
from .pulsar_error_outcomes import LOOKING
from .pulsar_values import ActiveSegment
from .scalable_lookups import SCALABLE_TOPICS, check_offered, layout, segments

T = TypeVar("T")


class ScalableTopicCalls(AdminCalls):
    """Calls about scalable topics, by their full names: topic://tenant/namespace/topic."""

    def create_scalable_topic(self, topic: str, segments: int = 1) -> Outcome[None]:
        """Create a scalable topic with that many segments, which share the hashes of keys equally."""
        return self._offered(lambda: self._change("PUT", scalable_path(topic), {"numInitialSegments": str(segments)}))

    def delete_scalable_topic(self, topic: str) -> Outcome[None]:
        """Delete a scalable topic with all its segments, even if it is in use."""
        return self._offered(lambda: self._change("DELETE", scalable_path(topic), {"force": "true"}))

    def register_subscription(self, topic: str, subscription: str) -> Outcome[None]:
        """Make a subscription of a scalable topic: on every segment, from the earliest message on."""
        return self._offered(lambda: self._change("PUT", f"{scalable_path(topic)}/subscriptions/{subscription}"))

    def unregister_subscription(self, topic: str, subscription: str) -> Outcome[None]:
        """Remove a subscription of a scalable topic."""
        return self._offered(lambda: self._change("DELETE", f"{scalable_path(topic)}/subscriptions/{subscription}"))

    def segments(self, topic: str, *, retry: bool = True) -> Outcome[tuple[ActiveSegment, ...]]:
        """SCALABLE_TOPIC_LOOKUP: the active segments, in the order of their hashes."""
        return self._looked_up(segments, topic, retry=retry)

    def looked_up(self, topic: str, *, retry: bool = True) -> Outcome[ReportedLayout]:
        """SCALABLE_TOPIC_LOOKUP: the whole layout that clients get, with the broker of each segment, and the controller.

        `topic` may have any of a scalable topic's names; the layout has the full one.
        """
        return self._looked_up(layout, topic, retry=retry)

    def is_asked_first(self, service_url: str) -> bool:
        """Whether this is the URL of the broker that clients and administrators ask first."""
        return self._client.is_asked_first(service_url)

    def scalable_coordinators(self, *, retry: bool = True) -> Outcome[Mapping[int, str | None]]:
        """WATCH_TC_ASSIGNMENTS: for each coordinator of scalable transactions the service URL of its broker, None if none is reported."""
        return self._patiently(self._client.scalable_coordinators, is_for_later, retry=retry)

    def _looked_up(self, ask: Callable[[ClientConnection, str, int, float], Outcome[T]], topic: str, *, retry: bool) -> Outcome[T]:
        def attempt() -> Outcome[T]:
            return self._client.connection().then(
                lambda connection: ask(connection, topic, self._client.next_request(), self._client.deadline_s)
            )

        return self._patiently(attempt, is_for_later, retry=retry)

    def _offered(self, act: Callable[[], Outcome[T]]) -> Outcome[T]:
        """Make a call to a broker that has the feature. Raises NotOffered."""
        match self._located(self._client.connection):
            case Done(connection):
                check_offered(connection, SCALABLE_TOPICS)
                return act()
            case trouble:
                return trouble


def scalable_path(topic: str) -> str:
    """The path of a scalable topic in the admin interface."""
    return f"/admin/v2/scalable/{topic.partition('://')[2]}"


def is_for_later(outcome: Outcome[object]) -> bool:
    """Whether a look got no answer, or a refusal that is retried."""
    return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in LOOKING)
