"""SCALABLE_TOPIC_SUBSCRIBE: a consumer of a whole topic registers at the topic's controller, and gets the segments to read. PIP-468.

There is no command to leave with: a consumer is lost with its connection.
"""

from google.protobuf.message import Message as Command

from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable.layout import Segment
from fencepost.reference.scalable.names import resolved, segment_topic
from fencepost.reference.scalable.registrations import Kind
from fencepost.reference.scalable.sessions import ConsumerAssignment, ConsumerSession
from fencepost.wire.pulsar import messages_pb2 as pb

from .peer import Peer, code

_KINDS: dict[int, Kind] = {pb.STREAM: "STREAM", pb.CHECKPOINT: "CHECKPOINT"}


def subscribe(peer: Peer, command: pb.CommandScalableTopicSubscribe) -> None:
    """Answered with the first assignment; later ones follow as they change."""
    peer.close_watch(("stream", command.consumer_id))
    try:
        topic = resolved(command.topic)
        if (controller := peer.node.controller_of(topic)) is not peer.node:
            where = controller.machine.node
            raise CommandRefused(
                ServerError.SERVICE_NOT_READY, f"node {where} is the controller of {topic}; look the topic up and ask there"
            )
        kind = _KINDS[command.consumer_type]
        session = peer.node.scalable.sessions.join(topic, command.subscription, command.consumer_name, kind, peer.hang_up)
    except CommandRefused as refused:
        peer.say(
            pb.CommandScalableTopicSubscribeResponse(request_id=command.request_id, error=code(refused.error), message=refused.message)
        )
        return
    reported = _NotifiedConsumer(session, topic, command.consumer_id, peer.node.answers)
    if (first := session.take()) is not None:
        peer.say(pb.CommandScalableTopicSubscribeResponse(request_id=command.request_id, assignment=reported.shown(first)))
    peer.watches["stream", command.consumer_id] = reported


class _NotifiedConsumer:
    """A session as a connection has it."""

    def __init__(self, session: ConsumerSession, topic: str, number: int, answers: TransactionResponses) -> None:
        self._session = session
        self._topic = topic
        self._number = number
        self._answers = answers
        self.close = session.close

    def take(self) -> Command | None:
        if (assignment := self._session.take()) is None:
            return None
        return pb.CommandScalableTopicAssignmentUpdate(consumer_id=self._number, assignment=self.shown(assignment))

    def shown(self, assignment: ConsumerAssignment) -> pb.ScalableConsumerAssignment:
        """An assignment as the wire has it."""
        return pb.ScalableConsumerAssignment(layout_epoch=assignment.epoch, segments=map(self._assigned, assignment.segments))

    def _assigned(self, segment: Segment) -> pb.AssignedSegment:
        first, last = self._answers.hashes_reported(segment)
        name = segment_topic(self._topic, segment)
        return pb.AssignedSegment(segment_id=segment.number, hash_start=first, hash_end=last, segment_topic=name)
