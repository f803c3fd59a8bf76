"""Acts of the transaction key in which a task begins transactions at once or in trouble, or goes on with what was fenced."""

from collections.abc import Iterator

from . import transaction_key_conditions as conditions
from .act import Act, ActLine, given, when
from .transaction_key_lines import aborted, seen, transaction_of
from .transaction_key_model import TASKS, KnownKeys

_KEYED = frozenset({"transaction-keys"})
_TOPIC = "orders"
_EXPIRED, _REASON = "it is refused with InvalidTxnStatus", 'the refusal begins with "ExpiredTransaction"'
_HEAP = (
    'the topic "heaps" with "h1", "h2"',
    'the consumer of failover subscription "stackers" has received "h1", "h2" from heaps',
)
_ALL, _FIRST = 'everything up to "h2" for "stackers"', 'everything up to "h1" for "stackers"'
_HAD = {"after another": f"has acknowledged {_FIRST}", "after it was added": 'has added "stackers"'}
_BETWEEN = {
    "": ("", frozenset[str]()),
    ", an unload": ("heaps has been unloaded", frozenset[str]()),
    ", a crash": ("the system has crashed and restarted", frozenset({"crash"})),
}
_STORE = "the store does not answer the next change of a header, and"
_FAILURES = ("does not write it", "has written it")


def _begin_two(model: KnownKeys, task: str) -> list[ActLine]:
    """The second of them fences the first, also where another one is fenced before."""
    key = model.tasks[task].key
    first, second = model.begin(task), model.begin(task)
    return [
        when(f"{task} begins transactions {first.name} and {second.name} at the same time", "TXKEY-13"),
        *seen("TXKEY-13", "it is done"),
        *aborted(first, "TXKEY-13"),
        *seen("TXKEY-13", f"{second.name} is OPEN", f"{key} is at the epoch of {task}, with transaction {second.name} open"),
    ]


def _commit_and_begin_two(model: KnownKeys, task: str) -> list[ActLine]:
    """They are requested while another one is being committed."""
    one = transaction_of(model, task)
    model.commit(one)
    first, second = model.begin(task), model.begin(task)
    return [
        given(f"{one.name} has been asked to commit", "TXKEY-13"),
        when(f"{task} begins transactions {first.name} and {second.name} at the same time", "TXKEY-13"),
        *aborted(first, "TXKEY-13"),
        *seen("TXKEY-13", f"{second.name} is OPEN"),
    ]


def _begin_unrecorded(model: KnownKeys, task: str) -> list[ActLine]:
    key = model.tasks[task].key
    return [
        given("the key topic fails at the next write", "TXKEY-13"),
        when(f"{task} asks for a new transaction on its old connection", "TXKEY-13"),
        *seen("TXKEY-13", "it is refused", f"{key} is at the epoch of {task}, with nothing open"),
    ]


def _come_back_and_begin(model: KnownKeys, task: str) -> list[ActLine]:
    """A client that has a transaction open begins another one on its next connection."""
    one = model.tasks[task]
    one.is_connected, one.has_left = True, False
    before, following = one.open, model.begin(task)
    return [
        when(f"{task} connects again", "TXKEY-13"),
        *seen("TXKEY-13", "it is done"),
        when(f"{task} begins transaction {following.name}", "TXKEY-13"),
        *seen("TXKEY-13", "it is done"),
        *aborted(before, "TXKEY-13"),
        *seen("TXKEY-13", f"{one.key} is at the epoch of {task}, with transaction {following.name} open"),
    ]


def _come_back_and_go_on(model: KnownKeys, task: str, other: str, topic: str) -> list[ActLine]:
    """A task that was fenced has its key again as a new process, and goes on with what it had before."""
    one, key, value = transaction_of(model, task), model.tasks[task].key, model.new_value()
    model.entries.append((value, one))
    model.connect(other, key)
    lost = model.connect(task, key)
    model.done["late"] += 1
    model.done["ends late"] += 1
    return [
        given(f'{one.name} has written "{value}" to {topic}', "TXKEY-07"),
        given(f"{other} has connected with {key}", "TXKEY-07"),
        when(f"{task} connects again with no epoch", "TXKEY-02"),
        *seen("TXKEY-02", "it is done"),
        *aborted(lost, "TXKEY-05"),
        when(f'{one.name} writes "late" to {topic}', "TXKEY-07"),
        *seen("TXKEY-07", _EXPIRED),
        when(f"{one.name} commits", "TXKEY-10"),
        *seen("TXKEY-10", _EXPIRED),
        when(f"{one.name} aborts", "TXKEY-11"),
        *seen("TXKEY-11", _EXPIRED),
    ]


def _acknowledge_all_late(model: KnownKeys, task: str, other: str, had: str, between: str) -> list[ActLine]:
    """A cumulative acknowledgement that comes when its transaction is fenced does not move the position."""
    one, key = transaction_of(model, task), model.tasks[task].key
    model.done["heaps"] += 1
    lost = model.connect(other, key)
    said = [*_HEAP, f"{one.name} {_HAD[had]}", f"{other} has connected with {key}"]
    if between:
        said.append(_BETWEEN[between][0])
    if "crash" in between:
        model.done["crash"] += 1
        model.go_down()
    return [
        *(given(text, "TXKEY-08") for text in said),
        *aborted(lost, "TXKEY-05"),
        when(f"{one.name} acknowledges {_ALL}", "TXKEY-08"),
        *seen("TXKEY-08", _EXPIRED, _REASON, 'subscription "stackers" has "h1", "h2" left'),
    ]


