"""Tasks that connect with a key, and what they are granted."""

from fencepost.adapters.pulsar.pulsar_values import PendingKeyConnect, TxnAction
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.answers import known, reported
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.transactions import TIME_OUTS_MS, NoAnswerYet
from fencepost.steps.step_outcomes import achieved, error_of, observed

from .tasks import Task, Tasks
from .vocabulary import KEYS, ForTransaction, Grant, NamedKey, ToConnect, Unawaited

_CONNECT = "TC_CLIENT_CONNECT"
_LARGEST = 2**63 - 1
_AHEAD_MS = 100
"""How long before the timeout a connect is sent that is to coincide with it."""
_KEYS = 100
"""How many keys are made at most until one is at a coordinator."""

CONNECT = KEYS.act(
    given="{task} has connected with {key}[ at {where} of {other:task}]",
    tried="{task} has tried to connect with {key}[ {old_connection}]",
    when="{task} connects with {key}[ {place}][ at about the timeout of {transaction}]",
    meaning="TC_CLIENT_CONNECT of a new process with this key and the epoch -1, for it was given none. It asks the first coordinator, and "
    "the one that the answer names. A task that has connected before is started again: what it had is still there, as after a pause. On "
    "its old connection, which has its own key, it asks each coordinator. About the timeout is shortly before that has passed. At a place: "
    "keys are tried until one belongs to the same coordinator as that of the other task, to another one, to another one on the same "
    "broker, or to the last; those before it are deleted again.",
)
CONNECT_AGAIN = KEYS.act(
    given="{task} has connected again",
    tried="{task} has tried to connect again[ with {epoch}]",
    when="{task} connects again[ with {epoch}]",
    meaning="TC_CLIENT_CONNECT of the same process, over a new connection: with the epoch that it was given last, unless another is named.",
)


@CONNECT.given
def has_connected(context: PulsarContext, tasks: Tasks, task: str, key: NamedKey, where: str | None, other: str | None) -> None:
    if where is not None and other is not None:
        _connect_there(context, tasks, task, key, where, other)
    else:
        achieved(tasks.connect(tasks.new(task, key)), f"connecting with {key} as {task}")


@CONNECT.when
def connects(context: PulsarContext, tasks: Tasks, task: str, key: NamedKey, place: str | None, transaction: str | None) -> None:
    if transaction is not None:
        _await_time_out(context, transaction)
    coordinator = None if place is None else _another(context, tasks, key)
    context.ask(_CONNECT, tasks.connect(tasks.new(task, key), coordinator=coordinator))


@KEYS.given("{task} has asked {unawaited}")
def has_asked(tasks: Tasks, task: str, unawaited: Unawaited) -> None:
    """NEW_TXN on the connection that has its key, or TC_CLIENT_CONNECT of a new process. The step does not wait for the answer, which may
    take long.
    """
    match unawaited:
        case ForTransaction():
            tasks[task].probe.ask_for_transaction(TIME_OUTS_MS[None])
        case ToConnect(key):
            one = ready(tasks, task, key)
            one.pending = under_way(tasks, one)


@CONNECT.tried
def has_tried_to_connect(context: PulsarContext, tasks: Tasks, task: str, key: NamedKey, old_connection: str | None) -> None:
    if old_connection is None:
        tasks.connect(tasks.new(task, key))
        return
    for number in range(observed(context.client.coordinators(), "asking how many coordinators there are")):
        tasks[task].probe.connect_second_key(tasks.bytes_of(key), number)


@KEYS.given("{task} has left")
def has_left(tasks: Tasks, task: str) -> None:
    """It closes the connection that has its key."""
    tasks[task].probe.forget_key()


@CONNECT_AGAIN.given
def has_connected_again(tasks: Tasks, task: str) -> None:
    achieved(tasks.connect(tasks[task], tasks[task].epoch), f"connecting again as {task}")


@CONNECT_AGAIN.when
def connects_again(context: PulsarContext, tasks: Tasks, task: str, epoch: str | None) -> None:
    one = tasks[task]
    said: dict[str | None, int | None] = {
        None: one.epoch,
        "the epoch before its own": one.epoch - 1,
        "an epoch that was never assigned": tasks.highest[one.key] + 1,
        "epoch -2": -2,
        "the largest epoch": _LARGEST,
        "no epoch": None,
    }
    context.ask(_CONNECT, tasks.connect(one, said[epoch]))


@CONNECT_AGAIN.tried
def has_tried_to_connect_again(context: PulsarContext, tasks: Tasks, task: str, epoch: str | None) -> None:
    connects_again(context, tasks, task, epoch)


