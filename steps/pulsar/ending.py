"""The ends of transactions, as clients request them."""

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus, TxnAction
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Outcome
from fencepost.steps.step_outcomes import achieved

from .pulsar_context import PulsarContext
from .sentence_values import EventIs, Participant
from .store import has_a_mishap
from .transactions import shown_status
from .vocabulary import PULSAR

END = PULSAR.act(
    given="{transaction} has {ended}[, {unnoticed}]",
    tried="{transaction} has tried to {end}",
    when="{transaction} {ends}[, {before_another}]",
    meaning="END_TXN, the first time or once more. As a Given, the transaction is over, also at its participants, unless it is said "
    "that it was tried, which takes any answer. Before a later one: on a separate connection; if it has no answer when that of a "
    "transaction without messages has arrived, it waits for something else. Where the first notification is lost, a participant looks "
    "by itself within seconds.",
)
END_ON_PARTICIPANT = PULSAR.act(
    given="{participant} has been asked to {end} {transaction}",
    when="{participant} is asked to {end} {transaction}",
    meaning="END_TXN_ON_PARTITION or END_TXN_ON_SUBSCRIPTION as the coordinator sends it; the coordinator is not asked.",
)
DECIDED = {TxnAction.COMMIT: ReportedStatus.COMMITTING, TxnAction.ABORT: ReportedStatus.ABORTING}


@END.given
def has_ended(context: PulsarContext, transaction: str, ended: TxnAction, unnoticed: str | None = None) -> None:
    if unnoticed is not None:
        has_a_mishap(context, EventIs("event of an end", "lost"))
    assert context.transactions[transaction].unavailable is None, f"the end of {transaction} is held up: it has been asked for"
    achieved(context.transactions.end(transaction, ended), f"ending {transaction}")
    context.transactions.await_ends()


@END.when
def ends(context: PulsarContext, transaction: str, ends: TxnAction, before_another: str | None) -> None:
    ask = context.transactions.end_or_see_no_answer if before_another is None else context.transactions.end_before_a_later_one
    context.ask("END_TXN", ask(transaction, ends))


@PULSAR.given("{transaction} has been asked to {end}")
def has_been_asked(context: PulsarContext, transaction: str, end: TxnAction) -> None:
    """END_TXN, which is decided: it was answered with success, or, where it is blocked, the coordinator reports COMMITTING or ABORTING. The
    step does not wait for the participants.
    """
    if context.transactions[transaction].unavailable is None:
        achieved(context.transactions.end(transaction, end), f"ending {transaction}")
        return
    context.transactions.begin_end(transaction, end)
    found = context.transactions.await_status(transaction, DECIDED[end])
    if found is not DECIDED[end]:
        raise SetUpFailed(f"the end of {transaction} is held up, and it should be {DECIDED[end].name}; it is {shown_status(found)}")


@END.tried
def has_tried_to_end(context: PulsarContext, transaction: str, end: TxnAction) -> None:
    context.transactions.end_or_see_no_answer(transaction, end)


@END_ON_PARTICIPANT.given
def participant_has_been_asked(context: PulsarContext, participant: Participant, end: TxnAction, transaction: str) -> None:
    achieved(_end_on(context, participant, end, transaction), f"asking {participant} to {end.name} {transaction}")


@END_ON_PARTICIPANT.when
def participant_is_asked(context: PulsarContext, participant: Participant, end: TxnAction, transaction: str) -> None:
    request = "END_TXN_ON_SUBSCRIPTION" if participant.is_subscription else "END_TXN_ON_PARTITION"
    context.ask(request, _end_on(context, participant, end, transaction))


def _end_on(context: PulsarContext, participant: Participant, end: TxnAction, transaction: str) -> Outcome[None]:
    txn = context.id_of(transaction)
    if participant.is_subscription:
        return context.client.end_on_subscription(txn, context.subscription(participant.name), end)
    return context.client.end_on_topic(txn, context.topics[participant.name], end)
