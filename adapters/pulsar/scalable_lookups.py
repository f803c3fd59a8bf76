"""What a broker with scalable topics is asked on one connection: the segments of a topic, and the coordinators of its transactions.

Each question asks for news as well, and is closed when it is answered: the next one gets what is so by then. A broker that does not say
in CONNECTED that it has the feature is not asked, since it would close the connection.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame

from .answers import read_answer
from .connection import Connection
from .values import Segment

SCALABLE_TOPICS = "supports_scalable_topics"
TC_METADATA_DISCOVERY = "supports_tc_metadata_discovery"
"""The flags of the features, as CONNECTED has them."""

_TOPIC, _SEGMENT = "topic://", "segment://"


def check_offered(connection: Connection, feature: str) -> None:
    """Raises NotOffered where the broker does not say that it has the feature."""
    if feature not in connection.features:
        raise NotOffered(f"scalable topics: {connection.address} does not say {feature} in CONNECTED")


def segments(connection: Connection, topic: str, number: int, within_s: float) -> Outcome[tuple[Segment, ...]]:
    """SCALABLE_TOPIC_LOOKUP: the active segments by their hashes. `number` names the session. Raises NotOffered."""
    check_offered(connection, SCALABLE_TOPICS)
    asked = pb.CommandScalableTopicLookup(session_id=number, topic=topic)
    return read_answer(_asked(connection, asked, pb.CommandScalableTopicClose(session_id=number), within_s), _segments)


def coordinators(connection: Connection, number: int, within_s: float) -> Outcome[Mapping[int, str | None]]:
    """WATCH_TC_ASSIGNMENTS: where each coordinator is. `number` names the watch. Raises NotOffered."""
    check_offered(connection, TC_METADATA_DISCOVERY)
    asked = pb.CommandWatchTcAssignments(watch_id=number)
    return read_answer(_asked(connection, asked, pb.CommandWatchTcAssignmentsClose(watch_id=number), within_s), _coordinators)


def _asked(connection: Connection, request: Message, close: Message, within_s: float) -> Done[Frame] | Unknown:
    answer = connection.answer(connection.ask(request), within_s)
    connection.tell(close)
    return answer


def _segments(update: pb.CommandScalableTopicUpdate) -> tuple[Segment, ...]:
    if not update.HasField("dag"):
        raise Malformed(f"SCALABLE_TOPIC_UPDATE has neither a layout nor an error: {update}".rstrip())
    path = update.resolved_topic_name.removeprefix(_TOPIC)
    if path == update.resolved_topic_name:
        raise Malformed(f"SCALABLE_TOPIC_UPDATE is about {path!r}, expected {_TOPIC}TENANT/NAMESPACE/NAME")
    brokers = {one.segment_id: one.broker_url for one in update.dag.segment_brokers}
    active = [one for one in update.dag.segments if one.state == pb.ACTIVE]
    return tuple(
        Segment(one.segment_id, one.hash_start, one.hash_end, _topic_of(one, path), brokers.get(one.segment_id))
        for one in sorted(active, key=lambda one: one.hash_start)
    )


def _topic_of(segment: Any, path: str) -> str:
    """The name of a segment's topic; that of a topic which is not scalable is said."""
    if segment.HasField("legacy_topic_name"):
        return str(segment.legacy_topic_name)
    return f"{_SEGMENT}{path}/{segment.hash_start:04x}-{segment.hash_end:04x}-{segment.segment_id}"


def _coordinators(update: pb.CommandWatchTcAssignmentsUpdate) -> Mapping[int, str | None]:
    if not update.HasField("snapshot"):
        raise Malformed(f"WATCH_TC_ASSIGNMENTS_UPDATE has neither coordinators nor an error: {update}".rstrip())
    return {one.tc_id: one.broker_service_url if one.HasField("broker_service_url") else None for one in update.snapshot.assignments}
