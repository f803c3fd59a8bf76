"""Requests to a broker with scalable topics on one connection: the segments of a topic, and the coordinators of its transactions.

Each request also opens a session for updates, and closes it after the first answer: the next request gets the state of that time. A broker
without the feature in CONNECTED gets no such request, since it would close the connection.
"""

from collections.abc import Mapping

from google.protobuf.message import Message

from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame

from .call_outcomes import read_answer
from .connection import ClientConnection
from .layout_reading import layout_of_update
from .layout_values import ReportedLayout
from .pulsar_values import ActiveSegment

SCALABLE_TOPICS = "supports_scalable_topics"
TC_METADATA_DISCOVERY = "supports_tc_metadata_discovery"
"""The flags of the features, as CONNECTED has them."""


def check_offered(connection: ClientConnection, feature: str) -> None:
    """Raises NotOffered if the broker's CONNECTED does not have the feature."""
    if feature not in connection.features:
        raise NotOffered(f"scalable topics: {connection.address} does not say {feature} in CONNECTED")


def layout(connection: ClientConnection, topic: str, number: int, within_s: float) -> Outcome[ReportedLayout]:
    """SCALABLE_TOPIC_LOOKUP: the whole layout. `number` is that of the session. Raises NotOffered, and Malformed for an unsound layout."""
    check_offered(connection, SCALABLE_TOPICS)
    asked = pb.CommandScalableTopicLookup(session_id=number, topic=topic, create_if_missing=False)
    return read_answer(_asked(connection, asked, pb.CommandScalableTopicClose(session_id=number), within_s), layout_of_update)


def segments(connection: ClientConnection, topic: str, number: int, within_s: float) -> Outcome[tuple[ActiveSegment, ...]]:
    """SCALABLE_TOPIC_LOOKUP: only the active segments, by their hashes."""
    return layout(connection, topic, number, within_s).converted(_segments)


def coordinators(connection: ClientConnection, number: int, within_s: float) -> Outcome[Mapping[int, str | None]]:
    """WATCH_TC_ASSIGNMENTS: the service URL of each coordinator's broker. `number` is that of the watch. Raises NotOffered."""
    check_offered(connection, TC_METADATA_DISCOVERY)
    asked = pb.CommandWatchTcAssignments(watch_id=number)
    return read_answer(_asked(connection, asked, pb.CommandWatchTcAssignmentsClose(watch_id=number), within_s), _coordinators)


def _asked(connection: ClientConnection, request: Message, close: Message, within_s: float) -> Done[Frame] | Unknown:
    answer = connection.answer(connection.ask(request), within_s)
    connection.notify(close)
    return answer


def _segments(layout: ReportedLayout) -> tuple[ActiveSegment, ...]:
    return tuple(ActiveSegment(one.number, one.first_hash, one.last_hash, one.topic, one.broker) for one in layout.active)


def _coordinators(update: pb.CommandWatchTcAssignmentsUpdate) -> Mapping[int, str | None]:
    if not update.HasField("snapshot"):
        raise Malformed(f"WATCH_TC_ASSIGNMENTS_UPDATE has neither coordinators nor an error: {update}".rstrip())
    return {one.tc_id: one.broker_service_url if one.HasField("broker_service_url") else None for one in update.snapshot.assignments}
