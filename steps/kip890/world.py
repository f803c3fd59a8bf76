"""What a scenario knows: its topics, its producers, the last answer, and how the world was before the When."""

from collections import Counter
from dataclasses import dataclass, field

from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.kafka.values import Appended, Isolation, LogView, ProducerIdAndEpoch, TopicPartition, TransactionDescription
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Session, Time
from fencepost.steps.outcomes import achieved, observed


@dataclass
class Producer:
    """A producer instance. `pairs` are the producer ids and epochs that it was given, the latest last."""

    name: str
    transactional_id: str
    probe: KafkaProbe
    pairs: list[ProducerIdAndEpoch]
    written: set[TopicPartition] = field(default_factory=set)
    is_held_back: bool = False
    """The end of its transaction does not get through, so nobody waits for that."""

    is_forgotten: bool = False
    """Its transactional id has expired, so the coordinator is not asked about it by the way."""

    _next_sequence: Counter[tuple[ProducerIdAndEpoch, TopicPartition]] = field(default_factory=Counter)

    @property
    def pair(self) -> ProducerIdAndEpoch:
        return self.pairs[-1]

    def next_epoch(self) -> ProducerIdAndEpoch:
        return self.pair.with_epoch(self.pair.epoch + 1)

    def next_sequence(self, partition: TopicPartition) -> int:
        """The sequence number that the producer's next record in that partition has."""
        return self._next_sequence[self.pair, partition]

    def write(
        self, partition: TopicPartition, value: str, pair: ProducerIdAndEpoch | None = None, version: int = 12, *, retry: bool = True
    ) -> Outcome[Appended]:
        """One record, with the sequence number that is next for that epoch in that partition."""
        pair = pair or self.pair
        sequence = self._next_sequence[pair, partition]
        outcome = self.probe.produce(
            partition,
            [value],
            producer=pair,
            transactional_id=self.transactional_id,
            sequence=sequence,
            version=version,
            retry=retry and not self.is_held_back,
        )
        if isinstance(outcome, Done):
            self._next_sequence[pair, partition] += 1
            self.written.add(partition)
        return outcome

    def end(
        self, commit: bool, pair: ProducerIdAndEpoch | None = None, version: int = 5, *, retry: bool = True
    ) -> Outcome[ProducerIdAndEpoch | None]:
        """EndTxn; what it answers is adopted by `adopt`, not here, so that a scenario can refuse to."""
        return self.probe.end_txn(
            self.transactional_id, pair or self.pair, commit=commit, version=version, retry=retry and not self.is_held_back
        )


@dataclass(frozen=True)
class Noted:
    """The world just before the When: where each log ended, and what the coordinator said of each transactional id."""

    ends: dict[TopicPartition, int]
    transactions: dict[str, TransactionDescription]


class _Described(dict[str, TransactionDescription]):
    """What the coordinator said, by transactional id. To look up one that was not asked about asks for what is not offered."""

    def __missing__(self, name: str) -> TransactionDescription:
        raise NotOffered(f"DescribeTransactions, which tells what has become of {name}")


@dataclass
class World:
    """The state of one scenario."""

    session: Session
    evidence: Evidence
    topics: dict[str, str] = field(default_factory=dict)
    partitions: list[TopicPartition] = field(default_factory=list)
    producers: dict[str, Producer] = field(default_factory=dict)
    anonymous: list[ProducerIdAndEpoch] = field(default_factory=list)
    """What clients without a transactional id were given."""

    users: dict[str, str] = field(default_factory=dict)
    """As whom the producers have logged in, where they had to."""

    asked: Producer | None = None
    answer: Outcome[object] | None = None
    before: Noted | None = None
    refusals: list[Refused] = field(default_factory=list)
    """What a request was told that was put again and again."""
    raced: dict[str, Outcome[object]] = field(default_factory=dict)
    """What each of two requests was answered that were sent together."""
    watched: dict[TopicPartition, list[LogView]] = field(default_factory=dict)
    """What readers of committed data saw in the course of the When, look by look."""
    history: list[str] = field(default_factory=list)
    """The states in which the coordinator showed a transaction in the course of the When."""
    coordinators: list[int] = field(default_factory=list)
    """The nodes that clients were sent to."""
    states: dict[str, str] = field(default_factory=dict)
    """Where each transaction was when it was last waited for."""

    @property
    def observer(self) -> KafkaProbe:
        """A client that only looks, and is nobody's producer."""
        probe: KafkaProbe = self.session.client("observer")
        return probe

    @property
    def time(self) -> Time:
        return self.session.time

    def partition(self, name: str) -> TopicPartition:
        """`payments-0` as the system knows it."""
        topic, _, number = name.rpartition("-")
        return TopicPartition(self.topics[topic], int(number))

    def producer(self, name: str) -> Producer:
        return self.producers[name]

    def turn_of(self, name: str) -> Producer:
        """The producer that acts now, with the world noted as it is before it does."""
        self.note()
        return self.producers[name]

    def note(self) -> None:
        """Remember the world as it is, for sentences that say what has not changed."""
        ends = {
            partition: achieved(self.observer.end_offset(partition, Isolation.READ_UNCOMMITTED), f"asking where {partition} ends")
            for partition in self.partitions
        }
        known = dict.fromkeys(producer.transactional_id for producer in self.producers.values() if not producer.is_forgotten)
        ids = known if self._can_describe else ()
        self.before = Noted(
            ends, _Described({name: achieved(self.observer.describe_transaction(name), f"describing {name}") for name in ids})
        )

    def noted(self) -> Noted:
        """The world before the When; the linter sees to it that there was one."""
        assert self.before is not None, "a sentence about what has not changed stands before the When"
        return self.before

    def ask(self, producer: Producer | None, answer: Outcome[object]) -> None:
        """Keep what the When asked, for the Then to judge."""
        self.asked, self.answer = producer, answer

    def await_markers(self) -> None:
        """Wait until no marker of a known transaction is on its way; one that is open, or held back, is not waited for.

        When patience ends first, the sentence that follows judges what there is. Where DescribeTransactions is not offered, committed
        data must reach the end of every log instead, so an open transaction uses all patience.
        """
        if not self._can_describe:
            self.states = {producer.transactional_id: "not told" for producer in self.producers.values()}
            self._await_stable_ends()
            return
        held_back = {producer.transactional_id for producer in self.producers.values() if producer.is_held_back}
        forgotten = {producer.transactional_id for producer in self.producers.values() if producer.is_forgotten}
        self.states |= dict.fromkeys(forgotten, "forgotten")
        for name in dict.fromkeys(producer.transactional_id for producer in self.producers.values() if not producer.is_forgotten):
            for _ in self.time.attempts():
                self.states[name] = observed(self.observer.describe_transaction(name), f"describing {name}").state
                if name in held_back or not self.states[name].startswith("Prepare"):
                    break

    @property
    def _can_describe(self) -> bool:
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

    def read(self, partition: TopicPartition, isolation: Isolation) -> LogView:
        """The partition as a reader of that isolation level gets it, once no marker is on its way."""
        self.await_markers()
        return observed(self.observer.read(partition, isolation), f"reading {partition}")
