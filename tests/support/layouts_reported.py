"""Layouts of a scalable topic as a broker sends them, for brokers whose answers a test sets."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer

TOPIC = "topic://public/default/events"
HERE = "pulsar://here:6650"
FLAGS = pb.FeatureFlags(supports_scalable_topics=True, supports_tc_metadata_discovery=True)


class Told(NamedTuple):
    """A segment; it is sealed where `sealed` is an epoch."""

    number: int
    first: int
    last: int
    created: int = 0
    sealed: int | None = None
    parents: Sequence[int] = ()
    children: Sequence[int] = ()

    @property
    def topic(self) -> str:
        return f"segment://public/default/events/{self.first:04x}-{self.last:04x}-{self.number}"


WHOLE = Told(0, 0, 65535)
SPLIT = (
    Told(0, 0, 65535, sealed=1, children=(1, 2)),
    Told(1, 0, 32767, created=1, parents=(0,)),
    Told(2, 32768, 65535, created=1, parents=(0,)),
)
MERGED = (
    SPLIT[0],
    SPLIT[1]._replace(sealed=2, children=(3,)),
    SPLIT[2]._replace(sealed=2, children=(3,)),
    Told(3, 0, 65535, created=2, parents=(1, 2)),
)


def segment(number: int) -> str:
    """The name of one of these as a topic."""
    return next(one.topic for one in MERGED if one.number == number)


def reported(session: int, epoch: int, *segments: Told) -> pb.CommandScalableTopicUpdate:
    """SCALABLE_TOPIC_UPDATE."""
    dag = pb.ScalableTopicDAG(epoch=epoch, segments=[_info(one) for one in segments], controller_broker_url=HERE)
    dag.segment_brokers.extend(pb.SegmentBrokerAddress(segment_id=one.number, broker_url=HERE) for one in segments if one.sealed is None)
    return pb.CommandScalableTopicUpdate(session_id=session, dag=dag, resolved_topic_name=TOPIC)


def described(epoch: int, *segments: Told) -> AdminAnswer:
    """The answer of the admin interface."""
    body = {"epoch": epoch, "nextSegmentId": len(segments), "segments": {str(index): _plain(one) for index, one in enumerate(segments)}}
    return AdminAnswer(200, json.dumps(body).encode())


def assigned(epoch: int, *numbers: int) -> pb.ScalableConsumerAssignment:
    """An assignment of these segments."""
    segments = [
        pb.AssignedSegment(segment_id=one.number, hash_start=one.first, hash_end=one.last, segment_topic=one.topic)
        for one in MERGED
        if one.number in numbers
    ]
    return pb.ScalableConsumerAssignment(layout_epoch=epoch, segments=segments)


def _info(one: Told) -> pb.SegmentInfoProto:
    return pb.SegmentInfoProto(
        segment_id=one.number,
        hash_start=one.first,
        hash_end=one.last,
        state=pb.ACTIVE if one.sealed is None else pb.SEALED,
        parent_ids=one.parents,
        child_ids=one.children,
        created_at_epoch=one.created,
        sealed_at_epoch=one.sealed,
        created_at_ms=1,
    )


def _plain(one: Told) -> dict[str, Any]:
    return {
        "segmentId": one.number,
        "hashRange": {"start": one.first, "end": one.last},
        "state": "ACTIVE" if one.sealed is None else "SEALED",
        "parentIds": list(one.parents),
        "childIds": list(one.children),
        "createdAtEpoch": one.created,
        "sealedAtEpoch": -1 if one.sealed is None else one.sealed,
    }
