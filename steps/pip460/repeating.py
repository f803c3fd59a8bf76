"""Producers with a name, which repeat what they do not know to be stored, wherever the layout has it go by then."""

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import MessageId
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.vocabulary import Participant

from .vocabulary import PIP460

SEND = PIP460.act(
    given="{sender} has sent {value} to {segment} as number {sequence}[, in {transaction}]",
    when="{sender} sends {value} to {segment} as number {sequence}[, in {transaction}]",
    meaning="PRODUCER under the sender's own name, and SEND with that sequence id, in the transaction or outside of all. The segment may "
    "be another one than at the first time.",
)


@SEND.given
def has_sent(context: ScenarioContext, sender: str, value: str, segment: str, sequence: int, transaction: str | None) -> None:
    achieved(_sent(context, sender, value, segment, sequence, transaction), f"sending {value} to {segment} as {sender}")


@SEND.when
def sends(context: ScenarioContext, sender: str, value: str, segment: str, sequence: int, transaction: str | None) -> None:
    context.ask("SEND", _sent(context, sender, value, segment, sequence, transaction))


def _sent(context: ScenarioContext, sender: str, value: str, segment: str, sequence: int, transaction: str | None) -> Outcome[MessageId]:
    """Where the producer is there already, it comes back on a new connection, as behind a lost one."""
    client: PulsarProbe = context.session.client(f"sender {sender}")
    client.close()
    txn = None if transaction is None else context.take_part(transaction, Participant(segment, is_subscription=False))
    match client.producer(context.topics[segment], name=context.session.unique(sender)):
        case Done(producer):
            return client.send(producer, value, sequence_id=sequence, transaction=txn)
        case trouble:
            return trouble
