"""Topics of several segments, of other namespaces, and of the classic kind; and classic transactions."""

from dataclasses import replace

from fencepost.adapters.pulsar.values import Action
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved
from fencepost.steps.pip31.coordinators import are_out_of_reach
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.transactions import TIME_OUTS_MS, ScenarioTransaction

from .vocabulary import PIP471

_AT_MOST = 2_000
"""How many transactions of one kind are begun at most to reach the numbers of the other: a whole run begins hundreds."""


@PIP471.given("the {segments} of one topic")
def segments_of_one_topic(context: ScenarioContext, segments: tuple[str, ...]) -> None:
    """A new scalable topic; each of its segments has its own name in the scenario, and is used as a topic."""
    made = context.client.make_segments(context.session.unique("".join(segments)), len(segments))
    context.topics.by_name.update(zip(segments, achieved(made, "making a topic of several segments"), strict=True))


@PIP471.given("classic {transactions}")
def classic_transactions(context: ScenarioContext, transactions: tuple[str, ...]) -> None:
    """Open transactions of PIP-31's coordinator; their timeout is longer than a scenario."""
    for name in transactions:
        begun = context.client.new_transaction(TIME_OUTS_MS[None], scalable=False)
        context.transactions.by_name[name] = ScenarioTransaction(achieved(begun, f"beginning classic transaction {name}"))


@PIP471.given("{transaction} and classic {other:transaction} are transactions with the same number")
def have_the_same_number(context: ScenarioContext, transaction: str, other: str) -> None:
    """Open transactions of both kinds. More transactions of the kind with the lower number are begun, and committed, until the ids differ
    in the kind alone; where a system numbers them from places that are more than a million apart, they stay as they are.
    """
    transactions = context.transactions
    classic_transactions(context, (other,))
    for _ in range(_AT_MOST):
        ours, theirs = context.id_of(transaction), context.id_of(other)
        if ours.sequence == theirs.sequence or are_out_of_reach(context, ours.sequence, theirs.sequence):
            return
        behind = transaction if ours.sequence < theirs.sequence else other
        achieved(transactions.end(behind, Action.COMMIT), f"committing {behind}, whose number is behind")
        if behind == other:
            classic_transactions(context, (other,))
        else:
            transactions.begin(transaction)
    raise SetUpFailed(f"{transaction} is {context.id_of(transaction)} and {other} is {context.id_of(other)} still")


@PIP471.given("{transaction} has the numbers of classic {other:transaction}")
def has_the_numbers_of(context: ScenarioContext, transaction: str, other: str) -> None:
    """The same id, as that of a metadata-driven transaction that does not exist: where no other client begins any, that kind has begun
    fewer.
    """
    txn = replace(context.id_of(other), scalable=True)
    context.transactions.by_name[transaction] = ScenarioTransaction(txn, is_over=True)


@PIP471.when("{transaction} {ends}, and a later transaction behind it")
def ends_before_a_later_one(context: ScenarioContext, transaction: str, ends: Action) -> None:
    """END_TXN on a separate connection. If it has no answer when that of a transaction without messages has arrived, it waits for something
    else.
    """
    context.ask("END_TXN", context.transactions.end_before_a_later_one(transaction, ends))
