"""Acknowledgements, inside and outside of transactions."""

from fencepost.adapters.pulsar.pulsar_values import AckKind, TxnAction
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.step_outcomes import achieved, observed, unanswered

from .pulsar_context import PulsarContext
from .sentence_values import Acknowledged, Participant
from .vocabulary import PULSAR

ACKNOWLEDGE = PULSAR.act(
    given="{transaction} has acknowledged {messages} for {subscription}[ {unasked}]",
    tried="{transaction} has tried to acknowledge {messages} for {subscription}[, {not_added}]",
    when="{transaction} acknowledges {messages} for {subscription}[ {unasked}]",
    meaning="One ACK of its consumer in the transaction, for each of the messages or cumulative. The subscription is added first unless "
    "the transaction has it already, as clients do, or it is said that it is not added. Without a request id, the broker does not answer. "
    "The message may be one that another consumer of the topic has received.",
)

ACKNOWLEDGE_PLAINLY = PULSAR.act(
    given="{messages} has been acknowledged for {subscription} without a transaction",
    when="{messages} is acknowledged for {subscription} without a transaction",
    meaning="One plain ACK of its consumer, for each of the messages or cumulative. As a Given, it was answered with success.",
)


@ACKNOWLEDGE.given
def has_acknowledged(context: PulsarContext, transaction: str, messages: Acknowledged, subscription: str, unasked: str | None) -> None:
    if unasked is not None:
        _acknowledge_unanswered(context, transaction, messages, subscription)
    else:
        achieved(_acknowledge(context, transaction, messages, subscription), f"acknowledging in {transaction}")


@ACKNOWLEDGE.when
def acknowledges(context: PulsarContext, transaction: str, messages: Acknowledged, subscription: str, unasked: str | None) -> None:
    if unasked is not None:
        _acknowledge_unanswered(context, transaction, messages, subscription)
    else:
        context.ask("ACK", _acknowledge(context, transaction, messages, subscription))


@ACKNOWLEDGE.tried
def has_tried_to_acknowledge(
    context: PulsarContext, transaction: str, messages: Acknowledged, subscription: str, not_added: str | None
) -> None:
    _acknowledge(context, transaction, messages, subscription, add=not_added is None)


@ACKNOWLEDGE_PLAINLY.given
def has_been_acknowledged(context: PulsarContext, messages: Acknowledged, subscription: str) -> None:
    achieved(_acknowledge_plainly(context, messages, subscription), f"acknowledging for {subscription}")


@ACKNOWLEDGE_PLAINLY.when
def is_acknowledged(context: PulsarContext, messages: Acknowledged, subscription: str) -> None:
    context.ask("ACK", _acknowledge_plainly(context, messages, subscription))


def judge_answered_ack(context: PulsarContext, subscription: str) -> None:
    """Judge that the ACK was answered. Where it was not, the consumer asks for the topic's last message on the same connection."""
    what, answer = "answer to ACK", context.answer
    if isinstance(answer, Unknown):
        if answer.lost:
            unanswered(answer, "acknowledging")
        later = context.client.last_message_id(context.subscriptions[subscription].consumer)
        observed(later, "asking for the last message after an acknowledgement that was not answered")
    seen = "none, though a later request on the same connection was answered" if isinstance(answer, Unknown) else "one"
    context.evidence.expect(not isinstance(answer, Unknown), "one", seen, what=what)


@PULSAR.then("at most one of {transaction} and {other:transaction} has acknowledged {value} for {subscription} and committed")
def at_most_one_has_taken(context: PulsarContext, transaction: str, other: str, value: str, subscription: str) -> None:
    """The acknowledgements of both cover the message. A transaction has acknowledged it and committed where both requests were answered
    with success.
    """
    taken = []
    for name in (transaction, other):
        one = context.transactions[name]
        if TxnAction.COMMIT not in one.ends:
            raise SetUpFailed(f"the commit of {name} was not asked for")
        is_acknowledged = any(where == subscription for where, _ in one.acknowledged)
        if is_acknowledged and isinstance(one.ends[TxnAction.COMMIT], Done):
            taken.append(name)
    context.evidence.expect(len(taken) < 2, "at most one", " and ".join(taken) or "none", what=f"who has taken {value} of {subscription}")


def _acknowledge_plainly(context: PulsarContext, messages: Acknowledged, subscription: str) -> Outcome[None]:
    one = context.subscriptions[subscription]
    return context.client.acknowledge(one.consumer, [one.ids[value] for value in messages.values], kind=_kind(messages))


def _acknowledge_unanswered(context: PulsarContext, transaction: str, messages: Acknowledged, subscription: str) -> None:
    one = context.subscriptions[subscription]
    txn = context.take_part(transaction, Participant(subscription, is_subscription=True))
    ids = [one.ids[value] for value in messages.values]
    reported = context.client.acknowledge_unanswered(one.consumer, ids, kind=_kind(messages), transaction=txn)
    achieved(reported, f"acknowledging in {transaction}")


def _kind(messages: Acknowledged) -> AckKind:
    return AckKind.CUMULATIVE if messages.is_cumulative else AckKind.INDIVIDUAL


def _acknowledge(context: PulsarContext, transaction: str, messages: Acknowledged, subscription: str, *, add: bool = True) -> Outcome[None]:
    one = context.subscriptions[subscription]
    if add:
        context.take_part(transaction, Participant(subscription, is_subscription=True))
    txn = context.id_of(transaction)
    ids = [context.subscriptions.id_of(subscription, value) for value in messages.values]
    answer = context.client.acknowledge(one.consumer, ids, kind=_kind(messages), transaction=txn)
    if isinstance(answer, Done):
        context.transactions[transaction].acknowledged.append((subscription, messages))
    return answer
