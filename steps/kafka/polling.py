"""What is polled during the When, and what was seen then."""

from itertools import pairwise

from fencepost.adapters.kafka.kafka_values import SETTLED

from .kafka_context import KafkaContext
from .kafka_sentence_types import OVER
from .phrases import EveryPartition, Polled, TransactionOf
from .vocabulary import KAFKA


@KAFKA.given("{polled} is polled")
def is_polled(context: KafkaContext, polled: Polled) -> None:
    """Readers of committed data poll every partition before, during and after the ends of the When, until all markers are written. While a
    node is paused, they poll the partitions of the others, and all when it goes on.

    DescribeTransactions is asked before the When, while the answer to its EndTxn v5 is in flight, and from that answer on until the
    transaction is neither open nor being ended.
    """
    match polled:
        case EveryPartition():
            context.armed.polls_partitions = True
        case TransactionOf(producer):
            context.armed.polls_transaction_of = producer


@KAFKA.then("no poll has lost a record, or seen the last stable offset go back")
def nothing_was_lost(context: KafkaContext) -> None:
    """In each partition, each poll begins with what the one before it showed, and the last stable offset never decreases."""
    for partition, polls in context.polled.items():
        for before, after in pairwise(polls):
            shown, shown_later = before.values(), after.values()
            context.evidence.expect(
                shown_later[: len(shown)] == shown and after.last_stable_offset >= before.last_stable_offset,
                f"{partition} to go on from {shown}, last stable offset {before.last_stable_offset}",
                f"{shown_later}, last stable offset {after.last_stable_offset}",
                what="polls of committed data",
            )


@KAFKA.then("the transaction of {producer} was only seen as {states}")
def only_these_states(context: KafkaContext, states: tuple[str, ...], producer: str) -> None:
    """DescribeTransactions showed the first and the last of these, possibly those in between, and no others.

    What counts was seen by polling, when the transaction had timed out, or while a node was paused and when it went on. A polled
    transaction is no longer Ongoing from the answer to its end on.
    """
    seen = [OVER if OVER in states and state in SETTLED else state for state in context.states_seen]
    conforming = [state for state in states if state in seen] == seen and {states[0], states[-1]} <= set(seen)
    if "Ongoing" in context.states_since_answer:
        conforming = False
    context.evidence.expect(conforming, ", ".join(states), _reported(context), what=f"states of the transaction of {producer}")


def _reported(context: KafkaContext) -> str:
    since = f"; since the answer: {', '.join(context.states_since_answer)}" if context.states_since_answer else ""
    return ", ".join(context.states_seen) + since
