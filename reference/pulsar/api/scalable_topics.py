"""The requests of clients about scalable topics, and the notifications that follow until CLOSE. PIP-460 and PIP-468.

SCALABLE_TOPIC_LOOKUP reports a topic's layouts, WATCH_SCALABLE_TOPICS the topics of a namespace, and WATCH_TC_ASSIGNMENTS the coordinators
of their transactions, which never change after the first answer. Every request is answered, also if there is nothing to report.
"""

from collections.abc import Sequence

from google.protobuf.message import Message as Command

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.node import PulsarNode
from fencepost.reference.pulsar.ownership import coordinator_topic
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable.layout import HASHES, HashRange, Layout, Segment
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.news import TopicChanges, TopicsWatch
from fencepost.wire.pulsar import messages_pb2 as pb

from .peer import Peer, code

_PERSISTENT = "persistent://"


def lookup(peer: Peer, command: pb.CommandScalableTopicLookup) -> None:
    """The layouts of a scalable topic, and the brokers of its segments. A persistent topic that is not scalable is shown as one segment."""
    number = command.session_id
    peer.close_watch(("layout", number))
    try:
        name = peer.node.answers.topic_asked_for(command.topic)
        if command.topic.startswith(_PERSISTENT) and peer.node.scalable.topics.find(name) is None:
            peer.say(pb.CommandScalableTopicUpdate(session_id=number, dag=_legacy(command.topic), resolved_topic_name=name))
            return
        node = peer.node
        watch = node.scalable.newsroom.watch_layout(
            name, lambda layout: _reported(node, number, name, layout), lambda refused: _refused(number, refused)
        )
    except CommandRefused as refused:
        if refused.error is ServerError.INVALID_TOPIC_NAME and peer.node.scalable.profile.impossible_names == "hung-up":
            peer.hang_up()
            return
        rule("PIP460-31")
        peer.say(_refused(number, refused))
    else:
        peer.watch(("layout", number), watch)


def watch_topics(peer: Peer, command: pb.CommandWatchScalableTopics) -> None:
    """The scalable topics of a namespace: first all of them, then those added and removed."""
    number = command.watch_id
    peer.close_watch(("topics", number))
    try:
        watch = peer.node.scalable.newsroom.watch_topics(command.namespace)
    except CommandRefused as refused:
        peer.say(pb.CommandWatchScalableTopicsUpdate(watch_id=number, error=code(refused.error), message=refused.message))
    else:
        peer.watch(("topics", number), _TopicsSession(watch, number))


def watch_tc_assignments(peer: Peer, command: pb.CommandWatchTcAssignments) -> None:
    """The coordinators of scalable topics' transactions, and where each is."""
    there = peer.node.coordinators_of(scalable=True)
    assignments = [pb.TcAssignment(tc_id=tc_id, broker_service_url=peer.node.service_url_of(coordinator_topic(tc_id))) for tc_id in there]
    snapshot = pb.TcAssignmentsSnapshot(parallelism=len(there), assignments=assignments)
    peer.say(pb.CommandWatchTcAssignmentsUpdate(watch_id=command.watch_id, snapshot=snapshot))


def close(peer: Peer, command: pb.CommandScalableTopicClose) -> None:
    """The session gets no more notifications, and this is not answered."""
    if peer.node.answers.hears_that_a_watch_is_closed():
        peer.close_watch(("layout", command.session_id))


def close_topics(peer: Peer, command: pb.CommandWatchScalableTopicsClose) -> None:
    """The watch gets no more notifications, and this is not answered."""
    peer.close_watch(("topics", command.watch_id))


def close_tc_assignments(_peer: Peer, _command: pb.CommandWatchTcAssignmentsClose) -> None:
    """They are never notified of anyway."""


class _TopicsSession:
    """A watch of a namespace as a connection has it."""

    def __init__(self, watch: TopicsWatch, number: int) -> None:
        self._watch = watch
        self._number = number
        self.close = watch.close

    def take(self) -> Command | None:
        return None if (topics := self._watch.take()) is None else _topics_reported(self._number, topics)


def _reported(node: PulsarNode, number: int, name: str, layout: Layout) -> Command:
    return pb.CommandScalableTopicUpdate(session_id=number, dag=_dag(node, name, layout), resolved_topic_name=name)


def _refused(number: int, refused: CommandRefused) -> Command:
    return pb.CommandScalableTopicUpdate(session_id=number, error=code(refused.error), message=refused.message)


def _topics_reported(number: int, topics: TopicChanges) -> Command:
    if topics.is_first:
        return pb.CommandWatchScalableTopicsUpdate(watch_id=number, snapshot=pb.ScalableTopicsSnapshot(topics=topics.added))
    diff = pb.ScalableTopicsDiff(added=topics.added, removed=topics.removed)
    return pb.CommandWatchScalableTopicsUpdate(watch_id=number, diff=diff)


def _dag(node: PulsarNode, name: str, layout: Layout) -> pb.ScalableTopicDAG:
    """The segments, sealed ones too, and the brokers of the active ones."""
    where = node.assigned_url_of if node.answers.gives_segments_their_brokers() else node.service_url_of
    brokers = node.answers.brokers_reported(name, layout, lambda segment: where(segment_topic(name, segment)))
    return pb.ScalableTopicDAG(
        epoch=layout.epoch,
        segments=[_segment(segment, node.answers.parents_reported(segment)) for _, segment in sorted(layout.segments.items())],
        segment_brokers=[pb.SegmentBrokerAddress(segment_id=number, broker_url=url) for number, url in brokers.items()],
        controller_broker_url=node.answers.controller_reported(name, lambda: node.controller_url_of(name)),
    )


def _legacy(topic: str) -> pb.ScalableTopicDAG:
    return pb.ScalableTopicDAG(epoch=0, segments=[_segment(Segment(0, HashRange(0, HASHES - 1)), (), topic)])


def _segment(segment: Segment, parents: Sequence[int], legacy_topic_name: str | None = None) -> pb.SegmentInfoProto:
    return pb.SegmentInfoProto(
        segment_id=segment.number,
        hash_start=segment.hashes.first,
        hash_end=segment.hashes.last,
        state=pb.ACTIVE if segment.is_active else pb.SEALED,
        parent_ids=parents,
        child_ids=segment.children,
        created_at_epoch=segment.created_at_epoch,
        sealed_at_epoch=segment.sealed_at_epoch,
        created_at_ms=segment.created_ms,
        sealed_at_ms=segment.sealed_ms,
        legacy_topic_name=legacy_topic_name,
    )
