"""The answers to requests, what readers see, and the status of transactions."""

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus
from fencepost.contract.outcomes import Refused, Unknown
from fencepost.steps.answers import judge_done, judge_done_or_refused, judge_refused, known, reported
from fencepost.steps.step_outcomes import error_of, observed, unanswered

from .pulsar_context import PulsarContext
from .sentence_values import Finality, ImpossibleForAll, RefusedForGood
from .transactions import GONE, shown_status
from .vocabulary import PULSAR, shown

_FAULT_OF_THE_CLIENT = range(400, 500)
_LATER_AGAIN = "ServiceNotReady"


@PULSAR.then("it is done[, or refused with {errors}]")
def it_is_done(context: PulsarContext, errors: tuple[str, ...] | None) -> None:
    """The request of the When was answered with success; or it was refused with one of these errors, where some are named."""
    what = f"answer to {context.asked}"
    if errors:
        judge_done_or_refused(context.evidence, what, context.answer, errors)
    else:
        judge_done(context.evidence, what, context.answer)


@PULSAR.then("it is refused[ with {errors}][ {finally_}]")
def it_is_refused(context: PulsarContext, errors: tuple[str, ...] | None, finally_: Finality | None) -> None:
    """The request of the When was refused; with one of these errors, where some are named. As something that cannot be done: with a status
    from 400 to 499, and not with a failure of the broker. For good: with another error than ServiceNotReady, after which every client looks
    the topic up again and retries.
    """
    if finally_ is None or errors:
        judge_refused(context.evidence, f"answer to {context.asked}", context.answer, errors or ())
    error, code = error_of(context.answer)
    holds, expected = isinstance(context.answer, Refused), "a refusal for good"
    match finally_:
        case None:
            return
        case RefusedForGood():
            holds = holds and error != _LATER_AGAIN
        case ImpossibleForAll():
            holds, expected = holds and code in _FAULT_OF_THE_CLIENT, "a refusal with 4xx"
    seen = reported(known(context.answer))
    context.evidence.expect(holds, expected, seen, what=f"answer to {context.asked}", error=error, code=code)


@PULSAR.then("readers of[ {compacted}] {topic}[ from behind {begin:value}] see {content}[ {order}]")
def readers_see(
    context: PulsarContext, compacted: str | None, topic: str, begin: str | None, content: tuple[str, ...], order: str | None
) -> None:
    """A new subscription receives exactly these messages, once every requested end has reached the topic: in this order, or in one that the
    topic may choose. Compacted: the subscription asks for the compacted topic; last: these last, or nothing.

    From behind a message: a subscription that is not durable, and begins at the id with which this message was received
    (start_message_id). It skips the message itself, and what lies before it in a batch, as clients do.
    """
    if begin is not None:
        context.expect_messages(f"readers of {topic} behind {begin}", content, context.topics.seen_behind(topic, begin))
        return
    if compacted:
        _judge_compacted(context, topic, content, is_end=order == "last")
        return
    expected, found = list(content), list(context.look(lambda: context.topics.seen(topic), content))
    if order:
        expected, found = sorted(expected), sorted(found)
    context.expect_messages(f"readers of {topic}", expected, found)


def _judge_compacted(context: PulsarContext, topic: str, content: tuple[str, ...], *, is_end: bool) -> None:
    found, what = context.topics.seen(topic, compacted=True), f"compacted {topic}"
    if is_end:
        found, what = found[-max(1, len(content)) :], f"last of compacted {topic}"
    context.expect_messages(what, content, found)


@PULSAR.then("readers of {topic} get as far as {value}")
def readers_get_as_far(context: PulsarContext, topic: str, value: str) -> None:
    """Within patience, a new subscription receives this message, whatever else it receives."""
    seen = context.topics.seen_up_to(topic, value)
    context.evidence.expect(value in seen, shown([value]), shown(seen), what=f"readers of {topic}")


@PULSAR.then("{transaction} is {status}")
def transaction_is(context: PulsarContext, transaction: str, status: ReportedStatus) -> None:
    """The coordinator reports this status, within patience. A transaction that has ended may have been forgotten by then, which does not
    show how it ended: what readers see shows that.
    """
    wanted: tuple[ReportedStatus | None, ...] = (
        (status, None) if status in (ReportedStatus.COMMITTED, ReportedStatus.ABORTED) else (status,)
    )
    found = context.transactions.await_status(transaction, *wanted)
    context.evidence.expect(found in wanted, status.name, shown_status(found), what=f"status of {transaction}")


@PULSAR.then("the coordinator does not know {transaction}")
def is_not_known(context: PulsarContext, transaction: str) -> None:
    """The coordinator has no metadata of the transaction."""
    match context.client.transaction(context.id_of(transaction)):
        case Unknown() as unknown:
            unanswered(unknown, f"asking for transaction {transaction}")
        case answer:
            holds = isinstance(answer, Refused) and answer.code == GONE
            context.evidence.expect(holds, "none", str(answer), what=f"metadata of {transaction}")


@PULSAR.then("the coordinator's low watermark lies before {transaction}")
def low_watermark_lies_before(context: PulsarContext, transaction: str) -> None:
    """In the statistics of the transaction's coordinator: all its transactions up to that number have ended, at every participant."""
    txn = context.id_of(transaction)
    stats = context.client.coordinator_stats(txn.coordinator)
    found = observed(stats, "asking for the low watermark").low_watermark
    context.evidence.expect(found < txn.sequence, f"less than {txn.sequence}", str(found), what="low watermark")
