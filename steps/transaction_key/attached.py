"""What a task has open on the connection of its key in addition: producers, and exclusive consumers."""

from fencepost.adapters.pulsar.values import SubscriptionType
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext

from .tasks import Tasks
from .vocabulary import KEYS

_TOPICS = 20
"""How many topics are made at most until one is at the broker of a coordinator."""

PRODUCE = KEYS.act(
    given="{task} has opened producer {producer} of {topic}",
    when="{task} opens producer {producer} of {topic}",
    meaning="PRODUCER under a name that the tasks of a key share. While the name is taken it is asked for again, until patience ends.",
)
CONSUME = KEYS.act(
    given="{task} has subscribed alone to {topic} as {subscription}",
    when="{task} subscribes alone to {topic} as {subscription}",
    meaning="SUBSCRIBE of an exclusive subscription, in the same way.",
)


@KEYS.given("the {topics} beside the coordinator of {task}")
def beside_the_coordinator(context: ScenarioContext, tasks: Tasks, topics: tuple[str, ...], task: str) -> None:
    """New topics at the same broker, so that a client has one connection for both. Topics are made until one is there."""
    for topic in topics:
        for number in range(_TOPICS):
            made = f"{topic}-{number}"
            context.topics.create(made)
            context.topics.by_name[topic] = context.topics.by_name.pop(made)
            if achieved(tasks[task].probe.is_beside_key(context.topics[topic]), f"looking for the broker of {topic}"):
                break
        else:
            raise SetUpFailed(f"{topic} should be at the broker of the coordinator of {task}; none of {_TOPICS} topics is")


@PRODUCE.given
def has_opened(context: ScenarioContext, tasks: Tasks, task: str, producer: str, topic: str) -> None:
    opened = tasks[task].probe.producer(context.topics[topic], name=context.session.unique(producer))
    achieved(opened, f"opening producer {producer} as {task}")


@PRODUCE.when
def opens(context: ScenarioContext, tasks: Tasks, task: str, producer: str, topic: str) -> None:
    context.ask("PRODUCER", tasks[task].probe.producer(context.topics[topic], name=context.session.unique(producer)))


@CONSUME.given
def has_subscribed(context: ScenarioContext, tasks: Tasks, task: str, topic: str, subscription: str) -> None:
    subscribed = tasks[task].probe.subscribe(context.topics[topic], subscription, SubscriptionType.EXCLUSIVE)
    achieved(subscribed, f"subscribing to {topic} as {task}")


@CONSUME.when
def subscribes(context: ScenarioContext, tasks: Tasks, task: str, topic: str, subscription: str) -> None:
    context.ask("SUBSCRIBE", tasks[task].probe.subscribe(context.topics[topic], subscription, SubscriptionType.EXCLUSIVE))


@KEYS.when("{task} itself writes {value} to {topic} in {transaction}")
def writes_itself(context: ScenarioContext, tasks: Tasks, task: str, value: str, topic: str, transaction: str) -> None:
    """SEND of a client that has a key, where all other messages are from clients without one. It does not add the topic first."""
    opened = achieved(tasks[task].probe.producer(context.topics[topic]), f"opening a producer as {task}")
    context.ask("SEND", tasks[task].probe.send(opened, value, transaction=context.id_of(transaction)))
