"""What a scenario knows: its topics, its producers, the last answer, the faults that were armed, and a snapshot from before the When."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from fencepost.adapters.kafka.probe import KafkaProbe, Offer
from fencepost.adapters.kafka.values import (
    Appended,
    Isolation,
    LogView,
    Membership,
    ProducerIdAndEpoch,
    TopicPartition,
    TransactionDescription,
)
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Outcome, Refused
from fencepost.contract.ports import Session, Time
from fencepost.steps.outcomes import achieved, observed
from fencepost.wire.kafka.acls import Right

from .producer import Producer
from .vocabulary import KAFKA

_NEW = {"init_producer_id": (4, 5), "produce": (12, 12), "txn_offset_commit": (5, 5), "end_txn": (5, 5)}
_OLD = {"init_producer_id": (3, 5), "produce": (3, 11), "txn_offset_commit": (0, 3), "end_txn": (0, 4)}
_EITHER = {"add_partitions_to_txn": (0, 3), "add_offsets_to_txn": (0, 3)}
"""Which versions of a request a client of transaction version 2 uses, one of version 0, and both; the newest that is offered."""


@dataclass(frozen=True)
class Snapshot:
    """What there was just before the When: the ends of logs, what the coordinator said of each id, and the producer ids that were given."""

    ends: dict[TopicPartition, int]
    transactions: dict[str, TransactionDescription]
    producer_ids: frozenset[int]


class _Described(dict[str, TransactionDescription]):
    """What the coordinator said, by transactional id. To look up one that was not asked about asks for what is not offered."""

    def __missing__(self, name: str) -> TransactionDescription:
        raise NotOffered("DescribeTransactions v0: nothing else that the broker offers tells what has become of a transaction")


@dataclass
class Pause:
    """A node that does nothing, and what it goes on after; None where nothing in the scenario ends the pause."""

    node: int
    until: str | None
    blocked: frozenset[str]
    """The producers whose transactions stay incomplete when the pause is over."""


@dataclass
class Armed:
    """The faults that wait for their request, and who looks on meanwhile."""

    pause: Pause | None = None
    is_starting: bool = False
    """The system was killed and is being started; a request is put again and again."""

    wire: dict[tuple[str, str], str] = field(default_factory=dict)
    """What becomes of the next request, by its client and its API."""

    crashes: dict[str, str] = field(default_factory=dict)
    """When the system crashes with the next EndTxn of a producer."""

    polls_partitions: bool = False
    polls_transaction_of: str | None = None


@dataclass
class ScenarioContext:
    """The state of one scenario."""

    session: Session
    evidence: Evidence
    topics: dict[str, str] = field(default_factory=dict)
    partitions: list[TopicPartition] = field(default_factory=list)
    leaders: dict[TopicPartition, int] = field(default_factory=dict)
    """The nodes that lead partitions, where the scenario has said so."""

    leader_epochs: dict[TopicPartition, int] = field(default_factory=dict)
    """Those in which partitions were led before they moved."""

    replicated: set[TopicPartition] = field(default_factory=set)
    """Partitions that are not written while a node is paused that does not lead them, for all replicas must have what is."""

    slow_topics: set[str] = field(default_factory=set)
    """Topics whose records say that they are seconds apart, so that each batch gets a segment of its own."""

    deleted: dict[str, UUID] = field(default_factory=dict)
    """The topic ids of topics that were deleted, by their names at the system."""

    producers: dict[str, Producer] = field(default_factory=dict)
    anonymous: list[ProducerIdAndEpoch] = field(default_factory=list)
    """What clients without a transactional id were given."""

    memberships: dict[str, list[Membership]] = field(default_factory=dict)
    """The places that producers had in their group, the latest last."""

    rights: set[Right] = field(default_factory=set)
    """What the scenario has allowed, and not taken away."""

    users: dict[str, str] = field(default_factory=dict)
    """As whom the producers have logged in, where they had to."""

    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """The versions that a client uses of a request, by its name and the API, where the scenario has said so."""

    armed: Armed = field(default_factory=Armed)
    asked: Producer | None = None
    request: str = "request"
    """The name of what was asked last, for the report."""

    answer: Outcome[object] | None = None
    asked_partition: TopicPartition | None = None
    asked_time: int | None = None
    features_before: Offer | None = None
    """What ApiVersions said just before the level of a feature was changed."""

    refusals: list[Refused] = field(default_factory=list)
    """What a request was refused with at first that was put again."""

    first_answer: Outcome[object] | None = None
    """What a request was answered that was put again when a paused node had gone on."""

    errors_answered: set[str] = field(default_factory=set)
    """What a request was refused with while the system came back, every single time that it was sent."""

    held_back: str | None = None
    """The coordinator's own word that it did not serve yet, after the last request of the When had been sent while the system came back."""

    polled: dict[TopicPartition, list[LogView]] = field(default_factory=dict)
    """What readers of committed data saw in the course of the When, poll by poll."""

    states_seen: list[str] = field(default_factory=list)
    """The states in which the coordinator showed a transaction in the course of the When."""

    states_since_answer: list[str] = field(default_factory=list)
    """Those from the answer to EndTxn on, poll by poll."""

    states: dict[str, str] = field(default_factory=dict)
    """Where each transaction was when it was last waited for."""

    _before: Snapshot | None = None
    _is_early: bool = False

    @property
    def observer(self) -> KafkaProbe:
        """A client that only looks, and is nobody's producer."""
        probe: KafkaProbe = self.session.client("observer")
        return probe

    @property
    def time(self) -> Time:
        return self.session.time

    def partition(self, name: str) -> TopicPartition:
        """`payments-0` as the system knows it; also where nobody has made such a topic."""
        topic, _, number = name.rpartition("-")
        if topic.startswith("__"):
            return TopicPartition(topic, int(number))
        return TopicPartition(self.topics.get(topic) or self.session.unique(topic), int(number))

    def where(self, names: Iterable[str]) -> list[TopicPartition]:
        """Several partitions as the system knows them."""
        return [self.partition(name) for name in names]

    def version(self, producer: Producer, api: str) -> int:
        """The version in which a producer sends a request: the one that was said, or the newest that a client of its kind knows."""
        said = self.versions.get((producer.name, api))
        if said is not None:
            return said
        lowest, highest = (_EITHER | (_OLD if producer.is_old else _NEW))[api]
        return highest if lowest == highest else producer.probe.newest(api, lowest, highest)

    def turn_of(self, name: str) -> Producer:
        """The producer that acts in the When, with a snapshot from before it does."""
        self.begin()
        return self.producers[name]

    def begin(self) -> None:
        """The When begins: take the snapshot, unless a fault that has begun already had it taken before."""
        if not self._is_early:
            self.snapshot()
        self._is_early = False

    def begin_early(self) -> None:
        """Take the snapshot of the When now, before something that leaves no time or nobody to ask for it later."""
        self.snapshot()
        self._is_early = True

    def snapshot(self) -> None:
        """Remember what there is, for sentences that say what has not changed."""
        ends = {
            partition: achieved(self.observer.end_offset(partition, Isolation.READ_UNCOMMITTED), f"asking where {partition} ends")
            for partition in self.partitions
        }
        ids = [producer.transactional_id for producer in self._remembered()] if self.can_describe else []
        described = {name: achieved(self.observer.describe_transaction(name), f"describing {name}") for name in dict.fromkeys(ids)}
        given = [one.producer_id for producer in self.producers.values() for one in producer.given]
        given += [one.producer_id for one in self.anonymous]
        self._before = Snapshot(ends, _Described(described), frozenset(given))

    @property
    def before(self) -> Snapshot:
        """The snapshot; the linter sees to it that there was a When."""
        assert self._before is not None, "a sentence about what has not changed stands before the When"
        return self._before

    def keep(self, producer: Producer | None, answer: Outcome[object], request: str | None = None) -> None:
        """Keep what the When was answered, for the Then to judge."""
        self.asked, self.answer, self.request = producer, answer, request or self.request

    def await_markers(self) -> None:
        """Wait until no marker of a known transaction is on its way; one that is open or incomplete is not waited for.

        When patience ends first, the sentence that follows judges what there is. Where DescribeTransactions is not offered, committed
        data must reach the end of every log instead, so an open transaction uses all patience.
        """
        transactional = [producer for producer in self.producers.values() if producer.transactional_id]
        if not self.can_describe:
            self.states = {producer.transactional_id: "not told" for producer in transactional}
            self._await_stable_ends()
            return
        incomplete = {producer.transactional_id for producer in transactional if producer.is_incomplete}
        self.states |= {producer.transactional_id: "forgotten" for producer in transactional if producer.is_forgotten}
        for name in dict.fromkeys(producer.transactional_id for producer in self._remembered()):
            for _ in self.time.attempts():
                self.states[name] = observed(self.observer.describe_transaction(name), f"describing {name}").state
                if name in incomplete or not self.states[name].startswith("Prepare"):
                    break

    def _remembered(self) -> list[Producer]:
        return [producer for producer in self.producers.values() if producer.transactional_id and not producer.is_forgotten]

    @property
    def can_describe(self) -> bool:
        """Whether the system tells what has become of transactions."""
        return self.observer.offers("describe_transactions", 0)

    def _await_stable_ends(self) -> None:
        def is_stable(partition: TopicPartition) -> bool:
            ends = {observed(self.observer.end_offset(partition, isolation), f"asking where {partition} ends") for isolation in Isolation}
            return len(ends) == 1

        for _ in self.time.attempts():
            if all(is_stable(partition) for partition in self.partitions):
                return

    def describe(self, producer: Producer) -> TransactionDescription:
        """What the coordinator says of a producer's transactional id now."""
        return observed(self.observer.describe_transaction(producer.transactional_id), f"describing the transaction of {producer.name}")

    def write_plain(self, partition: TopicPartition, value: str) -> Outcome[Appended]:
        """A record without a producer id, in the newest Produce that names topics by name; no version of it means anything else."""
        return self.observer.produce(partition, [value], version=self.observer.newest("produce", 3, 12))

    def end_of(self, partition: TopicPartition) -> int:
        """The offset that the next record of the log would get."""
        return observed(self.observer.end_offset(partition, Isolation.READ_UNCOMMITTED), f"asking where {partition} ends")

    def read(self, partition: TopicPartition, isolation: Isolation, *, version: int | None = None) -> LogView:
        """The partition as a reader of that isolation level gets it, once no marker is on its way; by Fetch of that version."""
        self.await_markers()
        return observed(self.observer.read(partition, isolation, version=version), f"reading {partition}")


@KAFKA.state
def context(session: Session, evidence: Evidence) -> ScenarioContext:
    """The state of this scenario."""
    return ScenarioContext(session, evidence)
