"""Ends that are decided and not complete, since one participant does not answer.

The participant that does not answer is a dedicated topic that is terminated, so that no end can be written to it. The coordinator waits for
it for as long as it exists; once it is deleted, the end can complete.
"""

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus, TxnAction
from fencepost.contract.outcomes import Unknown
from fencepost.steps.step_outcomes import achieved, unanswered

from .ending import has_been_asked
from .pulsar_context import PulsarContext
from .transactions import shown_status
from .vocabulary import PULSAR
from .writing import has_written


@PULSAR.given("the end of {transaction} is held up")
def is_held_up(context: PulsarContext, transaction: str) -> None:
    """A participant of the open transaction does not answer: once an end is requested, the transaction stays COMMITTING or ABORTING."""
    unavailable = f"unavailable-to-{transaction}"
    context.topics.create(unavailable)
    has_written(context, transaction, ("held",), unavailable, None)  # an abort may skip a topic that has no message of it
    achieved(context.client.terminate_topic(context.topics[unavailable]), "terminating the topic that holds the end up")
    context.transactions[transaction].unavailable = unavailable


@PULSAR.given("the {end} of {transaction} is incomplete")
def is_incomplete(context: PulsarContext, end: TxnAction, transaction: str) -> None:
    """A participant does not answer, and the end was requested: the coordinator reports COMMITTING or ABORTING."""
    is_held_up(context, transaction)
    has_been_asked(context, transaction, end)


@PULSAR.when("the end of {transaction} is held up no longer")
def is_held_up_no_longer(context: PulsarContext, transaction: str) -> None:
    """The participant that did not answer is deleted; the end is not requested again. The status before is kept as a snapshot.

    Until its coordinator has one transaction less, or patience ends, it is not asked for this one: a broker may search for long for what a
    deleted topic knows of it.
    """
    transactions = context.transactions
    transactions[transaction].incomplete = transactions.await_status(transaction, ReportedStatus.COMMITTING, ReportedStatus.ABORTING)
    coordinator = transactions[transaction].id.coordinator
    before = transactions.ongoing(coordinator)
    achieved(context.topics.let_go(transaction), "deleting the topic that holds the end up")
    for _ in context.session.time.attempts():
        if transactions.ongoing(coordinator) < before:
            break


def judge_answered_ends(context: PulsarContext, transaction: str) -> None:
    """Judge that each of the ends that were requested while it was blocked has an answer."""
    one = context.transactions[transaction]
    silent = 0
    for (ender, pending), answer in zip(one.pending_ends, one.late_answers, strict=True):
        if isinstance(answer, Unknown):
            if answer.lost:
                unanswered(answer, f"ending {transaction}")
            later = achieved(ender.new_transaction(), "beginning a later transaction")
            achieved(ender.end(later, TxnAction.COMMIT), "committing a later transaction")
            silent += not ender.is_answered(pending)
    asked = len(one.late_answers)
    context.evidence.expect(not silent, f"all of {asked}", f"{asked - silent} of {asked}", what=f"answered ends of {transaction}")


@PULSAR.then("{transaction} went from {before:status} to {after:status}")
def went_from(context: PulsarContext, transaction: str, before: ReportedStatus, after: ReportedStatus) -> None:
    """The snapshot has the first status, and the coordinator reports the second within patience, though the end was not requested again. A
    transaction that has ended may have been forgotten by then, which does not show how it ended: what readers see shows that.
    """
    snapshot = context.transactions[transaction].incomplete
    found = context.transactions.await_status(transaction, after, None)
    context.evidence.expect(
        snapshot is before and found in (after, None),
        f"{before.name}, then {after.name}",
        f"{shown_status(snapshot)}, then {shown_status(found)}",
        what=f"status of {transaction}",
    )
