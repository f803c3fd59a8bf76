"""CONNECT, PING, PARTITIONED_METADATA, LOOKUP: what precedes producing and consuming."""

from fencepost.reference.pulsar.ownership import COORDINATORS
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import MAX_MESSAGE

from .peer import Peer


def connect(peer: Peer, command: pb.CommandConnect) -> None:
    """Advertises only the features of scalable topics, if the broker has them.

    There are no passwords here: a client that uses `basic` is the principal that it names.
    """
    if command.auth_method_name == "basic":
        peer.principal = command.auth_data.partition(b":")[0].decode(errors="replace")
    has_scalable = peer.node.has_scalable_topics
    flags = pb.FeatureFlags(supports_scalable_topics=True, supports_tc_metadata_discovery=True) if has_scalable else None
    peer.say(
        pb.CommandConnected(
            server_version="Fencepost reference",
            protocol_version=command.protocol_version,
            max_message_size=MAX_MESSAGE,
            feature_flags=flags,
        )
    )


def ping(peer: Peer, command: pb.CommandPing) -> None:  # noqa: ARG001
    peer.say(pb.CommandPong())


def partitioned_metadata(peer: Peer, command: pb.CommandPartitionedTopicMetadata) -> None:
    is_ours = command.topic == COORDINATORS
    partitions = peer.node.coordinator_count if is_ours else peer.node.topics.partitions(command.topic)
    peer.say(
        pb.CommandPartitionedTopicMetadataResponse(
            request_id=command.request_id,
            partitions=partitions,
            response=pb.CommandPartitionedTopicMetadataResponse.Success,
        )
    )


def lookup(peer: Peer, command: pb.CommandLookupTopic) -> None:
    """Where the owner of a topic is."""
    peer.say(
        pb.CommandLookupTopicResponse(
            request_id=command.request_id,
            broker_service_url=peer.node.service_url_of(command.topic),
            response=pb.CommandLookupTopicResponse.Connect,
        )
    )
