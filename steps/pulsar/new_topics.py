"""Topics that a scenario makes, and transactions that it begins."""

from collections.abc import Callable
from dataclasses import replace

from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction, persistent
from fencepost.steps.step_outcomes import achieved

from .pulsar_context import PulsarContext
from .sentence_values import LongerName, NewNamespace, NewNamespaceWithName, Participant, PartitionsOfOne, SegmentsOfOne, Whereabouts
from .transactions import ScenarioTransaction
from .vocabulary import PULSAR

_NEVER_GIVEN = 2**62
"""A number that no coordinator reaches."""
_KEY_OF: dict[str, Callable[[str], str]] = {"keyed": lambda _: "key", "letter-keyed": lambda value: value[0]}
"""The key of a payload, by the policy of its topic."""


MAKE_TOPICS = PULSAR.act(
    given="the[ {policy}] {topics}[ {where}][ with {values}]",
    when="the topic {topic} is made[, with a partition count of {count}]",
    meaning="New topics that only this scenario uses; with messages outside of transactions, or empty. As partitions or segments of one "
    "topic: a topic with so many, each of which has its own name in the scenario. As a When, under a name that only this scenario uses; a "
    "second time, where it exists.",
)
BEGIN_MANY = PULSAR.act(
    given="{count} transactions[ with a {time_out} timeout] have {progress}",
    when="{count} transactions begin[ at {clients:count} clients in turn]",
    meaning="At the first coordinator, each when the one before was answered. Those that have committed are over. Those that have written "
    "to a topic were all begun before the first wrote; the message of each is its number.",
)


@MAKE_TOPICS.given
def topics(
    context: PulsarContext, policy: str | None, topics: tuple[str, ...], where: Whereabouts | None, values: tuple[str, ...] | None
) -> None:
    namespace, namesake, appended = "public/default", None, ""
    match where:
        case PartitionsOfOne():
            whole = persistent(context.session.unique("".join(topics)))
            achieved(context.client.create_partitioned_topic(whole, len(topics)), f"making a topic of {len(topics)} partitions")
            context.topics.by_name.update({topic: partition_of(whole, number) for number, topic in enumerate(topics)})
            return
        case SegmentsOfOne():
            made = context.client.make_segments(context.session.unique("".join(topics)), len(topics))
            context.topics.by_name.update(zip(topics, achieved(made, "making a topic of several segments"), strict=True))
            return
        case NewNamespaceWithName(other):
            namesake = other
        case LongerName(other, ending):
            namesake, appended = other, ending
    if policy == "classic":
        for topic in topics:
            name = context.topics.by_name[topic] = persistent(context.session.unique(topic))
            achieved(context.client.create_topic(name), f"making the topic {topic}")
        return
    if policy in _KEY_OF:
        context.topics.key_of.update(dict.fromkeys(topics, _KEY_OF[policy]))
    if policy == "annotated":
        context.topics.annotated.update(topics)
    if policy == "deduplicated" or isinstance(where, NewNamespace | NewNamespaceWithName):
        namespace = f"public/{context.session.unique(topics[0])}"
        achieved(context.client.create_namespace(namespace), f"making the namespace {namespace}")
    if policy == "deduplicated":
        achieved(context.client.set_deduplication(namespace, True), f"having {namespace} deduplicated")
    for topic in topics:
        context.topics.create(topic, namespace, namesake, appended)
        for value in values or ():
            achieved(context.topics.send(topic, value), f"writing {value} to {topic}")


@MAKE_TOPICS.when
def is_made(context: PulsarContext, topic: str, count: int | None) -> None:
    name = context.topics.by_name.setdefault(topic, persistent(context.session.unique(topic)))
    made = context.client.create_topic(name) if count is None else context.client.create_partitioned_topic(name, count)
    context.ask("PUT", made)


def partition_of(whole: str, number: int) -> str:
    """The name of a partition of a topic."""
    return f"{whole}-partition-{number}"


@PULSAR.given("[{kind} ]{transactions}[ with a {time_out} timeout]")
def transactions(context: PulsarContext, kind: str | None, transactions: tuple[str, ...], time_out: str | None) -> None:
    """Open transactions without participants, begun in this order, so that each is newer than the one before. Without such a timeout,
    theirs is longer than a scenario. Classic: of PIP-31's coordinator.
    """
    for name in transactions:
        if kind is None:
            context.transactions.begin(name, time_out)
        else:
            context.transactions.begin_classic(name, time_out)


@PULSAR.given("{transaction} is {unknown}[ with the numbers of classic {other:transaction}][, with the number of {namesake:transaction}]")
def is_unknown(context: PulsarContext, transaction: str, unknown: str, other: str | None, namesake: str | None) -> None:
    """An id as the first coordinator assigns them, which it has not assigned yet; or one that names a missing coordinator. With the numbers
    of a classic one: the same id, as that of a metadata-driven transaction that does not exist; where no other client begins any, that kind
    has begun fewer. With the number of another one: it differs from that in the coordinator alone.
    """
    txn = TransactionId(0, _NEVER_GIVEN, scalable=context.client.is_scalable)
    if other is not None:
        txn = replace(context.id_of(other), scalable=True)
    if unknown == "a transaction of an unknown coordinator":
        count = achieved(context.client.coordinators(), "asking how many coordinators there are")
        sequence = 1 if namesake is None else context.id_of(namesake).sequence
        txn = TransactionId(count, sequence, scalable=context.client.is_scalable)
    context.transactions.by_name[transaction] = ScenarioTransaction(txn, is_over=True)


@BEGIN_MANY.given
def transactions_have(context: PulsarContext, count: int, time_out: str | None, progress: str) -> None:
    done, _, topic = progress.partition(" to ")
    names = []
    for _ in range(count):
        names.append(context.transactions.begin_numbered(time_out=time_out))
        if done == "committed":
            achieved(context.transactions.end(names[-1], TxnAction.COMMIT), f"committing transaction {names[-1]}")
    for name in names if done == "written" else ():
        context.take_part(name, Participant(topic, is_subscription=False))
        achieved(context.send(name, topic, name), f"writing {name} to {topic}")
    context.transactions.await_ends()


@BEGIN_MANY.when
def transactions_begin(context: PulsarContext, count: int, clients: int | None) -> None:
    names = ("client", *(f"client {number}" for number in range(2, (clients or 1) + 1)))
    for number in range(count):
        context.transactions.begin_numbered(client=names[number % len(names)])
