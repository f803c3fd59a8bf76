"""ListOffsets and Fetch: what the leaders of partitions return."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from kio.schema.errors import ErrorCode

from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.wire.kafka.batches import Batch, MalformedBatch, MarkerType, decode

from .cluster import LeaderOf
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import TO_LEADER, verdict
from .kafka_values import AbortedTransaction, IsolationLevel, LogView, TopicPartition
from .offer import TOPIC_IDS_FROM

T = TypeVar("T")

_EARLIEST, LATEST = -2, -1
_LISTED_FROM = {-3: 7, -4: 8, -5: 9}
"""The first version of ListOffsets in which a timestamp has a special meaning (KIP-734, KIP-405, KIP-1005); before, brokers refuse it."""

_MAX_WAIT_MS = 50
"""A conforming broker answers at once, since no bytes are required; some brokers return no records if they may not wait."""

_PAGE_BYTES = 8 * 1024 * 1024


class ReadingCalls(KafkaCalls):
    """Reading logs."""

    def end_offset(self, partition: TopicPartition, isolation: IsolationLevel) -> Outcome[int]:
        """ListOffsets for the latest: the high watermark, or the last stable offset for READ_COMMITTED."""
        return self._offset(partition, isolation, LATEST)

    def record_at(self, partition: TopicPartition, isolation: IsolationLevel, timestamp: int) -> Outcome[tuple[int, int]]:
        """ListOffsets for a time: offset and timestamp of the first record that is not older, both -1 if there is none."""

        def found(result: Any) -> tuple[int, int]:
            return int(result.offset), int(result.timestamp)

        return self._listed(partition, isolation, timestamp, found)

    def page(
        self,
        partition: TopicPartition,
        isolation: IsolationLevel,
        offset: int,
        max_bytes: int = _PAGE_BYTES,
        max_wait_ms: int = _MAX_WAIT_MS,
    ) -> Outcome[LogView]:
        """One Fetch from that offset on; with `max_bytes` 1, of no more than the next batch."""
        version = self._offer.fetching()
        return _one(self._fetch({partition: offset}, isolation, version, max_bytes, max_wait_ms), partition)

    def last_marker(self, partition: TopicPartition, producer_id: int) -> Outcome[MarkerType | None]:
        """How the last transaction of that producer ended in the partition; None if its last batch is no marker, or it has no batch."""
        match self.read(partition, IsolationLevel.READ_UNCOMMITTED):
            case Done(view):
                own = [batch for batch in view.batches if batch.producer_id == producer_id]
                return Done(own[-1].marker.type if own and own[-1].marker else None)
            case trouble:
                return trouble

    def start_offset(self, partition: TopicPartition) -> Outcome[int]:
        """ListOffsets for the earliest: the log's start offset."""
        return self._offset(partition, IsolationLevel.READ_UNCOMMITTED, _EARLIEST)

    def read(self, partition: TopicPartition, isolation: IsolationLevel, *, version: int | None = None) -> Outcome[LogView]:
        """Fetch from the log's start until there is nothing more for that isolation level."""
        return _one(self.read_together([partition], isolation, version=version), partition)

    def read_together(
        self, partitions: Sequence[TopicPartition], isolation: IsolationLevel, *, version: int | None = None
    ) -> Outcome[dict[TopicPartition, LogView]]:
        """Read several partitions of one leader, with all of them in each Fetch, in this order."""
        if version is None:
            version = self._offer.fetching()
        offsets: dict[TopicPartition, int] = {}
        for partition in partitions:
            match self._offset(partition, isolation, _EARLIEST):
                case Done(offset):
                    offsets[partition] = offset
                case trouble:
                    return trouble
        batches: dict[TopicPartition, list[Batch]] = {partition: [] for partition in partitions}
        # In order, each once: the broker lists one that extends over several pages in each of them.
        aborted: dict[TopicPartition, dict[AbortedTransaction, None]] = {partition: {} for partition in partitions}
        while True:
            match self._fetch(offsets, isolation, version):
                case Done(pages):
                    pass
                case trouble:
                    return trouble
            for partition, page in pages.items():
                if page.batches and page.batches[-1].last_offset < offsets[partition]:
                    raise Malformed(
                        f"Fetch v{version} of {partition} from offset {offsets[partition]} answered {page.batches}, which end before it"
                    )
                offsets[partition] = page.batches[-1].last_offset + 1 if page.batches else offsets[partition]
                batches[partition] += page.batches
                aborted[partition] |= dict.fromkeys(page.aborted)
            # A page without batches is the end of its log only if all pages are without: the broker may have had no room left.
            if not any(page.batches for page in pages.values()) or all(offsets[one] >= pages[one].high_watermark for one in pages):
                break
        views = {}
        for partition, page in pages.items():
            listed = tuple(aborted[partition])
            views[partition] = LogView(tuple(batches[partition]), page.high_watermark, page.last_stable_offset, listed)
        return Done(views)

    def _offset(self, partition: TopicPartition, isolation: IsolationLevel, which: int) -> Outcome[int]:
        return self._listed(partition, isolation, which, lambda result: int(result.offset))

    def _listed(self, partition: TopicPartition, isolation: IsolationLevel, timestamp: int, found: Callable[[Any], T]) -> Outcome[T]:
        def read(answer: Any) -> Outcome[T]:
            result = partition_result(answer.topics, partition, answer)
            return verdict(result.error_code, found(result))

        return self._read(LeaderOf(partition), self._list_offsets(partition, isolation, timestamp), read, TO_LEADER)

    def _list_offsets(self, partition: TopicPartition, isolation: IsolationLevel, timestamp: int) -> Any:
        return self._request(
            "list_offsets",
            self._offer.highest("list_offsets", _LISTED_FROM.get(timestamp, 2), 9),
            replica_id=-1,
            isolation_level=isolation,
            topics=[{"name": partition.topic, "partitions": [{"partition_index": partition.partition, "timestamp": timestamp}]}],
        )

    def _fetch(
        self,
        offsets: dict[TopicPartition, int],
        isolation: IsolationLevel,
        version: int,
        max_bytes: int = _PAGE_BYTES,
        max_wait_ms: int = _MAX_WAIT_MS,
    ) -> Outcome[dict[TopicPartition, LogView]]:
        """One Fetch of these partitions, each from its offset on, from the leader of the first."""
        self._offer.check("fetch", version)
        keys = {}
        for partition in offsets:
            match self._topic_key("topic", partition, version):
                case Done(topic):
                    keys[partition] = topic
                case trouble:
                    return trouble
        topics: dict[str, Any] = {}
        for partition, offset in offsets.items():
            wanted = {"partition": partition.partition, "fetch_offset": offset, "partition_max_bytes": max_bytes}
            topics.setdefault(partition.topic, {**keys[partition], "partitions": []})["partitions"].append(wanted)
        message = self._request(
            "fetch",
            version,
            max_wait=max_wait_ms,
            min_bytes=0,
            max_bytes=max_bytes,
            isolation_level=isolation,
            topics=list(topics.values()),
            **({"forgotten_topics_data": []} if version >= 7 else {}),
        )

        def read(answer: Any) -> Outcome[dict[TopicPartition, LogView]]:
            if getattr(answer, "error_code", ErrorCode.none) is not ErrorCode.none:
                return Refused(answer.error_code.name.upper(), int(answer.error_code))
            pages = {}
            for partition, topic in keys.items():
                found = [
                    result
                    for entry in answer.responses
                    if is_about(entry, topic)
                    for result in entry.partitions
                    if result.partition_index == partition.partition
                ]
                result = the_only(found, answer, partition)
                match verdict(result.error_code, _view(result, partition, version)):
                    case Done(page):
                        pages[partition] = page
                    case trouble:
                        return trouble
            return Done(pages)

        return self._read(LeaderOf(next(iter(offsets))), message, read, TO_LEADER)

    def _topic_key(
        self, name: str, partition: TopicPartition, version: int, topic_id: uuid.UUID | None = None
    ) -> Outcome[dict[str, str | uuid.UUID]]:
        """How Produce and Fetch name a topic in that version: by a field called `name`, or by its id, or by `topic_id` if it is given."""
        if topic_id is not None:
            return Done({"topic_id": topic_id})
        if version < TOPIC_IDS_FROM:
            return Done({name: partition.topic})
        match self._cluster.topic(partition.topic):
            case Done(topic) if topic.topic_id is not None:
                return Done({"topic_id": topic.topic_id})
            case Done():
                return Refused("UNKNOWN_TOPIC_ID", int(ErrorCode.unknown_topic_id), f"Metadata has no topic id for {partition.topic}")
            case trouble:
                return trouble


def _one(pages: Outcome[dict[TopicPartition, LogView]], partition: TopicPartition) -> Outcome[LogView]:
    return Done(pages.value[partition]) if isinstance(pages, Done) else pages


def is_about(entry: Any, topic: dict[str, str | uuid.UUID]) -> bool:
    """Whether an entry of an answer is about the topic with that key."""
    return all(getattr(entry, name) == value for name, value in topic.items())


def _view(result: Any, partition: TopicPartition, version: int) -> LogView:
    try:
        batches = decode(result.records or b"")
    except MalformedBatch as error:
        raise Malformed(f"Fetch v{version} of {partition}: the records are not batches: {error}") from error
    aborted = (AbortedTransaction(int(entry.producer_id), int(entry.first_offset)) for entry in result.aborted_transactions or ())
    return LogView(batches, int(result.high_watermark), int(result.last_stable_offset), tuple(aborted))
