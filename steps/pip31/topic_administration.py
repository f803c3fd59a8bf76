"""Topics as an administrator handles them: created, partitioned or not, deleted, and terminated."""

from collections.abc import Callable

from fencepost.contract.outcomes import Outcome
from fencepost.steps.pulsar.moving import has_log
from fencepost.steps.pulsar.new_topics import partition_of
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Participant
from fencepost.steps.step_outcomes import achieved, observed

from .vocabulary import PIP31

DELETE = PIP31.act(
    given="{topic} has been deleted[ {recreated}]",
    when="{topic} is deleted",
    meaning="Also while it is used: its producers and consumers are closed. A topic that is made again has the name that it had.",
)
TERMINATE = PIP31.act(
    given="{topic} has been terminated",
    when="{topic} is terminated",
    meaning="Nothing can be written to the topic any more.",
)


@DELETE.given
def has_been_deleted(context: PulsarContext, topic: str, recreated: str | None) -> None:
    achieved(_deleted(context, topic), f"deleting {topic}")
    if recreated:
        achieved(context.client.create_topic(context.topics[topic]), f"making {topic}")


@DELETE.when
def is_deleted(context: PulsarContext, topic: str) -> None:
    context.ask("DELETE", _deleted(context, topic))


@TERMINATE.given
def has_been_terminated(context: PulsarContext, topic: str) -> None:
    achieved(context.client.terminate_topic(context.topics[topic]), f"terminating {topic}")
    achieved(context.client.partitions(context.topics[topic]), "asking for the partitions after the producers were notified")
    context.topics.sealed.add(topic)


@TERMINATE.when
def is_terminated(context: PulsarContext, topic: str) -> None:
    context.ask("terminate", context.client.terminate_topic(context.topics[topic]))
    context.topics.sealed.add(topic)


@PIP31.then("{topic} has a partition count of {count}")
def has_partitions(context: PulsarContext, topic: str, count: int) -> None:
    """Clients are answered that number, and there are exactly so many topics with the names of partitions, from 0 on."""
    whole = context.topics[topic]
    reported = observed(context.client.partitions(whole), f"asking how many partitions {topic} has")
    there = [number for number in range(count + 1) if has_log(context, partition_of(whole, number))]
    holds = reported == count and there == list(range(count))
    context.evidence.expect(holds, f"{count}, {list(range(count))}", f"{reported}, {there}", what=f"partitions of {topic}")


@PIP31.then("the {role} of {participant} is notified that it is closed")
def client_is_notified(context: PulsarContext, role: str, participant: Participant) -> None:
    """Within patience: CLOSE_PRODUCER or CLOSE_CONSUMER, or its connection ends."""
    what = f"{role} of {participant.name}"
    if role == "producer":
        name = context.topics[participant.name]
        _expect_closed(context, what, lambda: bool(context.client.open_producers(name)))
    else:
        consumer = context.subscriptions[participant.name].consumer
        _expect_closed(context, what, lambda: context.client.is_subscribed(consumer))


def _deleted(context: PulsarContext, topic: str) -> Outcome[None]:
    return context.client.delete_topic(context.topics[topic])


def _expect_closed(context: PulsarContext, who: str, is_open: Callable[[], bool]) -> None:
    for _ in context.session.time.attempts():
        if not is_open():
            break
    seen = "nothing" if is_open() else "that it is closed"
    context.evidence.expect(seen != "nothing", "that it is closed", seen, what=f"notification to the {who}")