def _acknowledge_all_silently(model: KnownKeys, task: str, other: str) -> list[ActLine]:
    """The successor is not blocked by an acknowledgement of which no client learns that it was refused."""
    one, key = transaction_of(model, task), model.tasks[task].key
    model.done["heaps"] += 1
    lost = model.connect(other, key)
    following = model.begin(other)
    said = (
        *_HEAP,
        f'{one.name} has added "stackers"',
        f"{other} has connected with {key}",
        f"{other} has begun transaction {following.name}",
        f"{one.name} has acknowledged {_ALL} without asking for an answer",
    )
    return [
        *(given(text, "TXKEY-08") for text in said),
        *aborted(lost, "TXKEY-05"),
        when(f"{following.name} acknowledges {_ALL}", "TXKEY-08"),
        *seen("TXKEY-08", "it is done"),
    ]


def _commit_crash_and_lose(model: KnownKeys, task: str, other: str) -> list[ActLine]:
    """A commit that was decided before a crash is complete when the next connect is answered."""
    one, key = transaction_of(model, task), model.tasks[task].key
    model.commit(one)
    model.connect(other, key)
    model.done["crash"] += 1
    model.go_down()
    model.tasks[other].is_connected = True
    said = ("the system will crash after-decision-logged", f"{one.name} has tried to commit", "the system has restarted")
    return [
        *(given(text, "TXKEY-25") for text in said),
        when(f"{other} connects with {key}", "TXKEY-25"),
        *seen("TXKEY-25", "it is done", f"{one.name} is COMMITTED"),
    ]


def _lose_in_trouble(model: KnownKeys, task: str, other: str, third: str, failure: str) -> list[ActLine]:
    """The coordinator retries an abort that the store has not answered."""
    one, key = transaction_of(model, task), model.tasks[task].key
    model.connect(other, key)
    model.connect(third, key)
    said = (f"{_STORE} {failure}", f"{other} has tried to connect with {key}")
    return [
        *(given(text, "TXKEY-36") for text in said),
        when(f"{third} connects with {key}", "TXKEY-36"),
        *seen("TXKEY-36", f"{third} is given a greater epoch than {task}"),
        *aborted(one, "TXKEY-36"),
    ]


def _has_none_open(model: KnownKeys, task: str) -> bool:
    return conditions.is_served(model, task) and model.tasks[task].open is None


def _is_at_work(model: KnownKeys, task: str) -> bool:
    return conditions.is_served(model, task) and conditions.is_open(model, task)


def _may_come_back_and_begin(model: KnownKeys, task: str) -> bool:
    return conditions.is_open(model, task) and model.has_letters


def _may_lose(model: KnownKeys, task: str, other: str, *_: str) -> bool:
    return _is_at_work(model, task) and conditions.may_connect(model, other, "")


def _may_pile_up(model: KnownKeys, task: str, other: str, *_: str) -> bool:
    return _may_lose(model, task, other) and not model.done["heaps"]


def _may_lose_in_trouble(model: KnownKeys, task: str, other: str, third: str, _: str) -> bool:
    return _may_lose(model, task, other) and conditions.may_connect(model, third, "") and model.tasks[task].is_notified


def acts() -> Iterator[Act[KnownKeys]]:
    """All acts about what was begun."""
    for x in TASKS:
        yield Act(f"{x} begins two at once", conditions.is_served, _begin_two, (x,), _KEYED)
        yield Act(f"{x} is asked to commit, and begins two at once", _is_at_work, _commit_and_begin_two, (x,), _KEYED)
        unrecorded = _KEYED | {"key-topic-faults"}
        yield Act(f"{x} begins what is not recorded", _has_none_open, _begin_unrecorded, (x,), unrecorded)
        yield Act(f"{x} reconnects and begins another", _may_come_back_and_begin, _come_back_and_begin, (x,), _KEYED)
        for y in TASKS:
            if x != y:
                yield from _of_two(x, y)


def _of_two(x: str, y: str) -> Iterator[Act[KnownKeys]]:
    yield Act(f"{x} is fenced by {y}, reconnects and goes on", _may_lose, _come_back_and_go_on, (x, y, _TOPIC), _KEYED)
    for had in _HAD:
        for between, (_, needs) in _BETWEEN.items():
            said = f"{x} is fenced by {y}{between}, and acknowledges everything {had}"
            yield Act(said, _may_pile_up, _acknowledge_all_late, (x, y, had, between), _KEYED | needs)
    said = f"{x} is fenced by {y}, and acknowledges everything without asking for an answer"
    yield Act(said, _may_pile_up, _acknowledge_all_silently, (x, y), _KEYED)
    said = f"{x} commits, a crash comes when it is decided, and {y} connects"
    yield Act(said, _may_lose, _commit_crash_and_lose, (x, y), _KEYED | {"crash-points"})
    third = next(one for one in TASKS if one not in (x, y))
    for failure in _FAILURES:
        said = f"{y} connects and the store, which {failure}, does not answer; {third} connects and fences {x}"
        yield Act(said, _may_lose_in_trouble, _lose_in_trouble, (x, y, third, failure), _KEYED | {"store-faults"})
