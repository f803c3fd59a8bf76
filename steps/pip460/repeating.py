"""Producers with a name, which resend what may not be stored, to the segment that the current layout names."""

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import MessageId, ProducerHandle
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Participant
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP460

SEND = PIP460.act(
    given="{sender} has sent {value} to {segment} as number {sequence}[, in {transaction}]",
    when="{sender} sends {value} to {segment} as number {sequence}[, in {transaction}]",
    meaning="PRODUCER under the sender's own name, and SEND with that sequence id, in the transaction or outside of all. The segment may "
    "be another one than at the first time.",
)


@SEND.given
def has_sent(context: PulsarContext, sender: str, value: str, segment: str, sequence: int, transaction: str | None) -> None:
    achieved(_sent(context, sender, value, segment, sequence, transaction), f"sending {value} to {segment} as {sender}")


@SEND.when
def sends(context: PulsarContext, sender: str, value: str, segment: str, sequence: int, transaction: str | None) -> None:
    context.ask("SEND", _sent(context, sender, value, segment, sequence, transaction))


@PIP460.when("{sender} comes to {segment}")
def comes(context: PulsarContext, sender: str, segment: str) -> None:
    """PRODUCER under the sender's own name, on a new connection."""
    context.ask("PRODUCER", _opened(context, sender, segment))


@PIP460.then("it is answered that its last message was number {sequence}")
def is_notified_where_it_was(context: PulsarContext, sequence: int) -> None:
    """The answer to PRODUCER has this sequence id, after which a client continues."""
    answer = context.answer
    reported = str(answer.value.last_sequence_id) if isinstance(answer, Done) and isinstance(answer.value, ProducerHandle) else str(answer)
    context.evidence.expect(reported == str(sequence), str(sequence), reported, what="last sequence id")


def _sent(context: PulsarContext, sender: str, value: str, segment: str, sequence: int, transaction: str | None) -> Outcome[MessageId]:
    client: PulsarProbe = context.session.client(f"sender {sender}")
    txn = None if transaction is None else context.take_part(transaction, Participant(segment, is_subscription=False))
    return _opened(context, sender, segment).then(lambda producer: client.send(producer, value, sequence_id=sequence, transaction=txn))


def _opened(context: PulsarContext, sender: str, segment: str) -> Outcome[ProducerHandle]:
    """Where the producer is open already, it reconnects on a new connection, as after a lost one."""
    client: PulsarProbe = context.session.client(f"sender {sender}")
    client.close()
    return client.producer(context.topics[segment], name=context.session.unique(sender))
