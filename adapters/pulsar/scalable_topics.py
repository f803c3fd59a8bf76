"""The calls about scalable topics: they are made and deleted by an administrator, and clients find their segments, which are topics.

A broker that does not say in CONNECTED that it has them raises NotOffered.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .administration import AdminCalls
from .errors import LOOKING
from .scalable_lookups import SCALABLE_TOPICS, check_offered, segments
from .values import Segment

T = TypeVar("T")


class ScalableTopicCalls(AdminCalls):
    """What is asked of scalable topics, by their full names: topic://tenant/namespace/topic."""

    def create_scalable_topic(self, topic: str, segments: int = 1) -> Outcome[None]:
        """Create a scalable topic with that many segments, which share the hashes of keys equally."""
        return self._offered(lambda: self._change("PUT", _path(topic), {"numInitialSegments": str(segments)}))

    def delete_scalable_topic(self, topic: str) -> Outcome[None]:
        """Delete a scalable topic with all its segments, also when it is in use."""
        return self._offered(lambda: self._change("DELETE", _path(topic), {"force": "true"}))

    def create_scalable_subscription(self, topic: str, subscription: str) -> Outcome[None]:
        """Make a subscription of a scalable topic: on every segment, from the earliest message on."""
        return self._offered(lambda: self._change("PUT", f"{_path(topic)}/subscriptions/{subscription}"))

    def segments(self, topic: str, *, retry: bool = True) -> Outcome[tuple[Segment, ...]]:
        """SCALABLE_TOPIC_LOOKUP: the active segments, in the order of their hashes."""

        def attempt() -> Outcome[tuple[Segment, ...]]:
            match self._client.connection():
                case Done(connection):
                    return segments(connection, topic, self._client.next_request(), ANSWER_WITHIN_S)
                case trouble:
                    return trouble

        return self._patiently(attempt, _is_for_later, retry=retry)

    def scalable_coordinators(self, *, retry: bool = True) -> Outcome[Mapping[int, str | None]]:
        """WATCH_TC_ASSIGNMENTS: for each coordinator of scalable transactions the service URL of its broker, None where none is told."""
        return self._patiently(self._client.scalable_coordinators, _is_for_later, retry=retry)

    def _offered(self, act: Callable[[], Outcome[T]]) -> Outcome[T]:
        """Ask a broker that has the feature. Raises NotOffered."""
        match self._located(self._client.connection):
            case Done(connection):
                check_offered(connection, SCALABLE_TOPICS)
                return act()
            case trouble:
                return trouble


def _path(topic: str) -> str:
    return f"/admin/v2/scalable/{topic.partition('://')[2]}"


def _is_for_later(outcome: Outcome[object]) -> bool:
    return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in LOOKING)
