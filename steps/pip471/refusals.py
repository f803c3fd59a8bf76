"""Acknowledgements that the system refuses."""

from fencepost.adapters.pulsar.pulsar_values import AckKind
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Refused
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Acknowledged, Participant
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP471


@PIP471.given("{transaction} was refused the acknowledgement of {messages} for {subscription}")
def was_refused(context: PulsarContext, transaction: str, messages: Acknowledged, subscription: str) -> None:
    """ACK in the transaction, sent once: its client is answered that it failed, and does not retry."""
    txn = context.take_part(transaction, Participant(subscription, is_subscription=True))
    one = context.subscriptions[subscription]
    kind = AckKind.CUMULATIVE if messages.is_cumulative else AckKind.INDIVIDUAL
    ids = [one.ids[value] for value in messages.values]
    answer = context.client.acknowledge(one.consumer, ids, kind=kind, transaction=txn, retry=False)
    if not isinstance(answer, Refused):
        achieved(answer, f"acknowledging in {transaction}")
        raise SetUpFailed(f"acknowledging in {transaction} was not refused")
