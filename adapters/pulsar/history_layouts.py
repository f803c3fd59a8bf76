"""The changes of layouts that a session has learnt of, as calls of the controller, for its history.

A change is known from the first layout that shows it, in any client's answer of the admin interface, lookup, or push. It began when a
client of the session first requested it, or else when the last look began that did not show it; and it ended when it was answered, or when
the first layout came that shows it. So the history's order of changes and messages is true.
A topic is no longer followed once it was deleted, or once segments are gone that no client saw in time.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fencepost.contract.errors import Malformed
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import Frame

from .layout_changes import LayoutChange, beginning, between
from .layout_reading import read_answer, read_update
from .layout_values import ReportedLayout
from .pulsar_recording import PulsarCall
from .pulsar_values import is_segment

CONTROLLER = "controller"
"""The client that changes layouts, whichever broker it is."""

_TOPIC = re.compile(r"/admin/v2/scalable/(?P<topic>[^/]+/[^/]+/[^/]+)(?:/(?P<change>split|merge)/(?P<numbers>[0-9/]+))?")
_DELETE, _PUT = "DELETE", "PUT"


@dataclass(frozen=True)
class _Look:
    """A layout that a session received, and the call that had it."""

    layout: ReportedLayout
    call: PulsarCall


@dataclass
class _Topic:
    """The requests about one topic in a session, and what it received."""

    looks: list[_Look] = field(default_factory=list)
    asked: list[tuple[str, frozenset[int], PulsarCall]] = field(default_factory=list)
    """The changes that were requested and not refused: the kind, and the segments that they were to seal; creations seal none."""
    deleted: int | None = None
    """When a client asked to delete the topic."""


def changes(calls: Sequence[PulsarCall]) -> list[PulsarCall]:
    """A call of the controller for each change of each topic."""
    return [call for topic in _topics(calls).values() for call in _of_topic(topic, calls[0])]


def _topics(calls: Sequence[PulsarCall]) -> dict[str, _Topic]:
    topics: defaultdict[str, _Topic] = defaultdict(_Topic)
    for call in calls:
        if (layout := _reported(call)) is not None:
            topics[layout.topic].looks.append(_Look(layout, call))
        match call.request:
            case AdminRequest(method=method, path=path) if found := _TOPIC.fullmatch(path):
                topic = topics[f"topic://{found['topic']}"]
                if found["change"] or method == _PUT:
                    numbers = frozenset(map(int, (found["numbers"] or "").split("/"))) if found["change"] else frozenset()
                    if not _is_refused(call):
                        topic.asked.append((found["change"] or "create", numbers, call))
                elif method == _DELETE and topic.deleted is None:
                    topic.deleted = call.began
    return topics


def _reported(call: PulsarCall) -> ReportedLayout | None:
    """The layout that a call received, sound or not; None if it has none."""
    try:
        match call.request, call.answer:
            case _, Frame(body=pb.CommandScalableTopicUpdate() as update) if update.HasField("dag"):
                layout = read_update(update)
                return layout if all(is_segment(one.topic) for one in layout.segments) else None
            case AdminRequest(method="GET", path=path), AdminAnswer(status=200, body=body) if found := _TOPIC.fullmatch(path):
                return read_answer(f"topic://{found['topic']}", json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, Malformed):
        return None  # the scenario is red because of it
    return None


def _is_refused(call: PulsarCall) -> bool:
    return isinstance(call.answer, AdminAnswer) and 300 <= call.answer.status < 500


def _of_topic(topic: _Topic, first: PulsarCall) -> Iterator[PulsarCall]:
    looks = sorted((look for look in topic.looks if look.call.ended is not None), key=lambda look: look.call.ended or 0)
    newest: ReportedLayout | None = None
    for look in looks:
        if topic.deleted is not None and (look.call.ended or 0) > topic.deleted:
            return
        if newest is None:
            found = beginning(look.layout)
        elif look.layout.epoch > newest.epoch:
            found = between(newest, look.layout)
        else:
            continue
        if found is None:
            return
        newest = look.layout
        yield from (_as_call(change, look.call, topic, first) for change in found)


def _as_call(change: LayoutChange, reported: PulsarCall, topic: _Topic, first: PulsarCall) -> PulsarCall:
    """The change with the times that are known. If nothing is known, it began at the first call of all."""
    meant = (change.name, change.sealed)
    asked = [call for kind, numbers, call in topic.asked if (kind, numbers) == meant and call.began < reported.began]
    answered = [call for call in asked if isinstance(call.answer, AdminAnswer) and call.answer.status < 300 and call.ended is not None]
    before = [
        look.call
        for look in topic.looks
        if look.layout.epoch < change.epoch and look.call.request is not None and (look.call.ended or 0) < (reported.ended or 0)
    ]
    begin = min(asked, key=_began) if asked else max(before, key=_began, default=first)
    end = min([reported, *answered], key=_ended)
    return PulsarCall(
        CONTROLLER, reported.node, change, begin.at_ms, min(begin.began, end.began), one_way=True, ended_ms=end.ended_ms, ended=end.ended
    )


def _began(call: PulsarCall) -> int:
    return call.began


def _ended(call: PulsarCall) -> int:
    return call.ended or 0
