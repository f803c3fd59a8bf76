"""Messages that a consumer has received: which are sentinels, which are the same, and their payloads."""

from collections.abc import Sequence

from fencepost.contract.outcomes import Done, Outcome

from .pulsar_values import EntryPosition, MessageId, Received

SENTINEL = "sentinel-"
"""The beginning of a message that was written only to find the end of a log."""
NO_SENTINEL = Received(MessageId(EntryPosition(-1, -1)), "not even what was written last", 0, "", 0)
"""Stands for a message that had to come, since no writer has an open transaction in the log."""


def without_sentinels(messages: Sequence[Received]) -> list[Received]:
    """The messages without sentinels."""
    return [message for message in messages if not message.value.startswith(SENTINEL)]


def each_once(outcome: Outcome[Sequence[Received]]) -> Outcome[Sequence[Received]]:
    """Each message of a group once: a message that another member left is delivered at least once. Ids distinguish messages."""
    return Done(list({message.id: message for message in outcome.value}.values())) if isinstance(outcome, Done) else outcome


def values_of(outcome: Outcome[Sequence[Received]]) -> Outcome[Sequence[str]]:
    """The payloads of messages."""
    return Done([message.value for message in outcome.value]) if isinstance(outcome, Done) else outcome
