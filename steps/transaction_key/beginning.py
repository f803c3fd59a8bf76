"""Transactions that a task begins with its key, and its requests on a connection that it has lost."""

import math

from fencepost.adapters.pulsar.pulsar_values import NewTransaction, TransactionId, TxnAction
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.answers import reported
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.transactions import OUT_OF_REACH, TIME_OUTS_MS, ScenarioTransaction, shown_status
from fencepost.steps.pulsar.writing import has_written
from fencepost.steps.step_outcomes import achieved

from .tasks import Tasks
from .vocabulary import KEYS, Beginning, FencingTransactions, ForEnd, ForPart, ForTransaction, NamedTransactions, Request

BEGIN = KEYS.act(
    given="{task} has begun {begun}[ with a {time_out} timeout][ and written {value} to {topic}]",
    when="{task} begins {transactions}[ {at_once}]",
    meaning="NEW_TXN on the connection that has its key, for one after the other, or for all before an answer is read. Where each "
    "fences the one before, the last one stays open. Without such a timeout, theirs is longer than the patience of any client. Each that "
    "is named has written the message.",
)


@BEGIN.given
def has_begun(
    context: PulsarContext, tasks: Tasks, task: str, begun: Beginning, time_out: str | None, value: str | None, topic: str | None
) -> None:
    timeout_ms = TIME_OUTS_MS[time_out]
    match begun:
        case NamedTransactions(transactions):
            for name in transactions:
                asked_ms = context.session.time.now_ms()
                txn = achieved(tasks[task].probe.new_transaction(timeout_ms), f"beginning transaction {name} as {task}")
                context.transactions.by_name[name] = ScenarioTransaction(txn, asked_ms + timeout_ms)
                if value is not None and topic is not None:
                    has_written(context, name, (value,), topic, None)
        case FencingTransactions(count):
            for _ in range(count):
                achieved(tasks[task].probe.new_transaction(timeout_ms), f"beginning one transaction after another as {task}")


@BEGIN.when
def begins(context: PulsarContext, tasks: Tasks, task: str, transactions: tuple[str, ...], at_once: str | None) -> None:
    probe, timeout_ms = tasks[task].probe, TIME_OUTS_MS[None]
    if at_once is None:
        answers: list[Outcome[TransactionId | None]] = [probe.new_transaction(timeout_ms) for _ in transactions]
    else:
        assert probe.key is not None, f"{task} has a key before it begins transactions"
        request = NewTransaction(timeout_ms, probe.key.coordinator.number, probe.is_scalable)
        answers = probe.at_once([request for _ in transactions])
    for name, answer in zip(transactions, answers, strict=True):
        context.ask("NEW_TXN", answer)
        if not isinstance(answer, Done):
            return
        assert answer.value is not None, "a transaction that was begun has an id"
        context.transactions.by_name[name] = ScenarioTransaction(answer.value, math.inf)


@KEYS.when("{task} asks for {request}[ {place}] on its old connection")
def asks_on_old_connection(context: PulsarContext, tasks: Tasks, task: str, request: Request, place: str | None) -> None:
    """Once, on the connection on which it was given its epoch, even when the broker has closed that: no other is made for it. At another
    coordinator, the first that the same broker has, only a new transaction is requested.
    """
    if place is None:
        context.ask(str(request), _asked(context, tasks, task, request))
    else:
        context.ask(str(request), tasks[task].probe.begin_at_other_coordinator(TIME_OUTS_MS[None]))


@KEYS.given("classic transaction {transaction} with the number of {other:transaction}")
def with_the_number_of(context: PulsarContext, transaction: str, other: str) -> None:
    """An open transaction of PIP-31's kind, without a key, at the coordinator of that number. Where the other one is metadata-driven, as
    many are begun before it, and committed, as are needed for ids that differ in the kind alone, unless more have been begun already, or
    the numbers are too far apart.
    """
    wanted = context.id_of(other)
    for number in range(wanted.sequence + 1):
        if number:
            achieved(context.transactions.end(transaction, TxnAction.COMMIT), f"committing {transaction}, whose number is lower")
        context.transactions.begin_classic(transaction, coordinator=wanted.coordinator)
        missing = wanted.sequence - context.id_of(transaction).sequence
        if missing <= 0 or missing > OUT_OF_REACH:
            break


@KEYS.then("{task} is not served")
def is_not_served(context: PulsarContext, tasks: Tasks, task: str) -> None:
    """Its request is refused, or has no answer because the broker has closed its connection."""
    answer = context.answer
    is_gone = isinstance(answer, Unknown) and answer.lost and tasks[task].probe.was_sent_away()
    holds = is_gone or isinstance(answer, Refused)
    seen = reported(answer) if not isinstance(answer, Unknown) else f"no answer: {answer.reason}"
    context.evidence.expect(holds, "a refusal, or a connection that is closed", seen, what=f"answer to {context.asked}")


@KEYS.then("{transactions} stand alike")
def stand_alike(context: PulsarContext, transactions: tuple[str, ...]) -> None:
    """The coordinator reports the same status of each of them: all are open, or none is."""
    found = {name: shown_status(context.transactions.status(name)) for name in transactions}
    is_open = {status == "OPEN" for status in found.values()}
    seen = ", ".join(f"{name}: {status}" for name, status in found.items())
    context.evidence.expect(len(is_open) == 1, "all open, or all over", seen, what="status of transactions")


def _asked(context: PulsarContext, tasks: Tasks, task: str, request: Request) -> Outcome[object]:
    probe = tasks[task].probe
    match request:
        case ForTransaction():
            return probe.new_transaction(TIME_OUTS_MS[None], retry=False)
        case ForEnd(action, transaction):
            return probe.end(context.id_of(transaction), action, retry=False)
        case ForPart(participant, transaction) if participant.is_subscription:
            return probe.add_subscriptions(context.id_of(transaction), [context.subscription(participant.name)], retry=False)
        case ForPart(participant, transaction):
            return probe.add_topics(context.id_of(transaction), [context.topics[participant.name]], retry=False)
