"""What a scenario knows: its topics, its producers, the last answer, the faults that were armed, and a snapshot from before the When."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from fencepost.adapters.kafka.probe import ClientKind, KafkaProbe, Offer
from fencepost.adapters.kafka.values import (
    OFFSETS,
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
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Session, Time
from fencepost.steps.named import Named
from fencepost.steps.outcomes import achieved, observed
from fencepost.wire.kafka.acls import Right
from fencepost.wire.kafka.batches import MarkerType

from .producer import Producer
from .vocabulary import KAFKA

_DELETED = {"UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID"}
_COMPLETE = {MarkerType.COMMIT: "CompleteCommit", MarkerType.ABORT: "CompleteAbort"}


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
    is_noticed: bool = False
    """Whether it goes on for a while after the answer, in which the coordinator looks for a leader in vain."""


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
    topics: dict[str, str] = field(default_factory=lambda: Named("topic", 'Given a topic "payments" with 2 partitions'))
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

    producers: dict[str, Producer] = field(
        default_factory=lambda: Named("producer", 'Given producers A and B with transactional ids "transfer" and "refund"')
    )
    anonymous: list[ProducerIdAndEpoch] = field(default_factory=list)
    """What clients without a transactional id were given."""

    memberships: dict[str, list[Membership]] = field(
        default_factory=lambda: Named("member of a group", 'Given A is a member of group "shop"')
    )
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
        if name.endswith('"'):
            return self.partition_of_group(name.split('"')[1])
        topic, _, number = name.rpartition("-")
        return TopicPartition(self.topics.get(topic) or self.session.unique(topic), int(number))

    def partition_of_group(self, group: str) -> TopicPartition:
        """Where a group's offsets are kept: what the coordinator says of a transaction that has them, or else Kafka's rule.

        NotOffered where clients do not see such a topic.
        """
        unique = self.session.unique(group)
        by_rule = achieved(self.observer.partition_of(unique, OFFSETS), f"looking for the partition of group {group}")
        described = (self.describe(producer) for producer in self._remembered()) if self.can_describe else ()
        named = (where for description in described for where in description.partitions if where.topic == OFFSETS)
        return next(named, by_rule)

    def where(self, names: Iterable[str]) -> list[TopicPartition]:
        """Several partitions as the system knows them."""
        return [self.partition(name) for name in names]

    def version(self, producer: Producer, api: str) -> int:
        """The version in which a producer sends a request: the one that was said, or the newest that a client of its kind knows."""
        said = self.versions.get((producer.name, api))
        if said is not None:
            return said
        return (ClientKind.OLD if producer.is_old else ClientKind.NEW).version(producer.probe, api)

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

        When patience ends first, the sentence that follows judges what there is. Where DescribeTransactions is not offered, the ends that
        producers have asked for are waited for.
        """
        transactional = [producer for producer in self.producers.values() if producer.transactional_id]
        if not self.can_describe:
            for producer in transactional:
                state = self.completed(producer) if producer.ended_in and not producer.is_incomplete else None
                self.states[producer.transactional_id] = state.value if isinstance(state, Done) else "not told"
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

    def completed(self, producer: Producer) -> Outcome[str]:
        """The state in which a producer's last transaction is over: nothing open, no marker on its way. Unknown when patience ends first.

        Where DescribeTransactions is not offered, every partition that the producer wrote to must hold its marker.
        """
        if self.can_describe:
            match self.observer.settled(producer.transactional_id):
                case Done(description):
                    return Done(description.state)
                case trouble:
                    return trouble
        for _ in self.time.attempts():
            if self.is_over(producer):
                return Done(next((_COMPLETE[marker] for marker in self._markers(producer) if marker), "Empty"))
        return Unknown(f"a partition that {producer.name} wrote to in its transaction has no marker of it")

    def is_over(self, producer: Producer) -> bool:
        """Whether no transaction of a producer is open, and no marker on its way."""
        return self.describe(producer).is_settled if self.can_describe else None not in self._markers(producer)

    def is_open(self, producer: Producer) -> bool:
        """Whether the coordinator says that a producer's transaction is Ongoing; where it says nothing, whether one has no marker."""
        return self.describe(producer).state == "Ongoing" if self.can_describe else None in self._markers(producer)

    def _markers(self, producer: Producer) -> set[MarkerType | None]:
        """How a producer's last transaction ended, by what is in the partitions that it wrote to; None where the marker is missing."""
        looks = {
            where: self.observer.last_marker(where, producer.current.producer_id)
            for where in producer.ended_in or producer.written | producer.added
        }
        there = {where: look for where, look in looks.items() if not (isinstance(look, Refused) and look.error in _DELETED)}
        markers = {observed(look, f"looking for the marker of {producer.name} in {where}") for where, look in there.items()}
        return markers | {None for group, where in producer.groups.items() if self._is_alone_in(group) and self._is_pending(group, where)}

    def _is_alone_in(self, group: str) -> bool:
        return sum(group in producer.groups for producer in self.producers.values()) == 1

    def _is_pending(self, group: str, partition: TopicPartition) -> bool:
        look = self.observer.committed_offset(group, partition, require_stable=True, retry=False)
        return isinstance(look, Refused) and look.error == "UNSTABLE_OFFSET_COMMIT"

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
