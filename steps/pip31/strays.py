"""What a hasty client sends: an end that does not wait for receipts."""

from fencepost.adapters.pulsar.pulsar_values import TxnAction
from fencepost.contract.outcomes import Done, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Participant
from fencepost.steps.step_outcomes import achieved, unanswered

from .vocabulary import PIP31


@PIP31.when("{transaction} commits among {count} messages in flight to {topic}")
def commits_among(context: PulsarContext, transaction: str, count: int, topic: str) -> None:
    """SEND of the first half of them, END_TXN on a separate connection, and SEND of the other half: all are sent before the first answer is
    read. Each message is its number. No receipt is read before a Then reads it.
    """
    context.take_part(transaction, Participant(topic, is_subscription=False))
    context.topics.producer(topic)
    (ender,) = context.transactions.enders(1)
    post(context, transaction, topic, range(1, count // 2 + 1))
    pending = context.transactions.begin_end_by(ender, transaction, TxnAction.COMMIT)
    post(context, transaction, topic, range(count // 2 + 1, count + 1))
    context.transactions[transaction].ends[TxnAction.COMMIT] = ender.ended(pending)
    context.ask("END_TXN", context.transactions[transaction].ends[TxnAction.COMMIT])


@PIP31.then("readers of {topic} see exactly what of {transaction} was receipted")
def see_what_was_receipted(context: PulsarContext, topic: str, transaction: str) -> None:
    """A new subscription receives exactly the messages that the broker has acknowledged, including those that were in flight before, in the
    order in which they were sent. A refused message is none of them.
    """
    receipted = [value for name, value in context.transactions[transaction].written if name == topic]
    for name, value, pending in context.transactions[transaction].under_way:
        match context.client.receipt(pending):
            case Done() if name == topic:
                receipted.append(value)
            case Unknown() as unknown:
                unanswered(unknown, f"sending {value}")
    context.expect_messages(f"readers of {topic}", receipted, context.topics.seen(topic))


def post(context: PulsarContext, transaction: str, topic: str, numbers: range) -> None:
    """Send messages in the transaction, each of which is its number, and read no receipt."""
    producer, txn = context.topics.producer(topic), context.id_of(transaction)
    for value in map(str, numbers):
        pending = achieved(context.client.post(producer, value, transaction=txn), f"sending {value} to {topic}")
        context.transactions[transaction].under_way.append((topic, value, pending))
