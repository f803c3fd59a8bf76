"""AddPartitionsToTxn as clients, brokers and leaders of partitions send it, and AddOffsetsToTxn."""

from fencepost.adapters.kafka.probe import Addition
from fencepost.adapters.kafka.values import TopicPartition
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .identities import claimed
from .producer import Producer
from .vocabulary import KAFKA

_REQUEST = "AddPartitionsToTxn"
_API = "add_partitions_to_txn"
_BROKERS_VERSION = 4
"""The first version for brokers, which carries the transactions of several producers in one request."""

ADD = KAFKA.act(
    given="{producer} has added {partitions}",
    when="{producer} adds {partitions:partitions_or_none}[ with {identity}]",
    meaning="AddPartitionsToTxn for the producer's transaction, v3 unless it uses another; from v4 on as a batch with one entry.",
)


@ADD.given
def has_added(context: ScenarioContext, producer: str, partitions: tuple[str, ...]) -> None:
    one = context.producers[producer]
    for where in context.where(partitions):
        achieved(add(context, one, where), f"adding {where}")


@ADD.when
def adds(context: ScenarioContext, producer: str, partitions: tuple[str, ...], identity: str | None) -> None:
    one = context.turn_of(producer)
    transactional_id, current = claimed(context, one, identity)
    where, version = context.where(partitions), context.version(one, _API)
    if version >= _BROKERS_VERSION:
        _ask_as_a_broker(context, one, Addition(transactional_id, current, tuple(where)), version)
        return
    answer = one.probe.add_each_partition(transactional_id, current, where, version=version)
    context.keep(one, answer, _REQUEST)


@KAFKA.when("the leader verifies {partitions} for {producer}[ with {identity}]")
def verifies(context: ScenarioContext, partitions: tuple[str, ...], producer: str, identity: str | None) -> None:
    """AddPartitionsToTxn v4 with verifyOnly: as the leader of a partition asks whether the partition is in the producer's transaction."""
    one = context.turn_of(producer)
    transactional_id, current = claimed(context, one, identity)
    addition = Addition(transactional_id, current, tuple(context.where(partitions)), verify_only=True)
    _ask_as_a_broker(context, one, addition, _BROKERS_VERSION)


@KAFKA.when(
    "{producer} {adds} {partitions} for {first:producer}[ with {identity}] and for {second:producer}[ with {other:identity}]"
    "[ and for {third:producer}] in one request"
)
def adds_for_several(
    context: ScenarioContext,
    producer: str,
    adds: str,
    partitions: tuple[str, ...],
    first: str,
    identity: str | None,
    second: str,
    other: str | None,
    third: str | None,
) -> None:
    """AddPartitionsToTxn, v4 unless the producer uses another, with one entry for each of them in this order."""
    sender = context.turn_of(producer)
    where = tuple(context.where(partitions))
    additions = [
        Addition(*claimed(context, context.producers[name], claim), where, verify_only=adds == "verifies")
        for name, claim in ((first, identity), (second, other), (third, None))
        if name is not None
    ]
    version = max(context.version(sender, _API), _BROKERS_VERSION)
    context.keep(sender, sender.probe.add_partitions_batched(additions, version=version), _REQUEST)


@KAFKA.when(
    "{producer} {adds} {here:partitions} for {first:producer} and {then:adds} {there:partitions} for {second:producer} in one request"
)
def adds_and_verifies(
    context: ScenarioContext, producer: str, adds: str, here: tuple[str, ...], first: str, then: str, there: tuple[str, ...], second: str
) -> None:
    """The same with separate partitions for each of the two: a leader may add for one batch and verify another in one request."""
    sender = context.turn_of(producer)
    additions = [
        Addition(*claimed(context, context.producers[name], None), tuple(context.where(partitions)), verify_only=does == "verifies")
        for does, partitions, name in ((adds, here, first), (then, there, second))
    ]
    version = max(context.version(sender, _API), _BROKERS_VERSION)
    context.keep(sender, sender.probe.add_partitions_batched(additions, version=version), _REQUEST)


ADD_OFFSETS = KAFKA.act(
    given="{producer} has added the offsets of group {group}",
    when="{producer} adds the offsets of group {group}[ with {identity}]",
    meaning="AddOffsetsToTxn v3, which puts the group's partition of __consumer_offsets into the producer's transaction.",
)


@ADD_OFFSETS.given
def has_added_offsets(context: ScenarioContext, producer: str, group: str) -> None:
    one = context.producers[producer]
    outcome = one.probe.add_offsets(one.transactional_id, one.current, context.session.unique(group))
    achieved(outcome, f"adding the offsets of {group}")


@ADD_OFFSETS.when
def adds_offsets(context: ScenarioContext, producer: str, group: str, identity: str | None) -> None:
    one = context.turn_of(producer)
    transactional_id, current = claimed(context, one, identity)
    answer = one.probe.add_offsets(
        transactional_id,
        current,
        context.session.unique(group),
        version=context.version(one, "add_offsets_to_txn"),
    )
    context.keep(one, answer, "AddOffsetsToTxn")


def add(context: ScenarioContext, producer: Producer, partition: TopicPartition) -> Outcome[None]:
    """AddPartitionsToTxn for one partition, as a client sends it."""
    version = min(context.version(producer, _API), _BROKERS_VERSION - 1)
    outcome = producer.probe.add_partitions(producer.transactional_id, producer.current, [partition], version=version)
    if isinstance(outcome, Done):
        producer.added.add(partition)
    return outcome


def add_first(context: ScenarioContext, producer: Producer, partition: TopicPartition) -> Outcome[None]:
    """What an old client does before it writes: add the partition, unless it has already done so in this transaction."""
    adds = producer.is_old and producer.transactional_id and partition not in producer.added
    return add(context, producer, partition) if adds else Done(None)


def _ask_as_a_broker(context: ScenarioContext, producer: Producer, addition: Addition, version: int) -> None:
    match producer.probe.add_partitions_batched([addition], version=version):
        case Done(results):
            context.keep(producer, Done(results[addition.transactional_id]), _REQUEST)
        case trouble:
            context.keep(producer, trouble, _REQUEST)
