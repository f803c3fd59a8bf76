"""Messages, inside and outside of transactions."""

from fencepost.adapters.pulsar.pulsar_values import MessageId, TxnAction
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved

from .ending import has_ended
from .pulsar_context import PulsarContext
from .sentence_values import Participant, PlainMessages
from .store import does_not_answer
from .vocabulary import PULSAR

WRITE = PULSAR.act(
    given="{transaction} has written {values} to {topic}[ {in_one_go}]",
    tried="{transaction} has tried to write {value} to {topic}[, {not_added}]",
    when="{transaction} writes {value} to {topic}[, {not_added}]",
    meaning="SEND in the transaction, which was receipted; of an attempt, the answer does not matter. The topic is added first unless the "
    "transaction has it already, as clients do, or it is said that it is not.",
)
WRITE_BATCH = PULSAR.act(
    given="{transaction} has written a batch of {values} to {topic}",
    when="{transaction} writes a batch of {values} to {topic}",
    meaning="One SEND in the transaction, which was receipted: an entry in which each message has its place.",
)
COMMIT_ONE = PULSAR.act(
    given="{transaction} has committed {value} to {topic}[, {unnoted}]",
    when="{transaction} commits {value} to {topic}",
    meaning="A transaction of one message. As a Given, it is over; as a When, its commit is asked for also when the message was refused. "
    "Without the note in the store, readers see it, and the segment has tried to record that it is decided.",
)
WRITE_PLAIN = PULSAR.act(
    given="{plain} has been written to {topic}",
    when="{plain} is written to {topic}",
    meaning="SEND outside of all transactions; a batch is one entry, in which each message has its place.",
)


@WRITE.given
def has_written(context: PulsarContext, transaction: str, values: tuple[str, ...], topic: str, in_one_go: str | None) -> None:
    txn = context.take_part(transaction, Participant(topic, is_subscription=False))
    if in_one_go:
        producer = context.topics.producer(topic)
        under_way = [achieved(context.client.post(producer, value, transaction=txn), f"sending {value} to {topic}") for value in values]
        for value, pending in zip(values, under_way, strict=True):
            achieved(context.client.receipt(pending), f"writing {value} to {topic}")
            context.transactions[transaction].written.append((topic, value))
        return
    for value in values:
        achieved(context.send(transaction, topic, value), f"writing {value} to {topic}")


@WRITE_BATCH.given
def has_written_a_batch(context: PulsarContext, transaction: str, values: tuple[str, ...], topic: str) -> None:
    achieved(_send_batch(context, transaction, values, topic), f"sending a batch to {topic}")


@WRITE_BATCH.when
def writes_a_batch(context: PulsarContext, transaction: str, values: tuple[str, ...], topic: str) -> None:
    context.ask("SEND", _send_batch(context, transaction, values, topic))


def _send_batch(context: PulsarContext, transaction: str, values: tuple[str, ...], topic: str) -> Outcome[tuple[MessageId, ...]]:
    txn = context.take_part(transaction, Participant(topic, is_subscription=False))
    answer = context.client.send_batch(context.topics.producer(topic), values, transaction=txn)
    if isinstance(answer, Done):
        context.transactions[transaction].written += [(topic, value) for value in values]
    return answer


@WRITE.when
def writes(context: PulsarContext, transaction: str, value: str, topic: str, not_added: str | None) -> None:
    if not_added is None:
        context.take_part(transaction, Participant(topic, is_subscription=False))
    context.ask("SEND", context.send(transaction, topic, value))


@WRITE.tried
def has_tried_to_write(context: PulsarContext, transaction: str, value: str, topic: str, not_added: str | None) -> None:
    if not_added is None:
        context.take_part(transaction, Participant(topic, is_subscription=False))
    context.send(transaction, topic, value)


@COMMIT_ONE.given
def has_committed(context: PulsarContext, transaction: str, value: str, topic: str, unnoted: str | None) -> None:
    if unnoted is not None:
        does_not_answer(context, "note of what is decided", "and does not write it")
    has_written(context, transaction, (value,), topic, None)
    has_ended(context, transaction, TxnAction.COMMIT)


@COMMIT_ONE.when
def commits_one(context: PulsarContext, transaction: str, value: str, topic: str) -> None:
    writes(context, transaction, value, topic, None)
    context.ask("END_TXN", context.transactions.end(transaction, TxnAction.COMMIT))


@WRITE_PLAIN.given
def has_been_written(context: PulsarContext, plain: PlainMessages, topic: str) -> None:
    if plain.is_batch:
        achieved(context.client.send_batch(context.topics.producer(topic), plain.values), f"sending a batch to {topic}")
    else:
        achieved(context.topics.send(topic, plain.values[0]), f"writing to {topic}")


@WRITE_PLAIN.when
def is_written(context: PulsarContext, plain: PlainMessages, topic: str) -> None:
    assert not plain.is_batch, "a batch is a Given"
    context.ask("SEND", context.topics.send(topic, plain.values[0]))
