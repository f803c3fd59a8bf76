"""A broker in this process that answers from a script: what each API answers next, and what was asked.

It keeps no state, so it lies whenever its script does: an answer fits the request by its form alone.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.cluster import Cluster
from fencepost.adapters.kafka.inprocess import InProcessKafkaTransport
from fencepost.adapters.kafka.kafka_recording import KafkaRecorder
from fencepost.adapters.kafka.offer import KafkaOffer, VersionRange
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.ports import Time
from fencepost.wire.kafka.entities import API_KEYS, api_of, response

Answer: TypeAlias = Callable[[Any], ResponsePayload | None]

ATTEMPTS = 5
BOOTSTRAP = Address("first", 9092)
SECOND = Address("second", 9092)
EVERYTHING = KafkaOffer({api: VersionRange(0, 17) for api in API_KEYS})


class CountedTime:
    """Patience for a fixed number of attempts, and a clock that stands still."""

    patience_s = 1.0

    def now_ms(self) -> float:
        return 1_700_000_000_789.0

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        del patience
        return iter(range(1, ATTEMPTS + 1))


class ScriptedBroker:
    """Answers each API from its list, the last entry for ever; `asked` has what came, in order, with the node that it came to.

    FindCoordinator and Metadata are answered unless the script says otherwise: everything is at the bootstrap node.
    """

    def __init__(self, **script: list[Answer]) -> None:
        self._script = {"find_coordinator": [coordinator_at(BOOTSTRAP)], "metadata": [leader_at(BOOTSTRAP)]} | script
        self.asked: list[tuple[Address, str]] = []

    def probe(self, offer: KafkaOffer = EVERYTHING, time: Time = CountedTime()) -> tuple[KafkaProbe, KafkaRecorder]:  # noqa: B008 - it keeps nothing
        """A probe of this broker, and what records its calls."""
        recorder = KafkaRecorder(time.now_ms)
        cluster = Cluster("test", BOOTSTRAP, lambda _client, address: InProcessKafkaTransport(_At(self, address)), recorder, offer, 1.0)
        return KafkaProbe(cluster, offer, time), recorder

    def count(self, api: str) -> int:
        """How often that API was asked."""
        return sum(name == api for _, name in self.asked)

    def answer(self, address: Address, message: RequestPayload) -> ResponsePayload | None:
        """The next answer of the script."""
        api = api_of(message)
        self.asked.append((address, api))
        answers = self._script[api]
        return (answers.pop(0) if len(answers) > 1 else answers[0])(message)


class _At:
    """The broker, at one of its nodes."""

    def __init__(self, broker: ScriptedBroker, address: Address) -> None:
        self._broker, self._address = broker, address

    def handle(self, request: RequestPayload) -> ResponsePayload | None:
        return self._broker.answer(self._address, request)


def hangs_up(_: Any) -> None:
    """No answer, and the connection is closed."""


def says(**fields: Any) -> Answer:
    """The answer with these fields, in the request's version."""
    return lambda message: response(message, throttle_time=0, **fields)


def coordinator_at(address: Address, error_code: int = 0) -> Answer:
    """FindCoordinator v4 and later: every key is there."""

    def answer(message: Any) -> ResponsePayload:
        found = {"node_id": 1, "host": address.host, "port": address.port, "error_code": error_code, "error_message": None}
        return response(message, throttle_time=0, coordinators=[{"key": key, **found} for key in message.coordinator_keys])

    return answer


def leader_at(address: Address, error_code: int = 0, leader: int = 2, leader_epoch: int = 0) -> Answer:
    """Metadata: every topic has partitions 0 and 1, led by the node at that address, whose id is 2."""
    replicas: dict[str, Any] = {"leader_epoch": leader_epoch, "replica_nodes": [2], "isr_nodes": [2], "offline_replicas": []}

    def answer(message: Any) -> ResponsePayload:
        partitions = [{"error_code": 0, "partition_index": index, "leader_id": leader, **replicas} for index in range(2)]
        return response(
            message,
            throttle_time=0,
            brokers=[{"node_id": 2, "host": address.host, "port": address.port, "rack": None}],
            controller_id=2,
            cluster_id="c",
            topics=[
                {
                    "error_code": error_code,
                    "name": topic.name,
                    "topic_id": None,
                    "is_internal": False,
                    "partitions": [] if error_code else partitions,
                    "topic_authorized_operations": 0,
                }
                for topic in message.topics
            ],
        )

    return answer
