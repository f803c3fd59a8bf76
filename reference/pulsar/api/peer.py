"""A client as the handlers see it: the running broker, what the client has opened, and a way to send it commands."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from google.protobuf.message import Message as Command

from fencepost.reference.pulsar.node import PulsarNode
from fencepost.reference.pulsar.producers import TopicProducer
from fencepost.reference.pulsar.pulsar_types import SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.subscription import Consumer
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyedRequest
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, Payload, frame_of
from fencepost.wire.pulsar.numbers import MINUS_ONE

UNASKED = MINUS_ONE
"""The request id of commands that the broker sends without a request."""


class Watching(Protocol):
    """A watch that notifies a client until the client closes it, or is gone."""

    def take(self) -> Command | None:
        """The next notification; None if there is nothing new."""
        ...

    def close(self) -> None:
        """End the watch."""
        ...


@dataclass(eq=False)
class Peer:
    """One connection's client."""

    node: PulsarNode
    say_frame: Callable[[Frame], None]
    hang_up: Callable[[], None]
    """Closes the connection."""
    principal: str = ""
    """The principal, as the client gave it when it connected; empty if it did not."""
    claims: dict[tuple[bool, int], Claim] = field(default_factory=dict)
    """The transaction key that the client has at a coordinator, by the coordinator's kind and number."""
    producers: dict[int, tuple[str, TopicProducer]] = field(default_factory=dict)
    """The topics that it produces to, by the number that the client chose."""
    sealed: dict[int, str] = field(default_factory=dict)
    """Its producers that were closed when their segments were sealed, until it uses their numbers for something else."""
    consumers: dict[int, tuple[SubscriptionName, Consumer]] = field(default_factory=dict)

    watches: dict[tuple[str, int], Watching] = field(default_factory=dict)
    """Its watches, by kind and by the number that the client chose."""

    def say(self, command: Command, payload: Payload | None = None) -> None:
        self.say_frame(frame_of(command, payload))

    def send_away(self) -> None:
        """Close the connection: another connection has its transaction key."""
        self.hang_up()

    @property
    def fences(self) -> NodeKeys | None:
        """The transaction keys that refuse this client's requests in fenced transactions; None if none do."""
        keys = self.node.keys
        return keys if keys is not None and keys.asks_of(self.claims) else None

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, topic: str) -> None:
        """A participant refuses requests in a fenced transaction. Raises CommandRefused: INVALID_TXN_STATUS."""
        if self.fences is not None:
            self.node.refuse_fenced(txn, doing, topic)

    def consumer(self, number: int) -> tuple[SubscriptionName, Consumer]:
        """The client's consumer of that number. Raises CommandRefused: CONSUMER_NOT_FOUND when it has none."""
        if number not in self.consumers:
            raise CommandRefused(ServerError.CONSUMER_NOT_FOUND, f"there is no consumer {number} on this connection")
        return self.consumers[number]

    def news(self) -> Frame | None:
        """The next notification of one of its watches; None if none has any.

        Notifications wait in the watches, not among the queued frames.
        """
        return next((frame_of(reported) for watch in self.watches.values() if (reported := watch.take()) is not None), None)

    def watch(self, which: tuple[str, int], watch: Watching) -> None:
        """Send the first notification of that watch, which answers the request for it, and later ones as they come."""
        if (first := watch.take()) is not None:
            self.say(first)
        self.watches[which] = watch

    def close_watch(self, which: tuple[str, int]) -> None:
        """End that watch, if there is one."""
        if (watch := self.watches.pop(which, None)) is not None:
            watch.close()

    def leave(self) -> None:
        """The connection is closed, with all that the client opened on it."""
        if self.node.keys is not None:
            self.node.keys.forget(self)
        for which in list(self.watches):
            self.close_watch(which)
        for name, producer in self.producers.values():
            if (topic := self.node.topics.in_memory(name)) is not None:
                topic.producers.detach(producer)
        for subscription, consumer in self.consumers.values():
            self.detach(subscription, consumer)

    def detach(self, name: SubscriptionName, consumer: Consumer) -> None:
        """Remove a consumer from its subscription, if that is still loaded."""
        if (topic := self.node.topics.in_memory(name.topic)) is not None:
            subscription = topic.subscriptions.get(name.name)
            if subscription is not None and consumer in subscription.consumers:
                subscription.detach(consumer)


def code(error: ServerError) -> str:
    """The protocol's name of an error."""
    return pb.ServerError.Name(pb.ServerError.ValueType(error))


def txn_of(command: Command) -> TxnId | None:
    """The transaction that a command names. (0,0) is one, so presence of the field counts; no client sends only one half."""
    if command.HasField("txnid_least_bits"):
        return TxnId(command.txnid_most_bits, command.txnid_least_bits)  # type: ignore[attr-defined]  # every command with the fields
    return None
