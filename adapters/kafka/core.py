"""Kafka as a transactional log: a writer is a transactional id, a log the one partition of a topic, a group a consumer group.

Requests are those of KIP-890's new clients. A writer loses its transaction to another instance of its transactional id.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fencepost.adapters.common.outcomes import without_value
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .probe import KafkaProbe
from .values import CommittedOffset, Isolation, LogView, ProducerIdAndEpoch, TopicPartition


class KafkaLog:
    """A Kafka system; `client` gives the probe of a named client, `unique` a name that only this session uses."""

    def __init__(self, client: Callable[[str], KafkaProbe], unique: Callable[[str], str]) -> None:
        self._client = client
        self._unique = unique
        self._observer = client("observer")

    def create(self, log: str) -> Outcome[None]:
        return self._observer.create_topic(self._unique(log), 1)

    def writer(self, name: str, timeout_ms: int) -> "Outcome[KafkaWriter]":
        transactional_id = self._unique(name)
        match self._client(name).init_producer_id(transactional_id, timeout_ms=timeout_ms):
            case Done(producer):
                return Done(KafkaWriter(self, self._client(name), transactional_id, timeout_ms, producer))
            case trouble:
                return trouble

    def write(self, log: str, value: str) -> Outcome[None]:
        return without_value(self._observer.produce(self.partition(log), [value]))

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        match self._observer.read(self.partition(log), Isolation.READ_COMMITTED):
            case Done(view):
                return Done(view.values())
            case trouble:
                return trouble

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        match self.unread(self._observer, group, log):
            case Done(found):
                return Done([value for _, value in found])
            case trouble:
                return trouble

    def unread(self, probe: KafkaProbe, group: str, log: str) -> Outcome[Sequence[tuple[int, str]]]:
        """Offset and value of what lies behind the group's place; what is pending in a transaction is waited for."""
        match probe.committed_offset(self._unique(group), self.partition(log), require_stable=True):
            case Done(offset):
                place = offset or 0
            case trouble:
                return trouble
        match probe.read(self.partition(log), Isolation.READ_COMMITTED):
            case Done(LogView() as view):
                return Done([(offset, value) for offset, value in view.handed_over() if offset >= place])
            case unread:
                return unread

    def partition(self, log: str) -> TopicPartition:
        return TopicPartition(self._unique(log), 0)

    def group(self, name: str) -> str:
        return self._unique(name)


@dataclass
class KafkaWriter:
    """A producer instance of a transactional id."""

    log: KafkaLog
    probe: KafkaProbe
    transactional_id: str
    timeout_ms: int
    producer: ProducerIdAndEpoch

    def __post_init__(self) -> None:
        self._sequences: dict[tuple[ProducerIdAndEpoch, str], int] = {}
        self._ended_as = self.producer

    def begin(self) -> Outcome[None]:
        return Done(None)

    def write(self, log: str, value: str) -> Outcome[None]:
        sequence = self._sequences.get((self.producer, log), 0)
        outcome = self.probe.produce(
            self.log.partition(log), [value], producer=self.producer, transactional_id=self.transactional_id, sequence=sequence
        )
        if isinstance(outcome, Done):
            self._sequences[self.producer, log] = sequence + 1
        return without_value(outcome)

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        match self.log.unread(self.probe, group, log):
            case Done(found) if len(found) < count:
                return Unknown(f"{count} values were to be taken from {log}, and there are {len(found)}")
            case Done(found):
                taken = found[:count]
            case trouble:
                return trouble
        entry = {self.log.partition(log): CommittedOffset(taken[-1][0] + 1)}
        match self.probe.commit_each_offset(self.transactional_id, self.producer, self.log.group(group), entry):
            case Done(results):
                refusals = [result for result in results.values() if isinstance(result, Refused)]
                return refusals[0] if refusals else Done([value for _, value in taken])
            case refusal:
                return refusal

    def end(self, commit: bool) -> Outcome[None]:
        self._ended_as = self.producer
        match self.probe.end_txn(self.transactional_id, self.producer, commit=commit):
            case Done(producer):
                self.producer = producer or self.producer
                return Done(None)
            case trouble:
                return trouble

    def end_again(self, commit: bool) -> Outcome[None]:
        return without_value(self.probe.end_txn(self.transactional_id, self._ended_as, commit=commit))

    def lose_transaction(self) -> Outcome[None]:
        return without_value(self.probe.init_producer_id(self.transactional_id, timeout_ms=self.timeout_ms))

    def is_over(self) -> Outcome[bool]:
        match self.probe.describe_transaction(self.transactional_id):
            case Done(description):
                return Done(description.is_settled)
            case trouble:
                return trouble
