"""The first batch of a transaction in a partition, and the end of that transaction, in flight at once.

Between the answer to a leader's verification and its append there is a moment, and an EndTxn that was sent just before the Produce may have
its markers written in it. The kit cannot extend that moment on an unmodified broker, so there are many rounds.
"""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from fencepost.adapters.kafka.kafka_values import Appended, IsolationLevel, ProducerIdentity, TopicPartition
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.kafka.adding import add
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.kafka_sentence_types import COMMITS
from fencepost.steps.kafka.producer import ProducerInstance
from fencepost.steps.kafka.requests import COORDINATOR_AWAY
from fencepost.steps.step_outcomes import achieved, observed, unanswered

from .vocabulary import KIP890

_ASK_AGAIN = COORDINATOR_AWAY | {"CONCURRENT_TRANSACTIONS"}
"""A partition is just being added, or the coordinator is elsewhere."""


@dataclass
class Rounds:
    """How many first batches were accepted."""

    accepted: int = 0


@KIP890.state
def rounds() -> Rounds:
    """The rounds of the When."""
    return Rounds()


@KIP890.when("{producer} {ends} and writes a first batch to {partition} at the same time, {count:number} times")
def ends_and_writes(context: KafkaContext, rounds: Rounds, producer: str, ends: str, partition: str, count: int) -> None:
    """In each round a transaction without records in that partition; EndTxn and Produce, on two connections before any answer is read.

    EndTxn and Produce are sent first by turns. An old client has added the partition. A new one has written to another, so that there is
    something to end. A round is over when all markers are written.
    """
    one, where, commit = context.turn_of(producer), context.partition(partition), COMMITS[ends]
    ending = context.session.client(f"{producer}-2")
    achieved(ending.describe_transaction(one.transactional_id), f"describing the transaction of {producer}")
    for number in range(count):
        _begin(context, one, where)
        batch = one.probe.batch_of([f"r{number}"], producer=one.current, sequence=one.next_sequence(where), transactional=True)
        write = partial(
            one.probe.send_produce, where, batch, transactional_id=one.transactional_id, version=context.version(one, "produce")
        )
        end = partial(ending.send_end_txn, one.transactional_id, one.current, commit=commit, version=context.version(one, "end_txn"))
        if number % 2:
            written, ended = write(), end()
        else:
            ended, written = end(), write()
        verdict, answer = written(), ended()
        if isinstance(answer, Refused) and answer.error in _ASK_AGAIN:
            answer = one.end(commit, version=context.version(one, "end_txn"))
        _go_on(context, one, where, rounds, verdict, answer)


@KIP890.then("each batch in {partition} that was accepted is followed by its marker, and no other is there")
def is_followed_by_its_marker(context: KafkaContext, rounds: Rounds, partition: str) -> None:
    """The log has as many batches with data as were accepted, and the next batch after each of them is a marker."""
    batches = observed(context.observer.read(context.partition(partition), IsolationLevel.READ_UNCOMMITTED), f"reading {partition}").batches
    kinds = ["marker" if batch.marker else "batch" for batch in batches]
    holds = kinds.count("batch") == rounds.accepted and ("batch", "batch") not in pairwise([*kinds, "batch"])
    context.evidence.expect(
        holds,
        f"{rounds.accepted} batches, each followed by a marker",
        f"{kinds.count('batch')} batches: {', '.join(kinds) or 'nothing'}",
        what=f"log of {partition}",
    )


def _begin(context: KafkaContext, one: ProducerInstance, where: TopicPartition) -> None:
    if one.is_old:
        achieved(add(context, one, where), f"adding {where}")
        return
    elsewhere = next(partition for partition in context.partitions if partition != where)
    achieved(one.write(elsewhere, ["elsewhere"], version=context.version(one, "produce")), f"writing to {elsewhere}")


def _go_on(
    context: KafkaContext,
    one: ProducerInstance,
    where: TopicPartition,
    rounds: Rounds,
    written: Outcome[Appended],
    ended: Outcome[ProducerIdentity | None],
) -> None:
    """Count what was answered; the producer continues with the epoch that it was given."""
    if isinstance(written, Unknown):
        unanswered(written, f"writing to {where}")
    if isinstance(written, Done):
        rounds.accepted += 1
        one.has_appended(where, 1)
    given = achieved(ended, f"ending the transaction of {one.name}")
    achieved(context.completed(one), f"waiting for the markers of {one.name}")
    if given is not None:
        one.given.append(given)
    one.added.clear()
