"""Logs that the log cleaner passes over: what it removes must not be needed, now or after a crash.

Each topic of the scenario becomes a compacted one, whose segments end with each batch. Its records get keys that the scenario does not use.
A key that no other committed record has replaces nothing, so readers of committed data see the same; but nothing is left of what was
aborted, and of its markers. The broker's own logs, of transactions and of groups' offsets, are compacted too.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.adapters.common.recording import shown_text
from fencepost.adapters.kafka.cleaned_partition import CleanedPartition
from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import PassesTime
from fencepost.wire.kafka.batches import Batch, EndTransactionMarker, MarkerType, Record, marker_batch
from fencepost.wire.kafka.entities import api_of, request

from .kafka_batches import Where, with_batches
from .kafka_repeat import errors_in
from .kafka_way import Heard, RequestPerformer
from .performer import CannotDisturb
from .prelude import done

_CLIENT = "the client of the compaction"
_RETENTION_MS = 0
"""A marker may go at once, when the records of its transaction are gone."""
_SEGMENT_MS, _LATER_MS = 1, 2
_PASSES = 2
"""The first one finds that a marker has nothing left, the second removes it."""
_CLEANUP_POLICY = "cleanup.policy"
_OWN_LOGS = {
    "init_producer_id": "__transaction_state",
    "end_txn": "__transaction_state",
    "txn_offset_commit": "__consumer_offsets",
    "offset_commit": "__consumer_offsets",
}
"""The broker's own log that each of these requests writes to."""
_MARKER_KEYS = {
    commit: marker_batch(EndTransactionMarker(kind, 0), 0, 0, 0).records[0].key or b""
    for commit, kind in ((True, MarkerType.COMMIT), (False, MarkerType.ABORT))
}


class CompactionTwin(RequestPerformer):
    """Between two steps the log cleaner passes over all logs, and then the system loses its power."""

    idle = "nothing was in a log that is compacted"

    def begin(self) -> None:
        super().begin()
        self._logs = set[str]()
        """The topics that were made as compacted ones, and the broker's own logs that have got a record of the scenario."""
        self._records: Counter[Where] = Counter()
        """How many records each partition has had."""
        self._marker_keys = dict[Where, set[bytes]]()
        self._last = dict[Where, bytes]()
        """The key of the last record that may be committed."""
        self._last_end: bool | None = None
        """Whether the last transaction that ended was committed; None if none has ended."""

    def is_about(self, client: str, request: RequestPayload) -> bool:  # noqa: ARG002 - of every client but that of the compaction
        return client != _CLIENT

    def before(self, client: str, transport: KafkaTransport, request: RequestPayload) -> None:  # noqa: ARG002 - of every client
        if api_of(request) in ("produce", "end_txn") and isinstance(self.session.time, PassesTime):
            self.session.time.let_pass(_LATER_MS)

    def changed(self, request: RequestPayload) -> RequestPayload:
        return _compacted(request) if api_of(request) == "create_topics" else with_batches(request, self._keyed)

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:  # noqa: ARG002
        api, asked, value = api_of(request), cast(Any, request), cast(Any, answer.value) if isinstance(answer, Done) else None
        if value is None:
            return answer
        if api == "create_topics" and not asked.validate_only:
            made = {one.name for one in value.topics if not one.error_code}
            self._logs |= {one.name for one in asked.topics if one.name in made and not _says_itself(one)}
        elif api == "delete_topics":
            self._logs -= {one.name for one in value.responses if not one.error_code}
        elif api in _OWN_LOGS and not any(errors_in(value)):
            self._logs.add(_OWN_LOGS[api])
            if api == "end_txn":
                self._last_end = asked.committed
        return answer

    def before_step(self) -> None:
        if not self._logs:
            return
        probe: KafkaProbe = self.session.client(_CLIENT)
        before = self._records_left(probe)
        where = TopicPartition(self.session.unique("compaction"), 0)
        done(probe.create_topic(where.topic, 1, CleanedPartition.configs(_RETENTION_MS)), f"creating {where}")
        partition = CleanedPartition(probe, self.session.time, where)
        for _ in range(_PASSES):
            for outcome in (*partition.write_pair(), partition.begin_segment()):
                done(outcome, f"writing to {where}")
            *_, last = partition.looks()
            if done(last, f"reading {where}").offset_of(partition.first) is not None:
                raise CannotDisturb(f"the disturbance could not be brought about: the log cleaner did not pass over {where}")
        left = self._records_left(probe)
        self.did("removed records from", "partition", sum(left.get(one, count) < count for one, count in before.items()))
        self.session.faults.crash()
        self.session.faults.restart()
        self.did("compacted", "log", len(self._logs))

    def _records_left(self, probe: KafkaProbe) -> Mapping[TopicPartition, int]:
        """How many records, markers among them, each partition has that got some and is compacted."""
        wheres = [TopicPartition(topic, number) for topic, number in self._last if isinstance(topic, str)]
        views = ((one, probe.read(one, IsolationLevel.READ_UNCOMMITTED)) for one in wheres if one.topic in self._logs)
        return {one: sum(len(batch.records) for batch in view.value.batches) for one, view in views if isinstance(view, Done)}

    def _keyed(self, where: Where, batch: Batch) -> Batch:
        """The batch with a key for each record; as it is if it has keys."""
        if any(record.key is not None for record in batch.records):
            return batch
        return replace(batch, records=tuple(replace(record, key=self._key(where, record)) for record in batch.records))

    def _key(self, where: Where, record: Record) -> bytes:
        """The key of an earlier record, if this one is never committed and so replaces none; else one that the partition does not have:
        that of the last marker, where it is free, or a number.
        """
        if where in self._last and shown_text(record.value) in self.undisturbed.never_committed:
            return self._last[where]
        used = self._marker_keys.setdefault(where, set())
        if self._last_end is not None and (key := _MARKER_KEYS[self._last_end]) not in used:
            used.add(key)
        else:
            self._records[where] += 1
            key = f"key {self._records[where]}".encode()
        self._last[where] = key
        return key


def _says_itself(topic: Any) -> bool:
    """Whether the scenario says of a topic that it creates whether it is compacted."""
    return any(one.name == _CLEANUP_POLICY for one in topic.configs)


def _compacted(asked: RequestPayload) -> RequestPayload:
    """CreateTopics of compacted topics, except of those for which it says itself whether they are."""
    fields = cast(Any, asked)
    wanted = {**CleanedPartition.configs(_RETENTION_MS), "segment.ms": str(_SEGMENT_MS)}
    configs = [{"name": name, "value": value} for name, value in wanted.items()]
    topic = {"name": "", "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": configs}
    made: Any = request("create_topics", asked.__version__, topics=[topic], timeout=0, validate_only=False)
    more = made.topics[0].configs
    topics = (
        topic if _says_itself(topic) else replace(topic, configs=(*(one for one in topic.configs if one.name not in wanted), *more))
        for topic in fields.topics
    )
    return cast(RequestPayload, replace(fields, topics=tuple(topics)))
