"""AddPartitionsToTxn as clients, brokers and leaders of partitions send it, and AddOffsetsToTxn."""

from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.adapters.kafka.probe import BatchedAddition
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved

from .identities import claimed
from .judging import answered
from .kafka_context import KafkaContext
from .producer import ProducerInstance
from .vocabulary import KAFKA

_REQUEST = "AddPartitionsToTxn"
_API = "add_partitions_to_txn"
_BROKERS_VERSION = 4
"""The first version for brokers, which carries the transactions of several producers in one request."""

ADD = KAFKA.act(
    given="{producer} has added {partitions}",
    tried="{producer} has tried to add {partitions}",
    when="{producer} adds {partitions:partitions_or_none}[ with {identity}]",
    meaning="AddPartitionsToTxn for the producer's transaction, v3 unless it uses another; from v4 on as a batch with one entry."
    " An attempt is sent once, in v3, and a refusal is as good as a success.",
)


@ADD.given
def has_added(context: KafkaContext, producer: str, partitions: tuple[str, ...]) -> None:
    one = context.producers[producer]
    for where in context.where(partitions):
        achieved(add(context, one, where), f"adding {where}")


@ADD.tried
def has_tried_to_add(context: KafkaContext, producer: str, partitions: tuple[str, ...]) -> None:
    one = context.producers[producer]
    where = context.where(partitions)
    answered(one.probe.add_each_partition(one.transactional_id, one.current, where, version=3), f"adding {' and '.join(partitions)}")


@ADD.when
def adds(context: KafkaContext, producer: str, partitions: tuple[str, ...], identity: str | None) -> None:
    one = context.turn_of(producer)
    transactional_id, current = claimed(context, one, identity)
    where, version = context.where(partitions), context.version(one, _API)
    if version >= _BROKERS_VERSION:
        _ask_as_a_broker(context, one, BatchedAddition(transactional_id, current, tuple(where)), version)
        return
    answer = one.probe.add_each_partition(transactional_id, current, where, version=version)
    context.keep(one, answer, _REQUEST)


@KAFKA.when("the leader verifies {partitions} for {producer}[ with {identity}]")
def verifies(context: KafkaContext, partitions: tuple[str, ...], producer: str, identity: str | None) -> None:
    """AddPartitionsToTxn v4 with verifyOnly: as the leader of a partition asks whether the partition is in the producer's transaction."""
    one = context.turn_of(producer)
    transactional_id, current = claimed(context, one, identity)
    addition = BatchedAddition(transactional_id, current, tuple(context.where(partitions)), verify_only=True)
    _ask_as_a_broker(context, one, addition, _BROKERS_VERSION)


@KAFKA.when(
    "{producer} {adds} {partitions} for {first:producer}[ with {identity}] and[ {then:adds} {there:partitions}] for {second:producer}"
    "[ with {other:identity}][ and for {third:producer}] in one request"
)
def adds_for_several(
    context: KafkaContext,
    producer: str,
    adds: str,
    partitions: tuple[str, ...],
    first: str,
    identity: str | None,
    then: str | None,
    there: tuple[str, ...] | None,
    second: str,
    other: str | None,
    third: str | None,
) -> None:
    """AddPartitionsToTxn, v4 unless the producer uses another, with one entry for each of them in this order. The second may have separate
    partitions: a leader may add for one batch and verify another in one request.
    """
    sender = context.turn_of(producer)
    additions = [
        BatchedAddition(*claimed(context, context.producers[name], claim), tuple(context.where(where)), verify_only=does == "verifies")
        for name, claim, does, where in (
            (first, identity, adds, partitions),
            (second, other, then or adds, there or partitions),
            (third, None, adds, partitions),
        )
        if name is not None
    ]
    version = max(context.version(sender, _API), _BROKERS_VERSION)
    context.keep(sender, sender.probe.add_partitions_batched(additions, version=version), _REQUEST)


ADD_OFFSETS = KAFKA.act(
    given="{producer} has added the offsets of group {group}",
    when="{producer} adds the offsets of group {group}[ with {identity}]",
    meaning="AddOffsetsToTxn v3, which puts the group's partition of __consumer_offsets into the producer's transaction.",
)


@ADD_OFFSETS.given
def has_added_offsets(context: KafkaContext, producer: str, group: str) -> None:
    one = context.producers[producer]
    outcome = one.probe.add_offsets(one.transactional_id, one.current, context.session.unique(group))
    achieved(outcome, f"adding the offsets of {group}")


@ADD_OFFSETS.when
def adds_offsets(context: KafkaContext, producer: str, group: str, identity: str | None) -> None:
    one = context.turn_of(producer)
    transactional_id, current = claimed(context, one, identity)
    answer = one.probe.add_offsets(
        transactional_id,
        current,
        context.session.unique(group),
        version=context.version(one, "add_offsets_to_txn"),
    )
    context.keep(one, answer, "AddOffsetsToTxn")


def add(context: KafkaContext, producer: ProducerInstance, partition: TopicPartition) -> Outcome[None]:
    """AddPartitionsToTxn for one partition, as a client sends it."""
    version = min(context.version(producer, _API), _BROKERS_VERSION - 1)
    outcome = producer.probe.add_partitions(producer.transactional_id, producer.current, [partition], version=version)
    if isinstance(outcome, Done):
        producer.added.add(partition)
    return outcome


def add_first(context: KafkaContext, producer: ProducerInstance, partition: TopicPartition) -> Outcome[None]:
    """What an old client does before it writes: add the partition, unless it has already done so in this transaction."""
    adds = producer.is_old and producer.transactional_id and partition not in producer.added
    return add(context, producer, partition) if adds else Done(None)


def _ask_as_a_broker(context: KafkaContext, producer: ProducerInstance, addition: BatchedAddition, version: int) -> None:
    match producer.probe.add_partitions_batched([addition], version=version):
        case Done(results):
            context.keep(producer, Done(results[addition.transactional_id]), _REQUEST)
        case trouble:
            context.keep(producer, trouble, _REQUEST)
