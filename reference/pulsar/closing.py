"""Unloads or deletes topics, and notifies the clients whose producers and consumers are closed by that."""

from collections.abc import Callable, Iterable

from fencepost.wire.pulsar import messages_pb2 as pb

from .api.peer import UNASKED, Peer
from .node import PulsarNode


def unload(node: PulsarNode, peers: Iterable[Peer], topic: str) -> None:
    """Unload a loaded topic from its node."""
    node.owner_of(topic).unload(topic)
    _close(peers, topic)


def delete(node: PulsarNode, peers: Iterable[Peer], topic: str) -> None:
    """Delete a loaded topic, with everything that it stored."""
    node.owner_of(topic).delete(topic)
    _close(peers, topic)


def close_producers(peers: Iterable[Peer], topic: str, *, is_sealed: bool = False) -> None:
    """Notify the producers of a topic that they are closed; the topic does not know them any more."""
    for peer in peers:
        for number in [number for number, (name, _) in peer.producers.items() if name == topic]:
            del peer.producers[number]
            if is_sealed:
                peer.sealed[number] = topic
            peer.say(pb.CommandCloseProducer(producer_id=number, request_id=UNASKED))


class ConnectedClients:
    """The clients that are connected to any node of a broker, for parts of it that have no connection at hand."""

    def __init__(self, peers: Callable[[], Iterable[Peer]]) -> None:
        self._peers = peers

    def close_producers(self, topic: str, *, is_sealed: bool = False) -> None:
        """Notify the producers of a topic that they are closed; if it is sealed, what they still send is refused later."""
        close_producers(self._peers(), topic, is_sealed=is_sealed)

    def close(self, topic: str) -> None:
        """Notify the producers and the consumers of a topic that they are closed."""
        _close(self._peers(), topic)


def _close(peers: Iterable[Peer], topic: str) -> None:
    close_producers(peers, topic)
    _close_consumers(peers, topic)


def _close_consumers(peers: Iterable[Peer], topic: str) -> None:
    """The same for its consumers; messages that they have not taken are lost for them."""
    for peer in peers:
        for number in [number for number, (subscription, _) in peer.consumers.items() if subscription.topic == topic]:
            del peer.consumers[number]
            peer.say(pb.CommandCloseConsumer(consumer_id=number, request_id=UNASKED))