@KEYS.then("{task} is given {grant}")
def is_given(context: PulsarContext, tasks: Tasks, task: str, grant: Grant) -> None:
    """In the answer to its last connect, which the step waits for; when patience ends, a later transaction at the same coordinator, which
    was ended and answered, shows that the answer is not merely in flight. No epoch: the field is absent.
    """
    one = tasks.settled(task)
    if not one.grants:
        answer = context.answer if one.answer is None else one.answer
        if isinstance(answer, Unknown) and not answer.lost:
            later = achieved(context.client.new_transaction(coordinator=tasks.coordinator_of(one.key)), "beginning a later transaction")
            achieved(context.client.end(later, TxnAction.COMMIT), "committing a later transaction")
            context.evidence.expect(False, str(grant), str(NoAnswerYet()), what=f"given to {task}")
        error, code = error_of(answer)
        context.evidence.expect(False, str(grant), reported(known(answer)), what=f"given to {task}", error=error, code=code)
    given = one.grants[-1]
    match grant.what:
        case "epoch":
            holds, seen = given.epoch == grant.epoch, _epoch(given.epoch)
        case "none":
            holds, seen = given.epoch is None, _epoch(given.epoch)
        case "greater":
            whose, before = (grant.task, tasks[grant.task].epoch) if grant.task else ("it", _epoch_before(tasks[task]))
            holds, seen = given.epoch is not None and given.epoch > before, f"{_epoch(given.epoch)}, where {whose} has {before}"
        case "coordinator":
            theirs = tasks[grant.task].grants[-1].coordinator
            holds, seen = given.coordinator == theirs, f"coordinator {given.coordinator}, where {grant.task} has {theirs}"
    context.evidence.expect(holds, str(grant), seen, what=f"given to {task}")


@KEYS.then("the connection of {task} is {fate}")
def connection_is(context: PulsarContext, tasks: Tasks, task: str, fate: str) -> None:
    """The connection on which it was last given its epoch. Open: a PING on it is answered. Closed: the broker ends it, within patience."""
    probe = tasks[task].probe
    is_open = isinstance(probe.ping_with_key(), Done) if fate == "open" else not is_sent_away(context, tasks[task])
    context.evidence.expect(is_open == (fate == "open"), fate, "open" if is_open else "closed", what=f"connection of {task}")


@KEYS.then("the refusal begins with {value}")
def refusal_begins_with(context: PulsarContext, value: str) -> None:
    """The text that the broker sends with the error code."""
    match context.answer:
        case Refused(message=message):
            holds, seen = (message or "").startswith(value), f"{message or 'no text'}"
        case answer:
            holds, seen = False, reported(known(answer))
    context.evidence.expect(holds, f"{value}...", seen, what=f"refusal of {context.asked}")


def ready(tasks: Tasks, name: str, key: NamedKey) -> Task:
    """A new process that has reached the broker of its key's coordinator, so that its connect is sent at once."""
    task = tasks.new(name, key)
    achieved(task.probe.approach_coordinator(tasks.coordinator_of(key) or 0), f"reaching the coordinator as {name}")
    task.asked_ms = tasks.session.time.now_ms()
    return task


def under_way(tasks: Tasks, task: Task) -> PendingKeyConnect:
    """Its connect, whose answer was not waited for yet."""
    asked = task.probe.begin_connect_with_key(tasks.bytes_of(task.key), coordinator=tasks.coordinator_of(task.key))
    return achieved(asked, f"asking to connect with {task.key}")


def is_sent_away(context: PulsarContext, task: Task) -> bool:
    """Whether the broker closes the task's connection, within patience."""
    for _ in context.session.time.attempts():
        if task.probe.was_sent_away():
            return True
    return task.probe.was_sent_away()


def _connect_there(context: PulsarContext, tasks: Tasks, task: str, key: NamedKey, where: str, other: str) -> None:
    theirs, last = (
        tasks[other].grants[-1].coordinator,
        achieved(context.client.coordinators(), "asking how many coordinators there are") - 1,
    )
    for number in range(_KEYS):
        tasks.spelled[key] = str(number)
        one = tasks.new(task, key)
        granted = achieved(tasks.connect(one), f"connecting with {key} as {task}")
        beside = _broker_of(one) == _broker_of(tasks[other])
        found = {
            "the coordinator": granted.coordinator == theirs,
            "another coordinator than that": granted.coordinator != theirs,
            "another coordinator next to that": granted.coordinator != theirs and beside,
            "the last coordinator, not that": granted.coordinator == last != theirs,
        }
        if found[where]:
            return
        achieved(one.probe.delete_transaction_key(tasks.name_of(key), key.owner), f"deleting {key} again")
    raise SetUpFailed(f"{key} should belong to {where} of {other}; none of {_KEYS} keys does")


def _broker_of(task: Task) -> str | None:
    """The address to which the connection with the task's key leads."""
    return str(task.probe.key.connection.address) if task.probe.key else None


def _epoch(epoch: int | None) -> str:
    return "no epoch" if epoch is None else f"epoch {epoch}"


def _epoch_before(task: Task) -> int:
    granted = [one.epoch for one in task.grants[:-1] if one.epoch is not None]
    return granted[-1] if granted else -1


def _another(context: PulsarContext, tasks: Tasks, key: NamedKey) -> int:
    count = observed(context.client.coordinators(), "asking how many coordinators there are")
    own = next(one.grants[-1].coordinator for one in tasks.by_name.values() if one.key == key and one.grants)
    return (own + 1) % count


def _await_time_out(context: PulsarContext, transaction: str) -> None:
    expires_ms = context.transactions[transaction].expires_ms
    for _ in context.session.time.attempts():
        if context.session.time.now_ms() >= expires_ms - _AHEAD_MS:
            break
