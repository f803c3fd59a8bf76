"""Acknowledgements, in a transaction or in none."""

from fencepost.adapters.pulsar.values import AckKind
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .vocabulary import PULSAR, Acknowledged, Participant

ACKNOWLEDGE = PULSAR.act(
    given="{transaction} has acknowledged {messages} for {subscription}",
    when="{transaction} acknowledges {messages} for {subscription}",
    meaning="One ACK of its consumer in the transaction, for each of the messages or cumulative. The subscription is added first unless "
    "the transaction has it already, as clients do.",
)


@ACKNOWLEDGE.given
def has_acknowledged(context: ScenarioContext, transaction: str, messages: Acknowledged, subscription: str) -> None:
    achieved(_acknowledge(context, transaction, messages, subscription), f"acknowledging in {transaction}")


@ACKNOWLEDGE.when
def acknowledges(context: ScenarioContext, transaction: str, messages: Acknowledged, subscription: str) -> None:
    context.ask("ACK", _acknowledge(context, transaction, messages, subscription))


@PULSAR.given("{transaction} has tried to acknowledge {messages} for {subscription}")
def has_tried_to_acknowledge(context: ScenarioContext, transaction: str, messages: Acknowledged, subscription: str) -> None:
    """The same, whatever came of it."""
    _acknowledge(context, transaction, messages, subscription)


@PULSAR.given("{value} has been acknowledged for {subscription} without a transaction")
def has_been_acknowledged(context: ScenarioContext, value: str, subscription: str) -> None:
    """A plain ACK of its consumer, which was answered with success."""
    one = context.subscriptions[subscription]
    achieved(context.client.acknowledge(one.consumer, [one.ids[value]], kind=AckKind.INDIVIDUAL), f"acknowledging {value}")


def _acknowledge(context: ScenarioContext, transaction: str, messages: Acknowledged, subscription: str) -> Outcome[None]:
    one = context.subscriptions[subscription]
    txn = context.take_part(transaction, Participant(subscription, is_subscription=True))
    kind = AckKind.CUMULATIVE if messages.is_cumulative else AckKind.INDIVIDUAL
    answer = context.client.acknowledge(one.consumer, [one.ids[value] for value in messages.values], kind=kind, transaction=txn)
    if isinstance(answer, Done):
        context.transactions[transaction].acknowledged.append((subscription, messages))
    return answer
