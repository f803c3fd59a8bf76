"""Acts of the transaction key in which a connect meets an end: what participants learn late, what was decided, and what is long over."""

from collections.abc import Iterator
from dataclasses import dataclass

from . import transaction_key_conditions as conditions
from .act import Act, ActLine, given, then, when
from .transaction_key_lines import aborted, transaction_of
from .transaction_key_model import TASKS, KeyedTransaction, KnownKeys

_KEYED = frozenset({"transaction-keys"})
_LATE = _KEYED | {"late-ends"}
_TOPIC, _MANY = "orders", 6
_EXPIRED, _REASON = "it is refused with InvalidTxnStatus", 'the refusal begins with "ExpiredTransaction"'
_SLOW, _OTHER = 'key "slow"', 'key "other"'
_INPUT = (
    'the topic "slow" with "s1", "s2"',
    'the consumer of failover subscription "movers" has received "s1", "s2" from slow',
    "transaction Y",
    f"task four has connected with {_SLOW}",
    "task four has begun transaction X",
    'X has acknowledged everything up to "s1" for "movers"',
    "participants hear late of ends",
)
_SLOWLY = (f"task four has connected with {_SLOW}", "task four has begun transaction X", 'X has written "x1" to orders')
_ALICES, _BOBS = f'{_SLOW} of "alice"', f'{_SLOW} of "bob"'
_BOTH = "task five and task six have connected with"


@dataclass(frozen=True)
class Wait:
    """A connect that has to wait for an end: what has happened, what is asked, and what is due."""

    name: str
    givens: tuple[str, ...]
    asks: str
    due: str
    why: str
    needs: frozenset[str] = _LATE


_COMMITTED, _CONNECTED = "X has been asked to commit", f"task five has connected with {_SLOW}"
_AFTERWARDS = 'Y acknowledges everything up to "s2" for "movers"'
_CRASH = "the system has crashed and restarted"
_AGAIN = "it is done, or refused with TransactionNotFound"
_WAITS = (
    Wait("a commit", (*_INPUT, _COMMITTED, _CONNECTED), _AFTERWARDS, "it is done", "TXKEY-25"),
    Wait("a commit, and two connect", (*_INPUT, _COMMITTED, f"{_BOTH} {_SLOW} at the same time"), _AFTERWARDS, "it is done", "TXKEY-25"),
    Wait(
        "a commit, and a deletion",
        (*_INPUT, _COMMITTED, f"{_SLOW} has been deleted", _CONNECTED),
        _AFTERWARDS,
        "it is done",
        "TXKEY-25",
    ),
    Wait("a commit that is asked for again", (*_INPUT, _COMMITTED, _CONNECTED), "X commits", _AGAIN, "TXKEY-25"),
    Wait(
        "a commit, a connect that is not answered, and a crash",
        (*_INPUT, _COMMITTED, f"task five has asked to connect with {_SLOW}", _CRASH, f"task six has connected with {_SLOW}"),
        _AFTERWARDS,
        "it is done",
        "TXKEY-25",
        _LATE | {"crash"},
    ),
    Wait(
        "an abort by the connect",
        (*_INPUT, _CONNECTED, "task five has begun transaction Z"),
        'Z acknowledges everything up to "s1" for "movers"',
        "it is done",
        "TXKEY-06",
    ),
    Wait(
        "an abort that its task has requested",
        (*_INPUT, "X has been asked to abort", _CONNECTED, "task five has begun transaction Z"),
        'Z acknowledges everything up to "s1" for "movers"',
        "it is done",
        "TXKEY-06",
    ),
    Wait(
        "an abort while another key is deleted",
        (
            *_SLOWLY,
            f"task five has connected with {_OTHER}",
            "participants hear late of ends",
            f"task six has asked to connect with {_SLOW}",
        ),
        f"{_OTHER} is deleted",
        "task six is given a greater epoch than task four",
        "TXKEY-15",
    ),
    Wait(
        "an abort while another owner connects",
        (
            *(text.replace(_SLOW, _ALICES) for text in _SLOWLY),
            "participants hear late of ends",
            f"task five has asked to connect with {_ALICES}",
        ),
        f"task six connects with {_BOBS}",
        "task five is given a greater epoch than task four",
        "TXKEY-16",
        _LATE | {"principals"},
    ),
    Wait(
        "an abort of another key",
        (
            *_SLOWLY,
            f"task five has connected with {_OTHER} at the coordinator of task four",
            "task five has begun transaction Y",
            'Y has written "y1" to orders',
            "participants hear late of ends",
            f"task six has asked to connect with {_SLOW}",
        ),
        f"task seven connects with {_OTHER}",
        "task seven is given a greater epoch than task five",
        "TXKEY-15",
    ),
)


def _wait(model: KnownKeys, name: str, _: str) -> list[ActLine]:
    one = next(one for one in _WAITS if one.name == name)
    model.done["waits"] += 1
    if "crash" in one.needs:
        model.done["crash"] += 1
        model.go_down()
    return [*(given(text, one.why) for text in one.givens), when(one.asks, one.why), then(one.due, one.why)]


