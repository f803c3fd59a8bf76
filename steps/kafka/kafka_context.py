"""The state of a scenario: its topics, its producers, the last answer, the armed faults, and a snapshot from before the When."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from fencepost.adapters.kafka.kafka_values import (
    OFFSETS,
    SETTLED,
    Appended,
    GroupMembership,
    IsolationLevel,
    LogView,
    ProducerIdentity,
    TopicPartition,
    TransactionDescription,
)
from fencepost.adapters.kafka.probe import ClientKind, KafkaOffer, KafkaProbe
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Faults, Session, Time
from fencepost.contract.waiting import changes_in
from fencepost.steps.named import NamedThings
from fencepost.steps.stage import Comparisons
from fencepost.steps.step_outcomes import achieved, observed
from fencepost.wire.kafka.acl_codes import Right
from fencepost.wire.kafka.batches import MarkerType

from .producer import ProducerInstance
from .vocabulary import KAFKA

_DELETED = {"UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID"}
LOG, TRANSACTION = "log", "transaction"
"""What sentences compare with its state before the When: a log by its partition, and a transaction by its producer."""

_COMPLETE = {MarkerType.COMMIT: "CompleteCommit", MarkerType.ABORT: "CompleteAbort"}


@dataclass(frozen=True)
class StateBefore:
    """The state just before the When: the ends of logs and the coordinator's descriptions of ids with which a sentence ahead compares, and
    the producer ids that were given."""

    ends: dict[TopicPartition, int]
    transactions: dict[str, TransactionDescription]
    producer_ids: frozenset[int]


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Asked(dict[_Key, _Value]):
    """What was asked for before the When. A look-up of anything else is a fault of the kit: a sentence that `compares` has not marked."""

    def __missing__(self, key: _Key) -> _Value:
        raise AssertionError(f"{key} was not asked for before the When, since no sentence ahead is marked to compare with it")


class _NotDescribed(dict[str, TransactionDescription]):
    """For brokers without DescribeTransactions."""

    def __missing__(self, name: str) -> TransactionDescription:
        raise NotOffered("DescribeTransactions v0: nothing else that the broker offers reports what has become of a transaction")


@dataclass
class Pause:
    """A paused node, and the event after which it goes on; None where nothing in the scenario ends the pause."""

    node: int
    until: str | None
    blocked: frozenset[str]
    """The producers whose transactions stay incomplete when the pause is over."""
    is_noticed: bool = False
    """Whether the pause lasts for a while after the answer, in which the coordinator looks for a leader in vain."""


@dataclass
class Armed:
    """The faults that wait for their request, and what is polled meanwhile."""

    pause: Pause | None = None
    is_starting: bool = False
    """The system was killed and is being started; a request is retried until it is served."""

    wire: dict[tuple[str, str], str] = field(default_factory=dict)
    """What happens to the next request, by its client and its API."""

    crashes: dict[str, str] = field(default_factory=dict)
    """When the system crashes with the next EndTxn of a producer."""

    polls_partitions: bool = False
    polls_transaction_of: str | None = None


@dataclass
class KafkaContext:
    """The state of one scenario."""

    session: Session
    evidence: Evidence
    comparisons: Comparisons = field(default_factory=Comparisons)
    """What the sentences ahead compare with its state before the When."""

    topics: dict[str, str] = field(default_factory=lambda: NamedThings("topic", 'Given a topic "payments" with 2 partitions'))
    partitions: list[TopicPartition] = field(default_factory=list)
    leaders: dict[TopicPartition, int] = field(default_factory=dict)
    """The nodes that lead partitions, where the scenario has set them."""

    leader_epochs: dict[TopicPartition, int] = field(default_factory=dict)
    """The nodes that led partitions before they moved."""

    replicated: set[TopicPartition] = field(default_factory=set)
    """Partitions that cannot be written while a node is paused that does not lead them: all replicas must have the records."""

    slow_topics: set[str] = field(default_factory=set)
    """Topics whose records carry times that are seconds apart, so that each batch gets its own segment."""

    deleted: dict[str, UUID] = field(default_factory=dict)
    """The topic ids of topics that were deleted, by their names at the system."""

    producers: dict[str, ProducerInstance] = field(
        default_factory=lambda: NamedThings("producer", 'Given producers A and B with transactional ids "transfer" and "refund"')
    )
    anonymous: list[ProducerIdentity] = field(default_factory=list)
    """The producer ids and epochs that clients without a transactional id were given."""

    memberships: dict[str, list[GroupMembership]] = field(
        default_factory=lambda: NamedThings("member of a group", 'Given A is a member of group "shop"')
    )
    """The memberships that producers had in their group, the latest last."""

    rights: set[Right] = field(default_factory=set)
    """The rights that the scenario has granted and not taken away."""

    users: dict[str, str] = field(default_factory=dict)
    """The users as whom producers have logged in, where they had to."""

    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """The versions of requests that a client uses, by its name and the API, where the scenario has set them."""

    armed: Armed = field(default_factory=Armed)
    asked: ProducerInstance | None = None
    request: str = "request"
    """The name of the last request, for the report."""

    answer: Outcome[object] | None = None
    asked_partition: TopicPartition | None = None
    asked_time: int | None = None
    features_before: KafkaOffer | None = None
    """The answer of ApiVersions just before the level of a feature was changed."""

    refusals: list[Refused] = field(default_factory=list)
    """The first refusals of a request that was retried."""

    first_answer: Outcome[object] | None = None
    """The answer to a request that was retried when a paused node had gone on."""

    errors_answered: set[str] = field(default_factory=set)
    """The error of each refusal of a request that was retried while the system restarted."""

    held_back: str | None = None
    """What the coordinator answered, after the last request of the When had been sent during a restart, to show that it did not serve yet.
    """

    polled: dict[TopicPartition, list[LogView]] = field(default_factory=dict)
    """What readers of committed data saw during the When, poll by poll."""

    states_seen: list[str] = field(default_factory=list)
    """The states in which the coordinator showed a transaction during the When."""

    states_since_answer: list[str] = field(default_factory=list)
    """The states from the answer to EndTxn on, poll by poll."""

    states: dict[str, str] = field(default_factory=dict)
    """Where each transaction was when it was last waited for."""

    _before: StateBefore | None = None
    _is_early: bool = False
    _seen_settled: dict[str, int] = field(default_factory=dict)
    """The transactional ids of which nothing is open and no marker in flight, each with the number of changes when that was seen."""

    @property
    def observer(self) -> KafkaProbe:
        """A client that only looks, and is no producer of the scenario."""
        probe: KafkaProbe = self.session.client("observer")
        return probe

    @property
    def time(self) -> Time:
        return self.session.time

    @property
    def faults(self) -> Faults:
        """The faults, after which nothing that was seen to be settled need still be so: a crash may lose that all markers were written."""
        self._seen_settled.clear()
        return self.session.faults

    def partition(self, name: str) -> TopicPartition:
        """`payments-0` as the system knows it, even where the scenario has made no such topic."""
        if name.endswith('"'):
            return self.partition_of_group(name.split('"')[1])
        topic, _, number = name.rpartition("-")
        return TopicPartition(self.topics.get(topic) or self.session.unique(topic), int(number))

    def partition_of_group(self, group: str) -> TopicPartition:
        """The partition that keeps a group's offsets: the one that the coordinator names for a transaction that has them, or else by
        Kafka's rule.

        NotOffered where clients do not see such a topic.
        """
        unique = self.session.unique(group)
        by_rule = achieved(self.observer.partition_of(unique, OFFSETS), f"looking for the partition of group {group}")
        described = (self.describe(producer) for producer in self._remembered()) if self.can_describe else ()
        named = (where for description in described for where in description.partitions if where.topic == OFFSETS)
        return next(named, by_rule)

    def where(self, names: Iterable[str]) -> list[TopicPartition]:
        """The names that the system has for several partitions."""
        return [self.partition(name) for name in names]

    def version(self, producer: ProducerInstance, api: str) -> int:
        """The version in which a producer sends a request: the one that the scenario set, or the newest that a client of its kind knows."""
        said = self.versions.get((producer.name, api))
        if said is not None:
            return said
        return (ClientKind.OLD if producer.is_old else ClientKind.NEW).version(producer.probe, api)

    def forget_versions(self, producer: str) -> None:
        """The producer sends each request in the newest version again that a client of its kind knows."""
        self.versions = {key: version for key, version in self.versions.items() if key[0] != producer}

    def turn_of(self, name: str) -> ProducerInstance:
        """The producer that acts in the When, with a snapshot from before it does."""
        self.begin()
        return self.producers[name]

    def begin(self) -> None:
        """The When begins: take the snapshot, unless a fault that has begun already has taken it."""
        if not self._is_early:
            self.snapshot()
        self._is_early = False

    def begin_early(self) -> None:
        """Take the snapshot of the When now, before something that leaves no time or no node to ask for it later."""
        self.snapshot()
        self._is_early = True

    def snapshot(self) -> None:
        """Remember what sentences ahead compare with, which judge that it has not changed."""
        ends = _Asked(
            (partition, achieved(self.observer.end_offset(partition, IsolationLevel.READ_UNCOMMITTED), f"asking where {partition} ends"))
            for partition in self.partitions
            if self.comparisons.has(LOG, self._names_of(partition))
        )
        given = [one.producer_id for producer in self.producers.values() for one in producer.given]
        given += [one.producer_id for one in self.anonymous]
        self._before = StateBefore(ends, self._described() if self.can_describe else _NotDescribed(), frozenset(given))

    def _described(self) -> dict[str, TransactionDescription]:
        names: dict[str, list[str]] = {}
        for producer in self._remembered():
            names.setdefault(producer.transactional_id, []).append(producer.name)
        compared = [one for one, producers in names.items() if self.comparisons.has(TRANSACTION, producers)]
        return _Asked((one, achieved(self.observer.describe_transaction(one), f"describing {one}")) for one in compared)

    def _names_of(self, partition: TopicPartition) -> list[str]:
        """What the scenario calls a partition."""
        return [f"{name}-{partition.partition}" for name, topic in self.topics.items() if topic == partition.topic]

    def meet_coordinators(self) -> None:
        """Find each transactional id's coordinator and connect to it, so that no time is spent on that when it is asked while it starts."""
        for name in dict.fromkeys(producer.transactional_id for producer in self._remembered()):
            achieved(self.observer.meet_coordinator(name), f"connecting to the coordinator of {name}")

    @property
    def before(self) -> StateBefore:
        """The snapshot; the linter makes sure that there was a When."""
        assert self._before is not None, "a sentence about what has not changed stands before the When"
        return self._before

    def keep(self, producer: ProducerInstance | None, answer: Outcome[object], request: str | None = None) -> None:
        """Keep the answer to the When, for the Then to judge."""
        self.asked, self.answer, self.request = producer, answer, request or self.request

    def await_markers(self) -> None:
        """Wait until no marker of a known transaction is in flight; one that is open or incomplete is not waited for.

        When patience ends first, the sentence that follows judges the state at that time. What was seen to be settled is not asked again
        if nothing was requested since that may change anything. Where DescribeTransactions is not offered, the step waits for the ends
        that producers have requested.
        """
        transactional = [producer for producer in self.producers.values() if producer.transactional_id]
        if not self.can_describe:
            for producer in transactional:
                state = self.completed(producer) if producer.ended_in and not producer.is_incomplete else None
                self.states[producer.transactional_id] = state.value if isinstance(state, Done) else "not answered"
            return
        incomplete = {producer.transactional_id for producer in transactional if producer.is_incomplete}
        self.states |= {producer.transactional_id: "forgotten" for producer in transactional if producer.is_forgotten}
        changes = changes_in(self.time)
        for name in dict.fromkeys(producer.transactional_id for producer in self._remembered()):
            if changes is not None and self._seen_settled.get(name) == changes:
                continue
            for _ in self.time.attempts():
                self.states[name] = observed(self.observer.describe_transaction(name), f"describing {name}").state
                if name in incomplete or not self.states[name].startswith("Prepare"):
                    break
            if changes is not None and self.states[name] in SETTLED:
                self._seen_settled[name] = changes

    def _remembered(self) -> list[ProducerInstance]:
        return [producer for producer in self.producers.values() if producer.transactional_id and not producer.is_forgotten]

    @property
    def can_describe(self) -> bool:
        """Whether the system offers a way to learn how a transaction ended."""
        return self.observer.offers("describe_transactions", 0)

    def completed(self, producer: ProducerInstance) -> Outcome[str]:
        """The state in which a producer's last transaction is over: nothing open, no marker in flight. Unknown when patience ends first.

        Where DescribeTransactions is not offered, every partition that the producer wrote to must hold its marker.
        """
        if self.can_describe:
            return self.observer.settled(producer.transactional_id).converted(lambda description: description.state)
        for _ in self.time.attempts():
            if self.is_over(producer):
                return Done(next((_COMPLETE[marker] for marker in self._markers(producer) if marker), "Empty"))
        return Unknown(f"a partition that {producer.name} wrote to in its transaction has no marker of it")

    def is_over(self, producer: ProducerInstance) -> bool:
        """Whether no transaction of a producer is open, and no marker in flight."""
        return self.describe(producer).is_settled if self.can_describe else None not in self._markers(producer)

    def is_open(self, producer: ProducerInstance) -> bool:
        """Whether the coordinator shows a producer's transaction as Ongoing; if it cannot be asked, whether one has no marker."""
        return self.describe(producer).state == "Ongoing" if self.can_describe else None in self._markers(producer)

    def _markers(self, producer: ProducerInstance) -> set[MarkerType | None]:
        """How a producer's last transaction ended, by the markers in the partitions that it wrote to; None where the marker is missing."""
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

    def describe(self, producer: ProducerInstance) -> TransactionDescription:
        """The coordinator's current description of a producer's transactional id."""
        return observed(self.observer.describe_transaction(producer.transactional_id), f"describing the transaction of {producer.name}")

    def write_plain(self, partition: TopicPartition, value: str) -> Outcome[Appended]:
        """Write a record without a producer id, by the newest Produce that names topics by name; all versions treat it alike."""
        return self.observer.produce(partition, [value], version=self.observer.newest("produce", 3, 12))

    def end_of(self, partition: TopicPartition) -> int:
        """The offset that the next record of the log would get."""
        return observed(self.observer.end_offset(partition, IsolationLevel.READ_UNCOMMITTED), f"asking where {partition} ends")

    def read(self, partition: TopicPartition, isolation: IsolationLevel, *, version: int | None = None) -> LogView:
        """The partition as a reader of that isolation level gets it, once no marker is in flight; by Fetch of that version."""
        self.await_markers()
        return observed(self.observer.read(partition, isolation, version=version), f"reading {partition}")


@KAFKA.state
def context(session: Session, evidence: Evidence, comparisons: Comparisons) -> KafkaContext:
    """The state of this scenario."""
    return KafkaContext(session, evidence, comparisons)
