"""A broker of two nodes with scalable topics, for tests that speak to it in raw frames and admin calls."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import Message as Command
from pulsar_reference_client import World

from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import KeyChange, StoreRecord, StoreWatch, Unavailable
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile
from fencepost.reference.scalable.scalable_profile import ScalableProfile
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import Frame, Payload, frame_of

EVENTS = "topic://public/default/events"
ADMIN = "/admin/v2/scalable/public/default/events"


def metadata_kind() -> MetadataKind:
    """Metadata-driven transactions by the text, on a store in memory."""
    data = MemoryData()
    return MetadataKind(MetadataProfile.load("seed"), MetadataParts(), lambda: MemoryStore(data), ScalableProfile.load("seed"))


class Leaving(MemoryStore):
    """A client of a store in memory that does not answer while `away` is set."""

    def __init__(self, data: MemoryData, faults: StoreFaults, away: Callable[[], bool]) -> None:
        super().__init__(data, faults)
        self._away = away

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        self._answer()
        return super().get(key, partition_key=partition_key)

    def put(self, key: str, value: bytes, **how: Any) -> StoreRecord:
        self._answer()
        return super().put(key, value, **how)

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        self._answer()
        return super().scan(first, end, partition_key=partition_key)

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        self._answer()
        return super().watch(first, end, reported)

    def _answer(self) -> None:
        if self._away():
            raise Unavailable("the store is away")


class RawClient:
    """A connection to one node: what is sent to it, and all that it sends."""

    def __init__(self, world: World, node: int = 1) -> None:
        connection = world.broker.connect(node)
        assert connection is not None, f"node {node} is down"
        self.connection = connection
        self._world = world
        self._requests = iter(range(1, 1_000_000))

    def say(self, command: Command, payload: Payload | None = None) -> None:
        """One frame."""
        self.connection.handle(frame_of(command, payload))

    def heard(self) -> list[Frame]:
        """Everything that has been said since the last time, after a moment."""
        self._world.broker.advance(20)
        return list(iter(self.connection.take, None))

    def reported(self) -> list[str]:
        """The names of that."""
        return [frame.name for frame in self.heard()]

    def ask(self, command: Command, payload: Payload | None = None) -> Any:
        """The next frame: the answer, unless another frame was waiting."""
        self.say(command, payload)
        answer = self.connection.take()
        assert answer is not None, f"no answer to {type(command).__name__}"
        return answer.body

    def watch(self, topic: str = EVENTS, session: int = 1) -> Any:
        """SCALABLE_TOPIC_LOOKUP, and its answer."""
        return self.ask(pb.CommandScalableTopicLookup(session_id=session, topic=topic))

    def epochs(self) -> list[int]:
        """The epochs of the layouts that were sent since the last call."""
        return [frame.body.dag.epoch for frame in self.heard() if frame.name == "SCALABLE_TOPIC_UPDATE"]

    def produce(self, topic: str, number: int = 1) -> Any:
        """PRODUCER."""
        return self.ask(pb.CommandProducer(topic=topic, producer_id=number, request_id=next(self._requests)))

    def send(self, value: str, number: int = 1, txn: tuple[int, int] | None = None) -> Any:
        """SEND, and its answer."""
        most, least = txn or (None, None)
        metadata = pb.MessageMetadata(producer_name="raw", sequence_id=0, publish_time=1, txnid_most_bits=most, txnid_least_bits=least)
        command = pb.CommandSend(producer_id=number, sequence_id=0, txnid_most_bits=most, txnid_least_bits=least)
        return self.ask(command, Payload(metadata, value.encode()))

    def subscribe(self, topic: str, subscription: str = "s", number: int = 1, permits: int = 100) -> Any:
        """SUBSCRIBE at the earliest message, shared, and FLOW."""
        answer = self.ask(
            pb.CommandSubscribe(
                topic=topic,
                subscription=subscription,
                sub_type=pb.CommandSubscribe.Shared,
                consumer_id=number,
                request_id=next(self._requests),
                initial_position=pb.CommandSubscribe.Earliest,
            )
        )
        if isinstance(answer, pb.CommandSuccess) and permits:
            self.say(pb.CommandFlow(consumer_id=number, message_permits=permits))
        return answer

    def received(self) -> list[Frame]:
        """The messages that came, and nothing else that was said."""
        return [frame for frame in self.heard() if frame.name == "MESSAGE"]

    def acknowledge(self, message: Frame, txn: tuple[int, int] | None = None) -> Any:
        """ACK of one message, with its answer."""
        most, least = txn or (None, None)
        return self.ask(
            pb.CommandAck(
                consumer_id=message.body.consumer_id,
                ack_type=pb.CommandAck.Individual,
                message_id=[message.body.message_id],
                request_id=next(self._requests),
                txnid_most_bits=most,
                txnid_least_bits=least,
            )
        )

    def begin(self, tc_id: int = 0, timeout_ms: int = 60_000) -> tuple[int, int]:
        """NEW_TXN of a scalable one: most and least bits."""
        answer = self.ask(pb.CommandNewTxn(request_id=next(self._requests), tc_id=tc_id, txn_ttl_millis=timeout_ms, scalable=True))
        return answer.txnid_most_bits, answer.txnid_least_bits

    def end(self, txn: tuple[int, int], action: Any = pb.COMMIT) -> Any:
        """END_TXN of it."""
        return self.ask(
            pb.CommandEndTxn(
                request_id=next(self._requests), txnid_most_bits=txn[0], txnid_least_bits=txn[1], txn_action=action, scalable=True
            )
        )


class ScalableWorld(World):
    """A broker with a profile's behaviour, on a store in memory that can be asked and troubled."""

    def __init__(self, profile: str = "seed", parts: MetadataParts | None = None, *, nodes: int = 2, segments: int = 1) -> None:
        self.data = MemoryData()
        self.faults = StoreFaults()
        parts = parts or MetadataParts()
        self.is_away = False
        """Whether the store answers no client."""
        kind = MetadataKind(MetadataProfile.load(profile), parts, self._connect, ScalableProfile.load(profile))
        super().__init__(profile, parts, nodes=nodes, kinds=[kind])
        if segments:
            assert self.administer("PUT", ADMIN, numInitialSegments=str(segments)).status == 204

    def _connect(self) -> MemoryStore:
        return Leaving(self.data, self.faults, lambda: self.is_away)

    def raw(self, node: int = 1) -> RawClient:
        """A new connection to that node."""
        return RawClient(self, node)

    def at(self, topic: str) -> RawClient:
        """A new connection to the node that has a topic."""
        answer = self.ask(pb.CommandLookupTopic(topic=topic, request_id=1), self.living)
        return self.raw(int(answer.broker_service_url[-1]) + 1)

    @property
    def living(self) -> int:
        """A node that is up."""
        return next(number for number in (1, 2) if self.broker.connect(number) is not None)

    def call(self, method: str, path: str = ADMIN, node: int = 1, **query: str) -> AdminAnswer:
        """An admin call to a node."""
        answer = self.broker.admin(AdminRequest(method, path, query), node)
        assert answer is not None, f"{method} {path} was not answered"
        return answer

    def change(self, what: str, node: int = 1) -> None:
        """Split or merge, such as `split/0`; it must be done."""
        answer = self.call("POST", f"{ADMIN}/{what}", node)
        assert answer.status == 204, answer

    def described(self, path: str = ADMIN, node: int = 1) -> Any:
        """The layout, as the administration shows it."""
        return json.loads(self.call("GET", path, node).body)

    def names(self) -> list[str]:
        """The segments' topics, by their numbers."""
        return list(_names(self.described()))


def _names(described: Any, topic: str = EVENTS) -> Iterator[str]:
    for number, segment in sorted(described["segments"].items(), key=lambda item: int(item[0])):
        hashes = segment["hashRange"]
        yield f"segment://{topic.partition('://')[2]}/{hashes['start']:04x}-{hashes['end']:04x}-{number}"
