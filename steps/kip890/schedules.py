"""Schedules: a bounded number of random sequences of requests by a producer, its late twin and a stray marker.

A schedule follows from its number alone, so each run on each system has the same ones. Its requests are sent once and not retried: a
refusal is an answer like others, and a request right after an end meets the markers in flight. At its end a new instance initialises the
transactional id, which aborts what the coordinator knows to be open; a transaction that is open in a log after that cannot be ended by any
client.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from fencepost.adapters.kafka.values import NO_PRODUCER, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.kafka.context import ScenarioContext
from fencepost.steps.kafka.initialising import LONG_TIMEOUT_MS
from fencepost.steps.kafka.probing import last_coordinator_epoch
from fencepost.steps.kafka.producer import Producer
from fencepost.steps.outcomes import achieved, observed, unanswered

from .vocabulary import KIP890

_ACTS = 10


@dataclass
class RandomSchedule:
    """The requests, with their answers; and where a transaction is still open after all was ended."""

    number: int
    done: list[str] = field(default_factory=list)
    accepted_writes: int = 0
    left_open: list[str] = field(default_factory=list)


@KIP890.state
def schedules() -> list[RandomSchedule]:
    """The schedules that the scenario ran."""
    return []


@KIP890.when("{producer} goes through {count:number} random schedules")
def goes_through(context: ScenarioContext, schedules: list[RandomSchedule], producer: str, count: int) -> None:
    """Ten requests for each schedule, then InitProducerId of a new instance, until one has left a transaction open.

    They are Produce v12 and EndTxn v5, of the present pair and of the one before; of an old client AddPartitionsToTxn v3, Produce v11,
    added before or not, and EndTxn v4. In between WriteTxnMarkers v1 aborts the present epoch in one partition, as an operator's tool does.
    """
    one = context.turn_of(producer)
    for number in range(count):
        schedules.append(_Walk(context, one, RandomSchedule(number)).run())
        if schedules[-1].left_open:
            break


@KIP890.then("no schedule has left a transaction open")
def nothing_is_left_open(context: ScenarioContext, schedules: list[RandomSchedule]) -> None:
    """After each request DescribeProducers showed no open transaction of the producer's id in a partition that the coordinator does not
    list, and after each schedule none at all; and some wrote something."""
    if not any(schedule.accepted_writes for schedule in schedules):
        raise SetUpFailed("no write of any schedule was accepted, so nothing could have been left open")
    for schedule in schedules:
        context.evidence.expect(
            not schedule.left_open,
            "none that the coordinator does not list, and none once a new instance has taken over",
            f"{', '.join(schedule.left_open) or 'none'} after schedule {schedule.number}: {'; '.join(schedule.done)}",
            what="open transactions",
        )


class _Walk:
    """One schedule in progress."""

    def __init__(self, context: ScenarioContext, producer: Producer, schedule: RandomSchedule) -> None:
        self._context, self._producer, self._schedule = context, producer, schedule
        self._chance = random.Random(schedule.number)  # noqa: S311 - a schedule is no secret
        self._acts: list[Callable[[], None]] = [self._write, self._write, self._write, self._end, self._mark, self._write_late]
        self._acts += [self._add, self._add] if producer.is_old else [self._end_late]

    def run(self) -> RandomSchedule:
        for _ in range(_ACTS):
            self._chance.choice(self._acts)()
            self._look()
            if self._schedule.left_open:
                break
        self._take_over()
        self._schedule.left_open += [f"a transaction in {partition} from offset {start}" for partition, start in self._open()]
        return self._schedule

    def _look(self) -> None:
        """A transaction that is open in a log must be in the coordinator's list, which is read first, since a listed partition may get its
        marker.
        """
        listed = self._context.describe(self._producer).partitions
        self._schedule.left_open += [
            f"a transaction in {partition} from offset {start}, which the coordinator does not list"
            for partition, start in self._open()
            if partition not in listed
        ]

    def _open(self) -> list[tuple[TopicPartition, int]]:
        """The partitions with an open transaction of the producer, and the offset where it starts."""
        found = []
        for partition in self._context.partitions:
            active = observed(self._context.observer.describe_producers(partition), f"describing the producers of {partition}")
            mine = [entry for entry in active if entry.producer.producer_id == self._producer.current.producer_id]
            found += [(partition, entry.transaction_start) for entry in mine if entry.transaction_start >= 0]
        return found

    def _write(self) -> None:
        self._write_as(self._producer.current)

    def _write_late(self) -> None:
        self._write_as(self._earlier())

    def _write_as(self, identity: ProducerIdAndEpoch) -> None:
        where = self._partition()
        outcome = self._producer.write(
            where,
            [f"s{self._schedule.number}"],
            version=self._context.version(self._producer, "produce"),
            identity=identity,
            retry=False,
        )
        self._schedule.accepted_writes += isinstance(outcome, Done)
        self._note(f"write to {where.partition} at epoch {identity.epoch}", outcome)

    def _add(self) -> None:
        where = self._partition()
        outcome = self._producer.probe.add_partitions(self._producer.transactional_id, self._producer.current, [where], retry=False)
        self._note(f"add {where.partition}", outcome)

    def _end(self) -> None:
        self._end_as(self._producer.current)

    def _end_late(self) -> None:
        self._end_as(self._earlier())

    def _end_as(self, identity: ProducerIdAndEpoch) -> None:
        commit = self._chance.random() < 1 / 2
        outcome = self._producer.end(commit, version=self._context.version(self._producer, "end_txn"), identity=identity, retry=False)
        if isinstance(outcome, Done) and outcome.value not in (None, self._producer.current):
            self._producer.given.append(outcome.value)
        self._note(f"{'commit' if commit else 'abort'} at epoch {identity.epoch}", outcome)

    def _mark(self) -> None:
        where, identity = self._partition(), self._producer.current
        seen = last_coordinator_epoch(self._context, where, self._producer)
        outcome = self._context.observer.write_marker(where, identity, commit=False, coordinator_epoch=seen, retry=False)
        self._note(f"marker for {where.partition} at epoch {identity.epoch}", outcome)

    def _take_over(self) -> None:
        producer = self._producer
        outcome = producer.probe.init_producer_id(producer.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=NO_PRODUCER)
        producer.given.append(achieved(outcome, f"taking over from {producer.name}"))

    def _partition(self) -> TopicPartition:
        return self._chance.choice(self._context.partitions)

    def _earlier(self) -> ProducerIdAndEpoch:
        return self._producer.given[-2:][0]

    def _note(self, what: str, outcome: Outcome[object]) -> None:
        if isinstance(outcome, Unknown):
            unanswered(outcome, what)
        self._schedule.done.append(f"{what}: {'done' if isinstance(outcome, Done) else outcome.error}")