def _may_wait(model: KnownKeys, *_: str) -> bool:
    return not model.done["waits"] and not model.tasks and not model.done["W"]


def _commit_and_lose(model: KnownKeys, task: str, other: str) -> list[ActLine]:
    """A commit that was decided before the next connect is complete when that is answered."""
    one, key = transaction_of(model, task), model.tasks[task].key
    model.commit(one)
    model.connect(other, key)
    lines = [given(f"{one.name} has been asked to commit", "TXKEY-25"), when(f"{other} connects with {key}", "TXKEY-25")]
    return [*lines, then("it is done", "TXKEY-25"), then(f"{one.name} is COMMITTED", "TXKEY-25")]


def _may_lose(model: KnownKeys, task: str, other: str, *_: str) -> bool:
    return conditions.is_served(model, task) and conditions.is_open(model, task) and conditions.may_connect(model, other, "")


def _go_on_with_the_first_of_many(model: KnownKeys, task: str, topic: str) -> list[ActLine]:
    """Each new transaction fences the one before."""
    model.done["many"] += 1
    lines, begun = list[ActLine](), list[KeyedTransaction]()
    for number in range(_MANY):
        before = model.tasks[task].open
        begun.append(one := model.begin(task))
        lines.append(given(f"{task} has begun transaction {one.name}", "TXKEY-14"))
        lines += aborted(before, "TXKEY-14")
        if not number:
            value = model.new_value()
            model.entries.append((value, one))
            lines.append(given(f'{one.name} has written "{value}" to {topic}', "TXKEY-07"))
    return [*lines, *_write_late(model, begun[0], topic)]


def _may_begin_many(model: KnownKeys, task: str, _: str) -> bool:
    return conditions.is_served(model, task) and not model.done["many"]


def _write_late(model: KnownKeys, one: KeyedTransaction, topic: str) -> list[ActLine]:
    model.done["late"] += 1
    asked = when(f'{one.name} writes "late" to {topic}', "TXKEY-07")
    return [asked, then(_EXPIRED, "TXKEY-07"), then(_REASON, "TXKEY-07")]


def _time_out_and_lose(model: KnownKeys, task: str, other: str, topic: str) -> list[ActLine]:
    """What has timed out is fenced when its key has the next owner, also where another transaction followed."""
    model.done["timed out"] += 1
    before, key, value = model.tasks[task].open, model.tasks[task].key, model.new_value()
    one = model.begin(task)
    model.entries.append((value, one))
    model.abort(task)
    following = model.begin(task)
    said = (
        f"{task} has begun transaction {one.name} with a short timeout",
        f'{one.name} has written "{value}" to {topic}',
        f"{one.name} has been left open past its timeout",
        f"{task} has begun transaction {following.name}",
        f"{other} has connected with {key}",
    )
    model.connect(other, key)
    return [*(given(text, "TXKEY-07") for text in said), *aborted(before, "TXKEY-14"), *_write_late(model, one, topic)]


def _may_time_out_and_lose(model: KnownKeys, task: str, other: str, topic: str) -> bool:
    return conditions.may_time_out(model, task, topic) and conditions.may_connect(model, other, "")


def _compact_and_write_late(model: KnownKeys, task: str, other: str, topic: str, crash: str) -> list[ActLine]:
    """What the key topic says of fenced transactions outlives its compaction."""
    one, key, value = transaction_of(model, task), model.tasks[task].key, model.new_value()
    model.entries.append((value, one))
    lost = model.connect(other, key)
    said = [f'{one.name} has written "{value}" to {topic}', f"{other} has connected with {key}", "the key topic has been compacted"]
    if crash:
        model.done["crash"] += 1
        model.go_down()
        said.append("the system has crashed and restarted")
    return [*(given(text, "TXKEY-07") for text in said), *aborted(lost, "TXKEY-05"), *_write_late(model, one, topic)]


def acts() -> Iterator[Act[KnownKeys]]:
    """All acts in which a connect meets an end."""
    for one in _WAITS:
        used = (one.name, _TOPIC if "orders" in " ".join(one.givens) else "")
        yield Act(f"a connect waits for {one.name}", _may_wait, _wait, used, one.needs)
    for x in TASKS:
        yield Act(f"{x} goes on with the first of many", _may_begin_many, _go_on_with_the_first_of_many, (x, _TOPIC), _KEYED)
        for y in TASKS:
            if x != y:
                yield Act(f"{x} is asked to commit, and {y} connects", _may_lose, _commit_and_lose, (x, y), _KEYED)
                said = f"{x} times out, begins another, is fenced by {y} and writes late"
                yield Act(said, _may_time_out_and_lose, _time_out_and_lose, (x, y, _TOPIC), _KEYED)
                for crash in ("", ", and a crash"):
                    needs = _KEYED | {"key-topic-faults"} | ({"crash"} if crash else set())
                    said = f"{x} is fenced by {y}, the key topic is compacted{crash}, and {x} writes late"
                    yield Act(said, _may_lose, _compact_and_write_late, (x, y, _TOPIC, crash), needs)
