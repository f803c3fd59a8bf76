"""Acknowledgements that the system refuses."""

from fencepost.adapters.pulsar.values import AckKind
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Refused
from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.vocabulary import Acknowledged, Participant

from .vocabulary import PIP471


@PIP471.given("{transaction} was refused the acknowledgement of {messages} for {subscription}")
def was_refused(context: ScenarioContext, transaction: str, messages: Acknowledged, subscription: str) -> None:
    """ACK in the transaction, sent once: its client is answered that it failed, and does not retry."""
    txn = context.take_part(transaction, Participant(subscription, is_subscription=True))
    one = context.subscriptions[subscription]
    kind = AckKind.CUMULATIVE if messages.is_cumulative else AckKind.INDIVIDUAL
    ids = [one.ids[value] for value in messages.values]
    answer = context.client.acknowledge(one.consumer, ids, kind=kind, transaction=txn, retry=False)
    if not isinstance(answer, Refused):
        achieved(answer, f"acknowledging in {transaction}")
        raise SetUpFailed(f"acknowledging in {transaction} was not refused")
