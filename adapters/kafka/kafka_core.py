"""Kafka as a transactional log: a writer is a transactional id, a log the one partition of a topic, a group a consumer group.

Writers send the requests of KIP-890's new clients, or those of old clients if the system lacks the second part. A writer loses its
transaction to another instance of its transactional id. To reload a log, its broker is killed and restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fencepost.adapters.common.shared_outcomes import without_value
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Faults
from fencepost.contract.transactional_log import Answer

from .client_kind import ClientKind
from .kafka_values import CommittedOffset, IsolationLevel, LogView, ProducerIdentity, TopicPartition
from .probe import KafkaProbe


class KafkaLog:
    """A Kafka system; `client` returns the probe of a named client, `unique` a name that only this session uses."""

    def __init__(self, client: Callable[[str], KafkaProbe], unique: Callable[[str], str], faults: Faults, kind: ClientKind) -> None:
        self._client = client
        self._unique = unique
        self._faults = faults
        self.kind = kind
        self._observer = client("observer")
        self._enders = 0
        self.first = ""
        """The log that was made first: where clients add partitions themselves, a transaction begins by adding it, before any write."""

    @property
    def settles_later(self) -> bool:
        return False  # the coordinator reports whether a transaction is over everywhere

    def create(self, log: str, *, deduplicating: bool = False) -> Outcome[None]:  # noqa: ARG002 - every log is
        self.first = self.first or log
        return self._observer.create_topic(self._unique(log), 1)

    def writer(self, name: str, timeout_ms: int) -> Outcome[KafkaWriter]:
        transactional_id = self._unique(name)
        return (
            self._client(name)
            .init_producer_id(transactional_id, timeout_ms=timeout_ms)
            .converted(lambda producer: KafkaWriter(self, self._client(name), transactional_id, timeout_ms, producer))
        )

    def write(self, log: str, value: str) -> Outcome[None]:
        return without_value(self._observer.produce(self.partition(log), [value], version=self.version("produce")))

    def committed(self, log: str) -> Outcome[Sequence[str]]:
        return self._observer.read(self.partition(log), IsolationLevel.READ_COMMITTED).converted(lambda view: view.values())

    def left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        return self.unread(self._observer, group, log).converted(lambda found: [value for _, value in found])

    def follow(self, log: str) -> Outcome[KafkaFollower]:
        probe, partition = self._client("follower"), self.partition(log)
        return probe.start_offset(partition).converted(lambda start: KafkaFollower(probe, partition, start))

    def place(self, group: str, log: str) -> Outcome[Sequence[str]]:
        match self._observer.committed_offset(self._unique(group), self.partition(log)):
            case Done(offset):
                place = offset or 0
            case trouble:
                return trouble
        return self._observer.read(self.partition(log), IsolationLevel.READ_COMMITTED).converted(
            lambda view: [value for offset, value in view.handed_over() if offset < place]
        )

    def reload(self, log: str) -> Outcome[None]:
        self._faults.crash()
        self._faults.restart()
        # A broker that has restarted may get the request a little before it leads the log.
        return without_value(self._observer.read(self.partition(log), IsolationLevel.READ_COMMITTED))

    def seal(self, log: str) -> Outcome[None]:
        raise NotOffered(
            f"sealing: no partition of Kafka can be closed for writing and be read on, {self.partition(log)} no more than others"
        )

    def connected_ender(self, transactional_id: str) -> Outcome[KafkaProbe]:
        """A client that no other user has, which has found the coordinator, so that its next request is in flight at once."""
        self._enders += 1
        probe = self._client(f"ender-{self._enders}")
        return probe.meet_coordinator(transactional_id).converted(lambda _: probe)

    def unread(self, probe: KafkaProbe, group: str, log: str, *, patient: bool = True) -> Outcome[Sequence[tuple[int, str]]]:
        """Offset and value of the records after the group's position. Pending offsets are awaited, or refused if not `patient`."""
        match probe.committed_offset(self._unique(group), self.partition(log), require_stable=True, retry=patient):
            case Done(offset):
                place = offset or 0
            case trouble:
                return trouble
        match probe.read(self.partition(log), IsolationLevel.READ_COMMITTED):
            case Done(LogView() as view):
                return Done([(offset, value) for offset, value in view.handed_over() if offset >= place])
            case unread:
                return unread

    def version(self, api: str) -> int:
        """The version of a request that writers send."""
        return self.kind.version(self._observer, api)

    def is_over_in(self, log: str, producer_id: int) -> Outcome[bool]:
        """Whether the producer's transaction has a marker in the log."""
        return self._observer.last_marker(self.partition(log), producer_id).converted(lambda marker: marker is not None)

    def is_decided(self, log: str) -> Outcome[bool]:
        """Whether no client has an open transaction in the log."""
        ends = [self._observer.end_offset(self.partition(log), isolation) for isolation in IsolationLevel]
        troubles = [end for end in ends if not isinstance(end, Done)]
        return troubles[0] if troubles else Done(len({end.value for end in ends if isinstance(end, Done)}) == 1)

    def is_stable(self, group: str, log: str) -> Outcome[bool]:
        """Whether no transaction has offsets pending for the group in that log."""
        match self._observer.committed_offset(self._unique(group), self.partition(log), require_stable=True, retry=False):
            case Refused(error="UNSTABLE_OFFSET_COMMIT"):
                return Done(False)
            case Done():
                return Done(True)
            case trouble:
                return trouble

    def partition(self, log: str) -> TopicPartition:
        return TopicPartition(self._unique(log), 0)

    def group(self, name: str) -> str:
        return self._unique(name)


