"""The calls of the admin interface about scalable topics, for a broker that has any. PIP-468, "Admin API".

Any node answers them. The controller of a topic makes the changes of its layout, on whichever node it is.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus

from fencepost.reference.kernel.rules import rule
from fencepost.reference.scalable.layout import LayoutRefused
from fencepost.reference.scalable.layout_records import described
from fencepost.reference.scalable.names import SEGMENT_DOMAIN, TOPIC_DOMAIN
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .admin_routes import route
from .api.peer import Peer
from .node import PulsarNode
from .server_errors import CommandRefused, ServerError

_TROUBLE = """
 --- An unexpected error occurred in the server ---

Message: {why}

Stacktrace:

java.lang.IllegalArgumentException: {why}
"""
"""The message of 5.0.0-M1 for a change that it refuses, without the rest of the stack."""


def _list(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    rule("PIP460-46")
    return sorted(node.scalable.topics.names_in(named["namespace"]))


def _create(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], request: AdminRequest) -> None:
    if node.topics.is_taken(f"persistent://{named['topic']}"):
        raise CommandRefused(ServerError.NOT_ALLOWED, f"persistent://{named['topic']} is there, and is no scalable topic")
    rule("PIP460-46")
    node.scalable.topics.create(_topic_of(named), int(request.query.get("numInitialSegments", "1")))


def _describe(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    rule("PIP460-46")
    return described(node.scalable.topics.layout(_topic_of(named)))


def _delete(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    _controller(node, named).delete(_topic_of(named))
    node.cluster.ownership.release(_topic_of(named))


def _split(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    return _changed(node, lambda: _controller(node, named).split(_topic_of(named), int(named["number"])))


def _merge(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> object:
    numbers = [int(number) for number in named["numbers"].split("/")]
    return _changed(node, lambda: _controller(node, named).merge(_topic_of(named), numbers))


def _changed(node: PulsarNode, change: Callable[[], None]) -> AdminAnswer | None:
    """Change a layout. A refusal is the client's error, though 5.0.0-M1 reports it as the server's."""
    try:
        rule("PIP460-46")
        change()
    except LayoutRefused as refused:
        if node.scalable.profile.refused_change == "client-error":
            raise
        return AdminAnswer(HTTPStatus.INTERNAL_SERVER_ERROR, json.dumps({"reason": _TROUBLE.format(why=refused)}).encode())
    return None


def _subscribe(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    """Create a subscription of the whole topic, from the earliest message on."""
    _controller(node, named).register(_topic_of(named), named["subscription"])


def _unsubscribe(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    _controller(node, named).unregister(_topic_of(named), named["subscription"])


def _terminate(node: PulsarNode, _peers: Sequence[Peer], named: Mapping[str, str], _request: AdminRequest) -> None:
    """Terminate a segment alone, which its layout still calls active. Raises CommandRefused: TOPIC_NOT_FOUND, INVALID_TOPIC_NAME."""
    segment = f"{SEGMENT_DOMAIN}{named['topic']}/{named['descriptor']}"
    node.scalable.topics.segment(segment)
    node.segments.terminate(segment)


def _controller(node: PulsarNode, named: Mapping[str, str]) -> ScalableTopics:
    """The scalable topics of the node that controls this one."""
    asked = node.controller_of(_topic_of(named)) if node.answers.has_the_controller_do_it() else node
    return asked.scalable.topics


def _topic_of(named: Mapping[str, str]) -> str:
    return f"{TOPIC_DOMAIN}{named['topic']}"


_SCALABLE = "/admin/v2/scalable/{topic}"
ROUTES = [
    route("GET", "/admin/v2/scalable/{namespace}", _list),
    route("PUT", _SCALABLE, _create),
    route("GET", _SCALABLE, _describe),
    route("DELETE", _SCALABLE, _delete),
    route("POST", f"{_SCALABLE}/split/{{number}}", _split),
    route("POST", f"{_SCALABLE}/merge/{{numbers}}", _merge),
    route("PUT", f"{_SCALABLE}/subscriptions/{{subscription}}", _subscribe),
    route("DELETE", f"{_SCALABLE}/subscriptions/{{subscription}}", _unsubscribe),
    route("POST", "/admin/v2/segments/{topic}/{descriptor}/terminate", _terminate),
]
"""The calls that a broker without scalable topics does not know."""
