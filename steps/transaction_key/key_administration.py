"""What administrators do with keys and see of them, and the metrics."""

from collections.abc import Sequence

from fencepost.adapters.pulsar.pulsar_values import OwnedKey
from fencepost.contract.outcomes import Refused, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.transactions import GONE
from fencepost.steps.step_outcomes import achieved, observed, unanswered

from .tasks import Tasks
from .vocabulary import KEYS, AgeOf, EpochsOf, Measured, NamedKey

_WATCHED_S = 1.0
"""For how long the step checks that a deleted key does not reappear through requests that had waited."""

DELETE = KEYS.act(
    given="{key} has been deleted",
    tried="an administrator has tried to delete {key}",
    when="{key} is deleted",
    meaning="DELETE of the key by an administrator, who names its owner where that has a name.",
)


@DELETE.given
def has_been_deleted(context: PulsarContext, tasks: Tasks, key: NamedKey) -> None:
    achieved(context.client.delete_transaction_key(tasks.name_of(key), key.owner), f"deleting {key}")


@DELETE.when
def is_deleted(context: PulsarContext, tasks: Tasks, key: NamedKey) -> None:
    context.ask("DELETE", context.client.delete_transaction_key(tasks.name_of(key), key.owner))


@DELETE.tried
def has_tried_to_delete(context: PulsarContext, tasks: Tasks, key: NamedKey) -> None:
    context.client.delete_transaction_key(tasks.name_of(key), key.owner)


@KEYS.then("administrators are shown {keys} and no other")
def are_notified_of(context: PulsarContext, tasks: Tasks, keys: Sequence[NamedKey]) -> None:
    """In the list of all keys, and in that of each owner of the scenario's clients, who sees only its own. Keys of others on the same
    system are ignored.
    """
    wanted = sorted(tasks.owned(key) for key in keys if key.name != "no key")
    found = _listed(context, tasks, None)
    context.evidence.expect(found == wanted, _shown(wanted), _shown(found), what="list of keys")
    for owner in sorted(name for name in tasks.owners if name is not None):
        theirs, listed = [one for one in wanted if one.owner == owner], _listed(context, tasks, owner)
        context.evidence.expect(listed == theirs, _shown(theirs), _shown(listed), what=f"list of the keys of {owner}")


@KEYS.then("administrators do not find {key}")
def do_not_find(context: PulsarContext, tasks: Tasks, key: NamedKey) -> None:
    """A GET of it answers that it is not found, now and for a second."""
    for _ in context.session.time.attempts(_WATCHED_S):
        answer = context.client.transaction_key(tasks.name_of(key), key.owner)
        if isinstance(answer, Unknown):
            unanswered(answer, f"asking for {key}")
        holds = isinstance(answer, Refused) and answer.code == GONE
        context.evidence.expect(holds, "not found", str(answer), what=str(key))


@KEYS.then("{key} is at the epoch of {task}, with {open} open")
def is_at_the_epoch(context: PulsarContext, tasks: Tasks, key: NamedKey, task: str, open: tuple[str, ...]) -> None:  # noqa: A002 - the type's name
    """A GET of it shows its owner, that epoch, the coordinator that the task was given, and exactly these open transactions."""
    state = observed(context.client.transaction_key(tasks.name_of(key), key.owner), f"asking for {key}")
    given = tasks[task].grants[-1]
    wanted = (tasks.owned(key), given.epoch, given.coordinator, sorted(context.id_of(name) for name in open))
    found = (OwnedKey(state.owner, state.key), state.epoch, state.coordinator, sorted(state.transactions))
    context.evidence.expect(found == wanted, _reported(*wanted), _reported(*found), what=str(key))


@KEYS.then("the metrics {measured}")
def metrics_are(context: PulsarContext, tasks: Tasks, measured: Measured) -> None:
    """The metrics count as many keys as have an epoch. Each of these has the epoch that a GET shows, and no other key of the scenario has
    one. The age of a task's key lies between the time that has passed since the answer to its last connect, and that since its request.
    """
    match measured:
        case EpochsOf(keys):
            _judge_epochs(context, tasks, keys)
        case AgeOf(task):
            _judge_age(context, tasks, task)


def _judge_epochs(context: PulsarContext, tasks: Tasks, keys: Sequence[NamedKey]) -> None:
    metrics = observed(context.client.key_metrics(), "asking for the metrics")
    ours = {one: epoch for one, epoch in metrics.epochs.items() if _is_ours(tasks, one)}
    states = {tasks.owned(key): context.client.transaction_key(tasks.name_of(key), key.owner) for key in keys}
    wanted = {one: observed(state, f"asking for {one.key}").epoch for one, state in states.items()}
    holds = ours == wanted and metrics.count == len(metrics.epochs)
    seen = f"{_epochs(ours)}; {metrics.count} keys counted, {len(metrics.epochs)} with an epoch"
    context.evidence.expect(holds, f"{_epochs(wanted)}; as many keys counted as have an epoch", seen, what="metrics")


def _judge_age(context: PulsarContext, tasks: Tasks, task: str) -> None:
    one = tasks[task]
    least = context.session.time.now_ms() - one.granted_ms
    metrics = observed(context.client.key_metrics(), "asking for the metrics")
    most = context.session.time.now_ms() - one.asked_ms
    age = metrics.ages_ms.get(tasks.owned(one.key))
    holds = age is not None and least - 1 <= age <= most + 1  # ages are reported in whole milliseconds
    seen = "none" if age is None else f"{age:.0f} ms"
    context.evidence.expect(holds, f"between {least:.0f} and {most:.0f} ms", seen, what=f"age of {one.key}")


def _listed(context: PulsarContext, tasks: Tasks, owner: str | None) -> list[OwnedKey]:
    listed = observed(context.client.transaction_keys(owner), "asking for a list of keys")
    return sorted(one for one in listed if _is_ours(tasks, one))


def _is_ours(tasks: Tasks, key: OwnedKey) -> bool:
    return tasks.session.unique("") in key.key


def _shown(keys: Sequence[OwnedKey]) -> str:
    return ", ".join(f"{one.key} of {one.owner or 'nobody'}" for one in keys) or "none"


def _epochs(epochs: dict[OwnedKey, int]) -> str:
    return ", ".join(f"{one.key} of {one.owner or 'nobody'} at {epoch}" for one, epoch in sorted(epochs.items())) or "no key"


def _reported(key: OwnedKey, epoch: int | None, coordinator: int, transactions: Sequence[object]) -> str:
    return f"{_shown([key])} at epoch {epoch}, coordinator {coordinator}, open: {', '.join(map(str, transactions)) or 'nothing'}"
