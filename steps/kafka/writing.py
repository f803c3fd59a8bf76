"""Produce: what a producer writes, with which producer id and epoch, at which sequence number."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.adapters.kafka.kafka_values import Appended, TopicPartition
from fencepost.adapters.kafka.probe import AppendResults
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved

from .adding import add_first
from .identities import claimed
from .judging import answered
from .kafka_context import KafkaContext
from .keyed_records import keyed, send_keyed, write_keyed
from .leaders import let_one_node_lead
from .producer import ProducerInstance
from .requests import must_be_unknown, put
from .vocabulary import KAFKA

_APART_MS = 1_000
"""The time between records of a slow topic, by the times that they carry; no step waits for that long."""

WRITE = KAFKA.act(
    given="{producer} has written {value}[ under {key}][ and {second:value} under {that:key}] to {partition}",
    tried="{producer} has tried to write {value} to {partition}",
    when="{producer} writes {value}[ under {key}] to {partition}[ at sequence {sequence:number}][ with {identity}][ {outside}]",
    meaning="Produce of one record in the producer's transaction, which begins with its first write; with the sequence number that is next"
    " unless one is named. As a Given, an old client adds the partition first, where it is not in the transaction; the When is Produce."
    " Under keys: one record, or two in one batch; also outside of transactions, where the producer has no transactional id."
    " An attempt: its client has lost its connection and does not know whether it succeeded.",
)


@WRITE.given
def has_written(
    context: KafkaContext, producer: str, value: str, key: str | None, second: str | None, that: str | None, partition: str
) -> None:
    one, where = context.producers[producer], context.partition(partition)
    if key is not None:
        also = [keyed(second, that)] if second is not None and that is not None else []
        write_keyed(context, one, where, [keyed(value, key), *also])
        return
    achieved(add_first(context, one, where), f"adding {partition}")
    achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {partition}")


@WRITE.when
def writes(
    context: KafkaContext,
    producer: str,
    value: str,
    key: str | None,
    partition: str,
    sequence: int | None,
    identity: str | None,
    outside: str | None,
) -> None:
    one, where = context.turn_of(producer), context.partition(partition)
    if key is not None:
        records = [keyed(value, key)]
        put(
            context,
            one,
            "produce",
            lambda retry: send_keyed(context, one, where, records, sequence=sequence, identity=identity, retry=retry),
        )
        return
    if outside == "by the id of the deleted topic":
        _write_by_old_id(context, one, value, where)
        return
    if outside or identity == "no transactional id":
        context.keep(one, _without_id(context, one, where, value, transactional=not outside), "Produce")
        return
    transactional_id, current = claimed(context, one, identity)
    version = context.version(one, "produce")
    put(
        context,
        one,
        "produce",
        lambda retry: one.write(
            where,
            [value],
            version=version,
            transactional_id=None if transactional_id == one.transactional_id else transactional_id,
            identity=current,
            sequence=sequence,
            retry=retry,
        ),
    )


BATCH = KAFKA.act(
    given="{producer} has written a batch of {record_count} to {partition}[ at sequence {sequence:number}]",
    when="{producer} writes a batch of {record_count} to {partition}[ at sequence {sequence:number}]",
    meaning="Produce of one batch with the records r0, r1, ..., of which the first has the sequence number that is next, or that is named.",
)


@BATCH.given
def has_written_a_batch(context: KafkaContext, producer: str, record_count: int, partition: str, sequence: int | None) -> None:
    one = context.producers[producer]
    values, version = numbered(record_count), context.version(one, "produce")
    outcome = one.write(context.partition(partition), values, version=version, sequence=sequence)
    achieved(outcome, f"writing {record_count} records to {partition}")


@BATCH.when
def writes_a_batch(context: KafkaContext, producer: str, record_count: int, partition: str, sequence: int | None) -> None:
    one, where = context.turn_of(producer), context.partition(partition)
    version = context.version(one, "produce")
    put(
        context,
        one,
        "produce",
        lambda retry: one.write(where, numbered(record_count), version=version, sequence=sequence, retry=retry),
    )


BATCHES = KAFKA.act(
    given="{producer} has written {count:number} batches to {partition}",
    when="{producer} writes {count:number} batches to {partition} in one request",
    meaning="Batches of one record each in the producer's transaction: r0, r1, ..., with the sequence numbers due. As a Given, Produce is"
    " sent once for each batch; in a topic with a segment for each batch, each record carries a time that is a second later than the last.",
)


@BATCHES.given
def has_written_batches(context: KafkaContext, producer: str, count: int, partition: str) -> None:
    one, where = context.producers[producer], context.partition(partition)
    for index, value in enumerate(numbered(count)):
        if where.topic in context.slow_topics:
            achieved(add_first(context, one, where), f"adding {partition}")
            batch = one.probe.batch_of([value], producer=one.current, sequence=index, transactional=True)
            aged = tuple(replace(record, timestamp=record.timestamp - (count - index) * _APART_MS) for record in batch.records)
            outcome: Outcome[Appended] = one.probe.produce_one_batch(
                where, replace(batch, records=aged), transactional_id=one.transactional_id, version=context.version(one, "produce")
            )
        else:
            outcome = one.write(where, [value], version=context.version(one, "produce"))
        achieved(outcome, f"writing {value} to {partition}")
    one.written.add(where)


WRITE_BOTH = KAFKA.act(
    given="{producer} has written {first:value} to {here:partition} and {second:value} to {there:partition} in one request",
    when="{producer} writes {first:value} to {here:partition} and {second:value} to {there:partition}[ as {stranger:producer}]"
    "[ and {third:value} to {last:partition}] in one request",
    meaning="One Produce with a transactional batch for each partition; with the producer id and epoch of another producer in the second.",
)


@WRITE_BOTH.given
def has_written_in_one_request(context: KafkaContext, producer: str, first: str, here: str, second: str, there: str) -> None:
    one = context.producers[producer]
    batches = ((here, first, one), (there, second, one))
    for where, result in achieved(_write_together(context, one, batches), "writing to two partitions").items():
        achieved(result, f"writing to {where}")
        one.has_appended(where, 1)


@WRITE_BOTH.when
def writes_in_one_request(
    context: KafkaContext,
    producer: str,
    first: str,
    here: str,
    second: str,
    there: str,
    stranger: str | None,
    third: str | None,
    last: str | None,
) -> None:
    one = context.turn_of(producer)
    other = context.producers[stranger] if stranger else one
    batches = [(here, first, one), (there, second, other)]
    if last is not None and third is not None:
        batches.append((last, third, one))
    outcome = _write_together(context, one, batches)
    context.keep(one, outcome, "Produce")
    if isinstance(outcome, Done):
        for partition, _, owner in batches:
            where = context.partition(partition)
            if isinstance(outcome.value[where], Done):
                owner.has_appended(where, 1)


@KAFKA.given("{producer} compresses its batches with {codec}")
def compresses(context: KafkaContext, producer: str, codec: str) -> None:
    """Each batch that the producer writes from here on has that codec in its attributes, and its records in compressed bytes."""
    context.producers[producer].compression = codec


@BATCHES.when
def writes_several_batches(context: KafkaContext, producer: str, count: int, partition: str) -> None:
    one, where = context.turn_of(producer), context.partition(partition)
    first = one.next_sequence(where)
    if one.adds_first and not isinstance(added := one.add_first(where), Done):
        context.keep(one, added, "AddPartitionsToTxn")
        return
    batches = [
        one.probe.batch_of([value], producer=one.current, sequence=first + index, transactional=True)
        for index, value in enumerate(numbered(count))
    ]
    version = context.version(one, "produce")
    context.keep(one, one.probe.produce_several(where, batches, transactional_id=one.transactional_id, version=version), "Produce")


@KAFKA.given("{producer} has sent {value} to {partition}[ with {identity}], whatever was answered")
def has_sent(context: KafkaContext, producer: str, value: str, partition: str, identity: str | None) -> None:
    """Produce, retried for a short time while the refusal is retriable; any other refusal is as good as a success."""
    one = context.producers[producer]
    transactional_id, current = claimed(context, one, identity)
    with one.probe.giving_up_soon():
        outcome = one.write(
            context.partition(partition),
            [value],
            version=context.version(one, "produce"),
            transactional_id=None if transactional_id == one.transactional_id else transactional_id,
            identity=current,
        )
    answered(outcome, f"writing {value} to {partition}")


@WRITE.tried
def has_tried_to_write(context: KafkaContext, producer: str, value: str, partition: str) -> None:
    one = context.producers[producer]
    context.armed.wire.pop((producer, "produce"), None)
    outcome = one.write(context.partition(partition), [value], version=context.version(one, "produce"))
    must_be_unknown(outcome, f"writing {value} to {partition}")


PLAIN = KAFKA.act(
    given="{value} has been written to {partition}",
    when="{value} is written to {partition}",
    meaning="A record without a producer id, outside of every transaction.",
)


@PLAIN.given
def has_been_written(context: KafkaContext, value: str, partition: str) -> None:
    achieved(context.write_plain(context.partition(partition), value), f"writing {value} to {partition}")


@PLAIN.when
def is_written(context: KafkaContext, value: str, partition: str) -> None:
    context.begin()
    has_been_written(context, value, partition)


def numbered(count: int) -> list[str]:
    """r0, r1, ..."""
    return [f"r{number}" for number in range(count)]


def _write_together(
    context: KafkaContext, one: ProducerInstance, sent: Iterable[tuple[str, str, ProducerInstance]]
) -> Outcome[AppendResults]:
    """Each batch with its partition, its value and the producer whose id and epoch it has."""
    batches = {
        where: one.probe.batch_of([value], producer=owner.current, sequence=owner.next_sequence(where), transactional=True)
        for where, value, owner in ((context.partition(partition), value, owner) for partition, value, owner in sent)
    }
    let_one_node_lead(context, *batches)
    for where in batches if one.adds_first else ():
        if not isinstance(added := one.add_first(where), Done):
            return added
    version = context.version(one, "produce")
    return one.probe.produce_batches(batches, transactional_id=one.transactional_id, version=version)


def _without_id(
    context: KafkaContext, one: ProducerInstance, where: TopicPartition, value: str, *, transactional: bool
) -> Outcome[Appended]:
    sequence = one.next_sequence(where)
    batch = one.probe.batch_of([value], producer=one.current, sequence=sequence, transactional=transactional)
    return one.probe.produce_one_batch(where, batch, transactional_id=None, version=context.version(one, "produce"))


def _write_by_old_id(context: KafkaContext, one: ProducerInstance, value: str, where: TopicPartition) -> None:
    """Send Produce v13 of one record, as a producer does that has not learned of the deletion."""
    topic_id = context.deleted.get(where.topic)
    if topic_id is None:
        raise NotOffered(f"topic ids: DeleteTopics did not answer that of {where.topic}")
    batch = one.probe.batch_of([value], producer=one.current, sequence=0, transactional=True)
    answer = one.probe.produce_one_batch(where, batch, transactional_id=one.transactional_id, version=13, topic_id=topic_id)
    context.keep(one, answer, "Produce")