@dataclass
class KafkaFollower:
    """A consumer of committed data that continues from its position."""

    probe: KafkaProbe
    partition: TopicPartition
    position: int
    given: list[str] = field(default_factory=list)

    def seen(self) -> Outcome[Sequence[str]]:
        while True:  # up to the last stable offset, where a page is empty
            match self.probe.page(self.partition, IsolationLevel.READ_COMMITTED, self.position):
                case Done(LogView(batches=())):
                    return Done(self.given)
                case Done(page):
                    self.given += [value for offset, value in page.handed_over() if offset >= self.position]
                    self.position = page.batches[-1].last_offset + 1
                case trouble:
                    return trouble


@dataclass(frozen=True)
class _Written:
    """A write as it was sent."""

    producer: ProducerIdentity
    sequence: int
    value: str


@dataclass
class _Touched:
    """The logs that a transaction wrote to, those that an old client has added, and for each group the log of its offset."""

    logs: set[str] = field(default_factory=set)
    added: set[str] = field(default_factory=set)
    groups: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.logs or self.added or self.groups)


@dataclass
class KafkaWriter:
    """A producer instance of a transactional id."""

    log: KafkaLog
    probe: KafkaProbe
    transactional_id: str
    timeout_ms: int
    producer: ProducerIdentity

    def __post_init__(self) -> None:
        self._sequences: dict[tuple[ProducerIdentity, str], int] = {}
        self._ended_as = self.producer
        self._last: dict[str, _Written] = {}
        self._open = _Touched()
        self._ended = _Touched()

    def begin(self) -> Outcome[None]:
        return self._add(self.log.first) if self.log.kind.is_old else Done(None)

    def write(self, log: str, value: str) -> Outcome[None]:
        if not isinstance(added := self._add(log), Done):
            return added
        outcome = self._produce(log, written := self._next(self.producer, log, value))
        if isinstance(outcome, Done):
            self._open.logs.add(log)
            self._count(log, written)
        return outcome

    def send(self, log: str, value: str) -> Answer:
        if not isinstance(added := self._add(log), Done):
            return lambda: added
        written = self._next(self.producer, log, value)
        self._open.logs.add(log)
        self._count(log, written)
        batch = self.probe.batch_of([value], producer=self.producer, sequence=written.sequence, transactional=True)
        version = self.log.version("produce")
        wait = self.probe.send_produce(self.log.partition(log), batch, transactional_id=self.transactional_id, version=version)
        return lambda: without_value(wait())

    def write_late(self, log: str, value: str) -> Outcome[None]:
        return self._produce(log, self._next(self._ended_as, log, value), retry=False)

    def write_again(self, log: str) -> Outcome[None]:
        return self._produce(log, self._last[log])

    def take(self, group: str, log: str, count: int) -> Outcome[Sequence[str]]:
        match self.log.unread(self.probe, group, log):
            case Done(found) if len(found) < count:
                return Unknown(f"{count} values were to be taken from {log}, and there are {len(found)}")
            case Done(found):
                return self._taken(group, log, found[:count])
            case trouble:
                return trouble

    def take_what_is_free(self, group: str, log: str) -> Outcome[Sequence[str]]:
        match self.log.unread(self.probe, group, log, patient=False):
            case Done(found):
                return self._taken(group, log, found) if found else Done([])
            case Refused(error="UNSTABLE_OFFSET_COMMIT"):
                return Done([])
            case trouble:
                return trouble

    def _taken(self, group: str, log: str, taken: Sequence[tuple[int, str]]) -> Outcome[Sequence[str]]:
        entry, unique = {self.log.partition(log): CommittedOffset(taken[-1][0] + 1)}, self.log.group(group)
        if self.log.kind.is_old and group not in self._open.groups:
            added = self.probe.add_offsets(self.transactional_id, self.producer, unique)
            if not isinstance(added, Done):
                return added
        self._open.groups[group] = log
        version = self.log.version("txn_offset_commit")
        match self.probe.commit_each_offset(self.transactional_id, self.producer, unique, entry, version=version):
            case Done(results):
                refusals = [result for result in results.values() if isinstance(result, Refused)]
                return refusals[0] if refusals else Done([value for _, value in taken])
            case refusal:
                return refusal

    def end(self, commit: bool) -> Outcome[None]:
        self._ended_as = self.producer
        self._close()
        match self.probe.end_txn(self.transactional_id, self.producer, commit=commit, version=self.log.version("end_txn")):
            case Done(producer):
                self.producer = producer or self.producer
                return Done(None)
            case trouble:
                return trouble

    def send_end(self, commit: bool) -> Answer:
        match self.log.connected_ender(self.transactional_id):
            case Done(ender):
                self._ended_as = self.producer
                version = self.log.version("end_txn")
                wait = ender.send_end_txn(self.transactional_id, self.producer, commit=commit, version=version)
            case trouble:
                return lambda: trouble

        def ended() -> Outcome[None]:
            outcome = wait()
            self._close()
            if isinstance(outcome, Done):
                self.producer = outcome.value or self.producer
            return without_value(outcome)

        return ended

    def end_again(self, commit: bool) -> Outcome[None]:
        if self.log.kind.is_old and self._open:
            raise NotOffered("an end that is not that of the open transaction: with transaction version 0 both have the same epoch")
        version = self.log.version("end_txn")
        return without_value(self.probe.end_txn(self.transactional_id, self._ended_as, commit=commit, version=version))

    def lose_transaction(self) -> Outcome[None]:
        return without_value(self.probe.init_producer_id(self.transactional_id, timeout_ms=self.timeout_ms))

    def is_over(self) -> Outcome[bool]:
        if not self.probe.offers("describe_transactions", 0):
            return self._is_over_for_readers()
        return self.probe.describe_transaction(self.transactional_id).converted(lambda description: description.is_settled)

    def _is_over_for_readers(self) -> Outcome[bool]:
        """Whether every log that it wrote to has the marker, and every group a stable offset: for systems without DescribeTransactions.

        A log that was only added need not get a marker, but it must have no open transaction.
        """
        touched = self._open if self._open else self._ended
        looks = [self.log.is_over_in(log, self.producer.producer_id) for log in touched.logs]
        looks += [self.log.is_decided(log) for log in touched.added - touched.logs]
        looks += [self.log.is_stable(group, log) for group, log in touched.groups.items()]
        troubles = [look for look in looks if not isinstance(look, Done)]
        return troubles[0] if troubles else Done(all(look.value for look in looks if isinstance(look, Done)))

    def _add(self, log: str) -> Outcome[None]:
        """Add the partition before a write, as an old client does, unless it is added in this transaction."""
        if log not in self._open.added and self.log.kind.is_old:
            added = self.probe.add_partitions(self.transactional_id, self.producer, [self.log.partition(log)])
            if not isinstance(added, Done):
                return added
            self._open.added.add(log)
        return Done(None)

    def _close(self) -> None:
        if self._open:
            self._ended, self._open = self._open, _Touched()

    def _next(self, producer: ProducerIdentity, log: str, value: str) -> _Written:
        return _Written(producer, self._sequences.get((producer, log), 0), value)

    def _count(self, log: str, written: _Written) -> None:
        self._sequences[written.producer, log] = written.sequence + 1
        self._last[log] = written

    def _produce(self, log: str, written: _Written, *, retry: bool = True) -> Outcome[None]:
        return without_value(
            self.probe.produce(
                self.log.partition(log),
                [written.value],
                producer=written.producer,
                transactional_id=self.transactional_id,
                sequence=written.sequence,
                version=self.log.version("produce"),
                retry=retry,
            )
        )
