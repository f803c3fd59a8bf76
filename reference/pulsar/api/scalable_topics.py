"""SCALABLE_TOPIC_LOOKUP and WATCH_TC_ASSIGNMENTS: what a client asks of a broker that has scalable topics. PIP-460 and PIP-468.

Either asks to be told of changes as well, until the client says CLOSE. A layout stays as it was made, and so it is said once.
"""

from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.layouts import HASHES, Layout, Segment, resolved
from fencepost.reference.pulsar.ownership import coordinator_topic
from fencepost.wire.pulsar import messages_pb2 as pb

from .peer import Peer, code

_PERSISTENT = "persistent://"


def lookup(peer: Peer, command: pb.CommandScalableTopicLookup) -> None:
    """The segments of a scalable topic, and where each is served. A persistent topic that is not scalable is shown as one segment."""
    try:
        name = resolved(command.topic)
        dag = _dag(peer, command.topic, name)
    except Refused as refused:
        peer.say(pb.CommandScalableTopicUpdate(session_id=command.session_id, error=code(refused.error), message=refused.message))
    else:
        peer.say(pb.CommandScalableTopicUpdate(session_id=command.session_id, dag=dag, resolved_topic_name=name))


def watch_tc_assignments(peer: Peer, command: pb.CommandWatchTcAssignments) -> None:
    """The coordinators of scalable topics' transactions, and where each is."""
    there = range(peer.node.coordinator_count)
    assignments = [pb.TcAssignment(tc_id=tc_id, broker_service_url=peer.node.service_url_of(coordinator_topic(tc_id))) for tc_id in there]
    snapshot = pb.TcAssignmentsSnapshot(parallelism=len(there), assignments=assignments)
    peer.say(pb.CommandWatchTcAssignmentsUpdate(watch_id=command.watch_id, snapshot=snapshot))


def close(_peer: Peer, _command: pb.CommandScalableTopicClose | pb.CommandWatchTcAssignmentsClose) -> None:
    """Nothing more is said in that session or watch, nor is this answered."""


def _dag(peer: Peer, asked: str, name: str) -> pb.ScalableTopicDAG:
    try:
        layout = peer.node.layouts.named(name)
    except Refused:
        if not asked.startswith(_PERSISTENT):
            raise
        return pb.ScalableTopicDAG(epoch=0, segments=[_segment(Segment(0, 0, HASHES - 1), 0, asked)])
    return _dag_of(peer, layout)


def _dag_of(peer: Peer, layout: Layout) -> pb.ScalableTopicDAG:
    return pb.ScalableTopicDAG(
        epoch=0,
        segments=[_segment(segment, layout.created_ms) for segment in layout.segments],
        segment_brokers=[
            pb.SegmentBrokerAddress(segment_id=segment.number, broker_url=peer.node.assigned_url_of(layout.topic_of(segment)))
            for segment in layout.segments
        ],
        controller_broker_url=peer.node.assigned_url_of(layout.name),
    )


def _segment(segment: Segment, created_ms: int, legacy_topic_name: str | None = None) -> pb.SegmentInfoProto:
    return pb.SegmentInfoProto(
        segment_id=segment.number,
        hash_start=segment.first_hash,
        hash_end=segment.last_hash,
        state=pb.ACTIVE,
        created_at_epoch=0,
        created_at_ms=created_ms,
        legacy_topic_name=legacy_topic_name,
    )
