"""Records with keys, which compaction may remove."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.adapters.kafka.kafka_values import Appended, TopicPartition
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved
from fencepost.wire.kafka.batches import EndTransactionMarker, MarkerType, Record, marker_batch

from .adding import add_first
from .identities import claimed
from .kafka_context import KafkaContext
from .producer import ProducerInstance


def keyed(value: str, key: str) -> Record:
    """A record under the key that a sentence names."""
    return Record(value.encode(), _key(key))


def write_keyed(context: KafkaContext, producer: ProducerInstance, where: TopicPartition, records: Sequence[Record]) -> None:
    """Produce of these records in one batch, in the producer's transaction where it has a transactional id."""
    if producer.transactional_id:
        achieved(add_first(context, producer, where), f"adding {where}")
    achieved(send_keyed(context, producer, where, records), f"writing to {where}")


def send_keyed(
    context: KafkaContext,
    producer: ProducerInstance,
    where: TopicPartition,
    records: Sequence[Record],
    *,
    sequence: int | None = None,
    identity: str | None = None,
    retry: bool = True,
) -> Outcome[Appended]:
    """The same, whatever the answer."""
    _, current = claimed(context, producer, identity)
    due = producer.next_sequence(where) if sequence is None else sequence
    producer.ended_in = set()
    empty = [""] * len(records)
    batch = context.observer.batch_of(empty, producer=current, sequence=due, transactional=bool(producer.transactional_id))
    outcome = producer.probe.produce_one_batch(
        where,
        replace(batch, records=tuple(replace(one, timestamp=batch.records[0].timestamp) for one in records)),
        transactional_id=producer.transactional_id or None,
        version=context.version(producer, "produce"),
        retry=retry,
    )
    if isinstance(outcome, Done) and sequence is None and identity is None:
        producer.has_appended(where, len(records))
    return outcome


def _key(key: str) -> bytes:
    if key.startswith('key "'):
        return key[len('key "') : -1].encode()
    kind = MarkerType.COMMIT if "COMMIT" in key else MarkerType.ABORT
    return marker_batch(EndTransactionMarker(kind, 0), 0, 0, 0).records[0].key or b""
