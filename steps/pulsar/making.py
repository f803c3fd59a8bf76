"""Topics that a scenario makes, and transactions that it begins."""

from collections.abc import Callable

from fencepost.adapters.pulsar.values import Action, TxnId, persistent
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .transactions import ScenarioTransaction
from .vocabulary import PULSAR, Participant

_NEVER_GIVEN = 2**62
"""A number that no coordinator reaches."""
_KEY_OF: dict[str, Callable[[str], str]] = {"keyed": lambda _: "key", "letter-keyed": lambda value: value[0]}
"""The key of a payload, by the policy of its topic."""


BEGIN_MANY = PULSAR.act(
    given="{count} transactions[ with a {time_out} timeout] have {progress}",
    when="{count} transactions begin[ at {clients:count} clients in turn]",
    meaning="At the first coordinator, each when the one before was answered. Those that have committed are over. Those that have written "
    "to a topic were all begun before the first wrote; the message of each is its number.",
)


@PULSAR.given("the[ {policy}] {topics}[ {where}][ with {values}]")
def topics(
    context: ScenarioContext, policy: str | None, topics: tuple[str, ...], where: str | None, values: tuple[str, ...] | None
) -> None:
    """New topics that only this scenario uses; with messages outside of transactions, or empty. Another namespace is new. As partitions of
    one topic: a topic with so many partitions, each of which has its own name in the scenario.
    """
    namespace = "public/default"
    if where == "as partitions of one topic":
        whole = persistent(context.session.unique("".join(topics)))
        achieved(context.client.create_partitioned_topic(whole, len(topics)), f"making a topic of {len(topics)} partitions")
        context.topics.by_name.update({topic: partition_of(whole, number) for number, topic in enumerate(topics)})
        return
    if policy == "classic":
        for topic in topics:
            name = context.topics.by_name[topic] = persistent(context.session.unique(topic))
            achieved(context.client.create_topic(name), f"making the topic {topic}")
        return
    if policy in _KEY_OF:
        context.topics.key_of.update(dict.fromkeys(topics, _KEY_OF[policy]))
    if policy == "deduplicated" or where:
        namespace = f"public/{context.session.unique(topics[0])}"
        achieved(context.client.create_namespace(namespace), f"making the namespace {namespace}")
    if policy == "deduplicated":
        achieved(context.client.set_deduplication(namespace, True), f"having {namespace} deduplicated")
    for topic in topics:
        context.topics.create(topic, namespace)
        for value in values or ():
            achieved(context.topics.send(topic, value), f"writing {value} to {topic}")


def partition_of(whole: str, number: int) -> str:
    """The name of a partition of a topic."""
    return f"{whole}-partition-{number}"


@PULSAR.given("the {topics} in another namespace, by the name of {namesake:topic}")
def namesakes(context: ScenarioContext, topics: tuple[str, ...], namesake: str) -> None:
    """New topics in a new namespace, with the local name of a topic of this scenario."""
    namespace = f"public/{context.session.unique(topics[0])}"
    achieved(context.client.create_namespace(namespace), f"making the namespace {namespace}")
    for topic in topics:
        context.topics.create(topic, namespace, namesake)


@PULSAR.given("{transactions}[ with a {time_out} timeout]")
def transactions(context: ScenarioContext, transactions: tuple[str, ...], time_out: str | None) -> None:
    """Open transactions without participants, begun in this order, so that each is newer than the one before. Without such a timeout,
    theirs is longer than a scenario.
    """
    for name in transactions:
        context.transactions.begin(name, time_out)


@PULSAR.given("{transaction} is {unknown}")
def is_unknown(context: ScenarioContext, transaction: str, unknown: str) -> None:
    """An id as the first coordinator assigns them, which it has not assigned yet; or one that names a missing coordinator."""
    txn = TxnId(0, _NEVER_GIVEN, scalable=context.client.is_scalable)
    if unknown == "a transaction of an unknown coordinator":
        count = achieved(context.client.coordinators(), "asking how many coordinators there are")
        txn = TxnId(count, 1, scalable=context.client.is_scalable)
    context.transactions.by_name[transaction] = ScenarioTransaction(txn, is_over=True)


@BEGIN_MANY.given
def transactions_have(context: ScenarioContext, count: int, time_out: str | None, progress: str) -> None:
    done, _, topic = progress.partition(" to ")
    names = []
    for _ in range(count):
        names.append(context.transactions.begin_numbered(time_out=time_out))
        if done == "committed":
            achieved(context.transactions.end(names[-1], Action.COMMIT), f"committing transaction {names[-1]}")
    for name in names if done == "written" else ():
        context.take_part(name, Participant(topic, is_subscription=False))
        achieved(context.send(name, topic, name), f"writing {name} to {topic}")
    context.transactions.await_ends()


@BEGIN_MANY.when
def transactions_begin(context: ScenarioContext, count: int, clients: int | None) -> None:
    names = ("client", *(f"client {number}" for number in range(2, (clients or 1) + 1)))
    for number in range(count):
        context.transactions.begin_numbered(client=names[number % len(names)])
