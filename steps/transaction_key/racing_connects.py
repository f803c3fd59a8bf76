"""Connects that race with each other, with the end of a transaction, or with its timeout."""

from fencepost.adapters.pulsar.pulsar_values import KeyGrant, TxnAction
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.answers import known, reported
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.transactions import TIME_OUTS_MS
from fencepost.steps.step_outcomes import achieved, error_of, unanswered

from .key_connects import is_sent_away, ready, under_way
from .tasks import Task, Tasks
from .vocabulary import KEYS, NamedKey

_LOOK_S = 0.1
"""How long to look for an answer."""

BOTH = KEYS.act(
    given="{first:task} and {second:task} have connected with {key} at the same time",
    when="{first:task} and {second:task} connect with {key} at the same time",
    meaning="Both are new processes, and both connects are sent, in this order, before any answer is read. As a Given the second one "
    "succeeds, whatever came of the first.",
)

BESIDE_AN_END = KEYS.act(
    given="{task} has connected with {key} while {transaction} was asked to {end}",
    when="{task} connects with {key} while {transaction} is asked to {end}[, {ahead}]",
    meaning="END_TXN over a connection without the key, and the connect of a new process: both are sent before any answer is read. As a "
    "Given both succeed.",
)


@BOTH.given
def have_connected_at_once(tasks: Tasks, first: str, second: str, key: NamedKey) -> None:
    _, later = _at_once(tasks, first, second, key)
    achieved(later, f"connecting with {key} as {second}")


@BOTH.when
def connect_at_once(context: PulsarContext, tasks: Tasks, first: str, second: str, key: NamedKey) -> None:
    for answer in _at_once(tasks, first, second, key):
        context.ask("TC_CLIENT_CONNECT", answer)


@KEYS.then("exactly one of {first:task} and {second:task} stays connected")
def one_stays(context: PulsarContext, tasks: Tasks, first: str, second: str) -> None:
    """At least one of them was given an epoch, and no two were given the same. A PING on the connection of the highest one is answered; the
    other connection is closed, within patience, whether it was answered before or not.
    """
    both = {name: tasks[name] for name in (first, second)}
    given = [f"{name} was given {one.epoch if one.grants else 'nothing'}" for name, one in both.items()]
    epochs = [one.epoch for one in both.values() if one.grants]
    context.evidence.expect(len(set(epochs)) == len(epochs) > 0, "epochs that differ", ", ".join(given), what="epochs")
    higher = max((one for one in both.values() if one.grants), key=lambda one: one.epoch)
    gone = [_is_gone(context, one) for one in both.values() if one is not higher]
    stays = isinstance(higher.probe.ping_with_key(), Done)
    seen = f"{', '.join(given)}; the higher one is {'open' if stays else 'closed'}, the other one {'closed' if all(gone) else 'open'}"
    context.evidence.expect(stays and all(gone), "the higher epoch alone", seen, what="connections")


@BESIDE_AN_END.given
def has_connected_beside_an_end(context: PulsarContext, tasks: Tasks, task: str, key: NamedKey, transaction: str, end: TxnAction) -> None:
    connects_beside_an_end(context, tasks, task, key, transaction, end, None)
    for what, answer in (("connecting", tasks[task].answer), ("ending", context.transactions[transaction].ends[end])):
        assert answer is not None, "both were waited for"
        achieved(answer, f"{what} as {task}")


@BESIDE_AN_END.when
def connects_beside_an_end(
    context: PulsarContext, tasks: Tasks, task: str, key: NamedKey, transaction: str, end: TxnAction, ahead: str | None
) -> None:
    one = ready(tasks, task, key)
    (ender,) = context.transactions.enders(1, context.id_of(transaction).coordinator)
    if ahead is not None:
        connecting = under_way(tasks, one)
        pending = context.transactions.begin_end_by(ender, transaction, end)
    else:
        pending = context.transactions.begin_end_by(ender, transaction, end)
        connecting = under_way(tasks, one)
    context.ask("TC_CLIENT_CONNECT", tasks.connected(one, connecting))
    answer = ender.ended(pending)
    if isinstance(answer, Unknown):
        unanswered(answer, f"asking for the end of {transaction}")
    context.transactions[transaction].ends[end] = answer


@KEYS.then("{task} has no answer yet, or can acknowledge {value} for {subscription}")
def has_no_answer_or_can_acknowledge(context: PulsarContext, tasks: Tasks, task: str, value: str, subscription: str) -> None:
    """Its last connect has no answer by now, or was refused. If it was answered with success, it begins a transaction, adds the
    subscription and acknowledges the message there, with success.
    """
    one = tasks.settled(task, within_s=_LOOK_S)
    if not isinstance(one.answer, Done):
        context.evidence.saw(f"{task} has no epoch")
        return
    txn = achieved(one.probe.new_transaction(TIME_OUTS_MS[None]), f"beginning a transaction as {task}")
    achieved(one.probe.add_subscriptions(txn, [context.subscription(subscription)]), f"adding {subscription} as {task}")
    subscriber = context.subscriptions[subscription]
    answer = context.client.acknowledge(subscriber.consumer, [subscriber.ids[value]], transaction=txn)
    error, code = error_of(answer)
    context.evidence.expect(isinstance(answer, Done), "success", reported(known(answer)), what="answer to ACK", error=error, code=code)


def _at_once(tasks: Tasks, first: str, second: str, key: NamedKey) -> list[Outcome[KeyGrant]]:
    both = [ready(tasks, name, key) for name in (first, second)]
    pending = [under_way(tasks, one) for one in both]
    return [tasks.connected(one, asked) for one, asked in zip(both, pending, strict=True)]


def _is_gone(context: PulsarContext, task: Task) -> bool:
    if task.grants:
        return is_sent_away(context, task)
    return isinstance(task.answer, Unknown) and task.answer.lost
