"""The positions of messages in their segment."""

from fencepost.adapters.pulsar.pulsar_values import EntryPosition
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.step_outcomes import achieved, observed

from .vocabulary import PIP471

_CONTROL = "without-transactions"


@PIP471.then("{value} stands {count} entries behind {other:value} in {topic}")
def stands_behind(context: PulsarContext, value: str, count: int, other: str, topic: str) -> None:
    """By the ids with which a new subscription receives the two messages. Their entry numbers are as far apart as those of as many messages
    in another topic that were written outside of transactions, for a ledger may leave numbers out. Where a new ledger was begun between
    them, nothing is judged.
    """
    places = _places(context, topic, value)
    if value not in places or other not in places:
        context.evidence.expect(False, f"{other} and {value}", ", ".join(places) or "nothing", what=f"readers of {topic}")
        return
    if places[value].ledger != places[other].ledger:
        context.evidence.saw(f"{value} is in another ledger than {other}, so what lies between them cannot be known")
        return
    due = _entry_numbers_apart(context, count)
    if due is None:
        context.evidence.saw(f"{count} entries without a transaction are in several ledgers, so that there is nothing to compare with")
        return
    apart = places[value].entry - places[other].entry
    context.evidence.saw(f"{count} entries without a transaction have numbers {due} apart")
    context.evidence.expect(apart == due, f"{count} entries", f"from {places[other]} to {places[value]}", what=f"{value} behind {other}")


def _places(context: PulsarContext, topic: str, last: str) -> dict[str, EntryPosition]:
    """The positions of a topic's messages, up to this one."""
    client = context.client
    consumer = achieved(client.subscribe(context.topics[topic], "counter"), f"subscribing to {topic}")
    received = observed(client.receive_decided(consumer, last), f"reading {topic}")
    return {message.value: message.id.position for message in received}


def _entry_numbers_apart(context: PulsarContext, count: int) -> int | None:
    """The difference of the entry numbers of two messages with `count` - 1 between them, none of them in a transaction; None where they
    are in different ledgers."""
    topics = context.topics
    topics.create(_CONTROL)
    values = [f"c{number}" for number in range(count + 1)]
    for value in values:
        achieved(topics.send(_CONTROL, value), f"writing {value} to {_CONTROL}")
    places = _places(context, _CONTROL, values[-1])
    if missing := [value for value in values if value not in places]:
        raise SetUpFailed(f"{', '.join(missing)} was written outside of transactions, and readers do not see it")
    first, last = places[values[0]], places[values[-1]]
    return last.entry - first.entry if first.ledger == last.ledger else None
