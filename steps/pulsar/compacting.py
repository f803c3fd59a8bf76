"""Compacted topics."""

from fencepost.contract.evidence import NoAnswer
from fencepost.steps.step_outcomes import achieved, observed

from .pulsar_context import PulsarContext
from .vocabulary import PULSAR

COMPACT = PULSAR.act(
    given="{topic} has been compacted",
    when="{topic} is compacted",
    meaning="The broker was asked for it, and says that it is done.",
)


@COMPACT.given
def has_been_compacted(context: PulsarContext, topic: str) -> None:
    context.transactions.await_ends()
    achieved(context.client.compact_topic(context.topics[topic]), f"compacting {topic}")
    status = ""
    for _ in context.session.time.attempts():
        status = observed(context.client.compaction(context.topics[topic]), f"asking how the compaction of {topic} stands")
        if status == "SUCCESS":
            return
    raise NoAnswer(f"{topic} was to be compacted, and after a while that is {status}")


@COMPACT.when
def is_compacted(context: PulsarContext, topic: str) -> None:
    has_been_compacted(context, topic)
