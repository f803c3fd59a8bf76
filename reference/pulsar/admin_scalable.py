"""The calls of the admin interface about scalable topics, of a broker that has any. PIP-468, "Admin API"."""

from collections.abc import Mapping, Sequence

from fencepost.wire.pulsar.admin import AdminRequest

from . import closing
from .admin_routes import route
from .api.peer import Peer
from .cursor import EARLIEST
from .errors import Error, Refused
from .layouts import TOPIC_DOMAIN, Segment
from .node import Node
from .values import SubscriptionType

_NOT_SEALED = -1


def _create(node: Node, _peers: Sequence[Peer], named: Mapping[str, str], request: AdminRequest) -> None:
    if f"persistent://{named['topic']}" in node.topics.names:
        raise Refused(Error.NOT_ALLOWED, f"persistent://{named['topic']} is there, and is no scalable topic")
    node.layouts.create(_topic_of(named), int(request.query.get("numInitialSegments", "1")), node.machine.clock.now)


def _describe(node: Node, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    segments = node.layouts.named(_topic_of(named)).segments
    return {
        "epoch": 0,
        "nextSegmentId": len(segments),
        "segments": {segment.number: _described(segment) for segment in segments},
        "properties": {},
    }


def _described(segment: Segment) -> object:
    return {
        "segmentId": segment.number,
        "hashRange": {"start": segment.first_hash, "end": segment.last_hash},
        "state": "ACTIVE",
        "parentIds": [],
        "childIds": [],
        "createdAtEpoch": 0,
        "sealedAtEpoch": _NOT_SEALED,
    }


def _delete(node: Node, peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    """First its segments: those that came up as topics, and who was to own the others."""
    layout = node.layouts.named(_topic_of(named))
    for segment in layout.topics:
        if segment in node.topics.names:
            node.owner_of(segment).topics.named(segment)
            closing.delete(node, peers, segment)
        node.cluster.ownership.release(segment)
    node.cluster.ownership.release(layout.name)
    node.layouts.delete(layout.name)


def _subscribe(node: Node, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    """Make a subscription from the earliest message on, on every segment where it is not yet."""
    for segment in node.layouts.named(_topic_of(named)).topics:
        topic = node.owner_of(segment).topics.create(segment)
        topic.subscribe(named["subscription"], SubscriptionType.SHARED, EARLIEST, durable=True, compacted=False)


def _topic_of(named: Mapping[str, str]) -> str:
    return f"{TOPIC_DOMAIN}{named['topic']}"


_SCALABLE = "/admin/v2/scalable/{topic}"
ROUTES = [
    route("PUT", _SCALABLE, _create),
    route("GET", _SCALABLE, _describe),
    route("DELETE", _SCALABLE, _delete),
    route("PUT", f"{_SCALABLE}/subscriptions/{{subscription}}", _subscribe),
]
"""What a broker without scalable topics does not know."""
