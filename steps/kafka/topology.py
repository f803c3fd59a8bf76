"""Given: topics, and producers of every kind."""

from fencepost.adapters.kafka.kafka_values import LAST_USABLE_EPOCH, TopicPartition
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.step_outcomes import achieved

from .authorisation import log_in
from .initialising import LONG_TIMEOUT_MS, SHORT_TIMEOUT_MS, initialise
from .kafka_context import KafkaContext
from .kafka_sentence_types import APIS, ApiVersion
from .listing import FEATURE, NEWEST_API_VERSIONS, level_of
from .producer import ProducerInstance
from .vocabulary import KAFKA

_SEGMENT_MS = 1
"""A segment.ms that is smaller than the time between any two batches, by the times of their records."""

_BEGIN_BY_THEMSELVES = {"produce", "txn_offset_commit"}


CREATE = KAFKA.act(
    given="a topic {topic} with {partition_count}[ and {layout}]",
    when="topic {topic} is created with {partition_count:count_or_default}[ {oddly}]",
    meaning="CreateTopics: a new topic of that many partitions, each with a leader. With a segment for each batch, records carry times one"
    " second apart. As a When, with one replica, and with what the sentence names. On a node: each partition is assigned to it. By default:"
    " it leaves the numbers of partitions and replicas to the broker.",
)


@CREATE.given
def a_topic(context: KafkaContext, topic: str, partition_count: int, layout: str | None) -> None:
    context.topics[topic] = context.session.unique(topic)
    configs = {"segment.ms": str(_SEGMENT_MS)} if layout else {}
    achieved(context.observer.create_topic(context.topics[topic], partition_count, configs), f"creating the topic {topic}")
    context.partitions += [TopicPartition(context.topics[topic], number) for number in range(partition_count)]
    if layout:
        context.slow_topics.add(context.topics[topic])


@KAFKA.given("transaction.version is {level:number} or above")
def the_level_is(context: KafkaContext, level: int) -> None:
    """ApiVersions v4 shows that this level or a higher one is finalized; a broker at a lower one is not asked."""
    found = level_of(achieved(context.observer.api_versions(NEWEST_API_VERSIONS), "asking for the features"))
    if found < level:
        raise NotOffered(f"{FEATURE} {level}: the broker has finalized {found}")


@KAFKA.given(
    "producer {producer} with transactional id {transactional_id}[ and {timeout}][ and group {group}]"
    "[ at the coordinator of {near:producer}][, logged in as {role}]"
)
def a_producer(
    context: KafkaContext,
    producer: str,
    transactional_id: str,
    timeout: str | None,
    group: str | None,
    near: str | None,
    role: str | None,
) -> None:
    """A producer that has initialised that transactional id: it has a producer id and an epoch, and no transaction.

    With a short timeout, the coordinator may end a transaction of this producer soon after it began. One request can be about several
    producers only if they have the same coordinator.

    Logged in, it connects as a user with all rights that a producer needs: to write under the transactional id, to write to and read every
    topic, and to read the group. On the cluster, an ordinary user may do nothing, an operator ALTER, and another broker CLUSTER_ACTION.
    """
    if role is not None:
        log_in(context, producer, transactional_id, group, role)
    initialise(context, producer, transactional_id, timeout, near=context.producers[near] if near else None)


@KAFKA.given(
    "producers {one:producer} and {other:producer} with transactional ids {first:transactional_id} and {second:transactional_id}"
    "[ and {timeout}]"
)
def two_producers(context: KafkaContext, one: str, other: str, first: str, second: str, timeout: str | None) -> None:
    """Two producers, as above, that share nothing but their coordinator."""
    initialise(context, one, first, timeout)
    initialise(context, other, second, timeout, near=context.producers[one])


@KAFKA.given("producer {producer} at the last usable epoch[ with {timeout}]")
def at_the_last_usable_epoch(context: KafkaContext, producer: str, timeout: str | None) -> None:
    """A producer with epoch 32766 and no transaction. Its previous epoch, 32765, was raised by InitProducerId with that identity.

    The adapter of the system brings it that far before the scenario: by tens of thousands of InitProducerId, as any client could; or, on a
    broker that it starts itself, by a record in the transaction log, as the coordinator would write it, and InitProducerId from there. The
    transactional id of such a producer shows that in its name. The last bump is made here, with the timeout that is then in force.
    """
    probe = context.session.client(producer)
    aged = achieved(probe.adopt_aged_id(), f"bringing the epoch of {producer} near its end")
    timeout_ms = SHORT_TIMEOUT_MS if timeout else LONG_TIMEOUT_MS
    outcome = probe.init_producer_id(aged.transactional_id, timeout_ms=timeout_ms, current=aged.producer)
    current = achieved(outcome, f"initialising {producer} for the last time")
    if current != aged.producer.with_epoch(LAST_USABLE_EPOCH):
        raise SetUpFailed(f"{producer} has {current} after {aged.producer}, and was to have epoch {LAST_USABLE_EPOCH}")
    if timeout and probe.offers("describe_transactions", 0):
        seen = achieved(probe.describe_transaction(aged.transactional_id), f"asking for the timeout of {producer}").timeout_ms
        if seen != timeout_ms:
            raise SetUpFailed(f"{producer} has a timeout of {seen} ms, and asked for {timeout_ms} ms")
    context.producers[producer] = ProducerInstance(producer, aged.transactional_id, probe, [aged.producer, current])


@KAFKA.given("idempotent producer {producer}")
def an_idempotent_producer(context: KafkaContext, producer: str) -> None:
    """InitProducerId without a transactional id: a producer with its own id, and no transactions."""
    probe = context.session.client(producer)
    context.producers[producer] = ProducerInstance(
        producer, "", probe, [achieved(probe.init_producer_id(None), f"initialising {producer}")]
    )


@KAFKA.given("{producer} is {client}[ and uses {api_version}]")
def is_a_client(context: KafkaContext, producer: str, client: str, api_version: ApiVersion | None) -> None:
    """From here on a new client behaves as producers do at first: it adds nothing itself, and continues with what EndTxn answers. An old
    one adds each partition to its transaction before it writes there, and ends transactions without a new epoch.

    An old client uses the newest version of each request that such a client knows, up to Produce v11, TxnOffsetCommit v3 and EndTxn v4,
    unless one is named. Versions that were named before hold no more. So this also holds for systems that offer no other.
    """
    one = context.producers[producer]
    one.is_old, one.adds_first = client.startswith("an old"), False
    context.forget_versions(producer)
    if api_version is not None:
        uses(context, producer, api_version)


@KAFKA.given("{producer} uses {api_version}")
def uses(context: KafkaContext, producer: str, api_version: ApiVersion) -> None:
    """The producer sends all requests of that kind in this version from here on; before Produce and TxnOffsetCommit, it sends nothing that
    adds a partition.
    """
    api = APIS[api_version.api]
    context.versions[producer, api] = api_version.version
    if api in _BEGIN_BY_THEMSELVES:
        context.producers[producer].adds_first = False
