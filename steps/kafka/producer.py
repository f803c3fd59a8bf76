"""A producer of a scenario: what it was given, and what it sends."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fencepost.adapters.kafka.kafka_values import Appended, ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.outcomes import Done, Outcome


@dataclass
class ProducerInstance:
    """A producer instance. `given` are the producer ids and epochs that it was given, the latest last."""

    name: str
    transactional_id: str
    """Empty for a producer that is only idempotent."""

    probe: KafkaProbe
    given: list[ProducerIdentity]
    written: set[TopicPartition] = field(default_factory=set)
    groups: dict[str, TopicPartition] = field(default_factory=dict)
    """The groups to which it has sent offsets in its open transaction, by their names at the system, with a partition of each."""

    added: set[TopicPartition] = field(default_factory=set)
    """The partitions that it has itself added to its open transaction."""

    is_old: bool = field(init=False)
    """A client of transaction version 0: it adds a partition before it writes there, and keeps its epoch. Where the system does not have
    KIP-890's second part, all producers begin as such clients.
    """

    compression: str = "none"
    """The codec of its batches."""

    is_blocked_until_restart: bool = False
    is_forgotten: bool = False
    """Its transactional id has expired, so the coordinator is not asked about it in passing."""

    idle_ms: float = 0
    """How long it was idle until its transactional id had expired."""

    _added_as: ProducerIdentity | None = None
    _next_sequence: Counter[tuple[ProducerIdentity, TopicPartition]] = field(default_factory=Counter)

    adds_first: bool = field(init=False)
    """Whether it adds a partition itself before each write there, and a group before its offsets, even where a sentence names the write
    alone: so do the clients of a system that has only old ones.
    """

    ended_in: set[TopicPartition] = field(default_factory=set)
    """The partitions of its transaction when it asked for the end of its transaction; empty while it has asked for none since it wrote."""

    def __post_init__(self) -> None:
        self.is_incomplete = False
        self.is_old = self.adds_first = self.probe.kind.is_old and bool(self.transactional_id)

    @property
    def is_incomplete(self) -> bool:
        """Whether its transactions stay prepared. Then no step waits for their end, and CONCURRENT_TRANSACTIONS counts as the answer after
        a short time.
        """
        return self.probe.gives_up_soon

    @is_incomplete.setter
    def is_incomplete(self, is_so: bool) -> None:
        self.probe.gives_up_soon = is_so

    @property
    def current(self) -> ProducerIdentity:
        """The producer id and epoch that it uses."""
        return self.given[-1]

    def next_epoch(self) -> ProducerIdentity:
        """Its producer id with the epoch after its own."""
        return self.current.with_epoch(self.current.epoch + 1)

    def next_sequence(self, partition: TopicPartition) -> int:
        """The sequence number that its next record in that partition has."""
        return self._next_sequence[self.current, partition]

    def write(
        self,
        partition: TopicPartition,
        values: Sequence[str],
        *,
        version: int,
        transactional_id: str | None = None,
        identity: ProducerIdentity | None = None,
        sequence: int | None = None,
        retry: bool = True,
    ) -> Outcome[Appended]:
        """One batch, with the next sequence number for that epoch in that partition unless another is named.

        With `retry`, a retriable refusal is retried, for a short time only while completion is blocked.
        """
        identity = identity or self.current
        adds = self.adds_first and transactional_id is None and identity == self.current
        if adds and not isinstance(added := self.add_first(partition), Done):
            return added
        self.ended_in = set()
        outcome = self.probe.produce(
            partition,
            values,
            producer=identity,
            transactional_id=self.transactional_id or None if transactional_id is None else transactional_id,
            sequence=self._next_sequence[identity, partition] if sequence is None else sequence,
            compression=self.compression,
            version=version,
            retry=retry,
        )
        if isinstance(outcome, Done):
            self.has_appended(partition, len(values) if sequence is None else 0, identity)
        return outcome

    def add_first(self, partition: TopicPartition) -> Outcome[None]:
        """AddPartitionsToTxn, unless this producer has already added the partition to the transaction."""
        if self._added_as != self.current:
            self._added_as = self.current
            self.added.clear()
        if partition in self.added:
            return Done(None)
        outcome = self.probe.add_partitions(self.transactional_id, self.current, [partition])
        if isinstance(outcome, Done):
            self.added.add(partition)
        return outcome

    def has_appended(self, partition: TopicPartition, count: int, identity: ProducerIdentity | None = None) -> None:
        """Record that so many records with the next sequence numbers are in that partition."""
        self._next_sequence[identity or self.current, partition] += count
        self.written.add(partition)

    def end(
        self,
        commit: bool,
        *,
        version: int,
        transactional_id: str | None = None,
        identity: ProducerIdentity | None = None,
        retry: bool = True,
    ) -> Outcome[ProducerIdentity | None]:
        """EndTxn; the caller adopts the answered producer id and epoch, so that a scenario can leave that out."""
        self.ended_in = self.ended_in or self.written | self.added
        self.added.clear()
        return self.probe.end_txn(
            self.transactional_id if transactional_id is None else transactional_id,
            identity or self.current,
            commit=commit,
            version=version,
            retry=retry,
        )
