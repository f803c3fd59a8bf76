"""What a task has open on the connection of its key in addition: producers, and exclusive consumers."""

from fencepost.adapters.pulsar.pulsar_values import SubType
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Outcome
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.step_outcomes import achieved

from .tasks import Tasks
from .vocabulary import KEYS, Attached, NamedProducer, OnlyConsumer

_TOPICS = 20
"""How many topics are made at most until one is at the broker of a coordinator."""

OPEN = KEYS.act(
    given="{task} has opened {attached}",
    when="{task} opens {attached}",
    meaning="PRODUCER under a name that the tasks of a key share, or SUBSCRIBE of an exclusive subscription. While it is taken, the client "
    "asks for it again, until patience ends.",
)


@KEYS.given("the {topics} next to the coordinator of {task}")
def beside_the_coordinator(context: PulsarContext, tasks: Tasks, topics: tuple[str, ...], task: str) -> None:
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


@OPEN.given
def has_opened(context: PulsarContext, tasks: Tasks, task: str, attached: Attached) -> None:
    achieved(_opened(context, tasks, task, attached), f"opening {attached} as {task}")


@OPEN.when
def opens(context: PulsarContext, tasks: Tasks, task: str, attached: Attached) -> None:
    request = "PRODUCER" if isinstance(attached, NamedProducer) else "SUBSCRIBE"
    context.ask(request, _opened(context, tasks, task, attached))


def _opened(context: PulsarContext, tasks: Tasks, task: str, attached: Attached) -> Outcome[object]:
    match attached:
        case NamedProducer(producer, topic):
            return tasks[task].probe.producer(context.topics[topic], name=context.session.unique(producer))
        case OnlyConsumer(topic, subscription):
            return tasks[task].probe.subscribe(context.topics[topic], subscription, SubType.EXCLUSIVE)


@KEYS.when("{task} itself writes {value} to {topic} in {transaction}")
def writes_itself(context: PulsarContext, tasks: Tasks, task: str, value: str, topic: str, transaction: str) -> None:
    """SEND of a client that has a key, where all other messages are from clients without one. It does not add the topic first."""
    opened = achieved(tasks[task].probe.producer(context.topics[topic]), f"opening a producer as {task}")
    context.ask("SEND", tasks[task].probe.send(opened, value, transaction=context.id_of(transaction)))
