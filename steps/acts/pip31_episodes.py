"""Acts of PIP-31 that need separate objects: another topic, subscriptions of it, and transactions X and Y. A sequence has one of them.

They ask what a single acknowledgement cannot: several kinds of acknowledgements in one transaction or in two, two subscriptions, and more
acknowledgements than a page has.
"""

from collections.abc import Iterator
from itertools import product

from . import episodes, pending_cases, timed_cases, written_cases
from .act import Act, ActLine, LinesOf
from .episodes import Episode, by_kind
from .pending_cases import CRASHED, Between, PendingParts
from .pip31_ending import MOST_TIMED_OUT, TIMED_CASE, TIMED_OUT
from .pip31_model import Pip31

_LINES = LinesOf("PIP31")
CASES = "cases"
_TOPIC, _X, _BOTH = 'the topic "desk" with "d1", "d2", "d3"', "transaction X", "transactions X and Y"
_ALL = '"d1", "d2", "d3"'
_BETWEEN = ("", "desk has been unloaded", "the system has crashed and restarted")
_NEEDS = {_BETWEEN[2]: frozenset({"crash"})}
_INDEX = frozenset({"batch-index-acknowledgement"})


def _received(kind: str, name: str = "clerks", values: str = _ALL) -> str:
    return f'the consumer of {kind} subscription "{name}" has received {values} from desk'


def _plainly(values: str) -> str:
    return f'{values} has been acknowledged for "clerks" without a transaction'


_CUMULATIVE = 'X has acknowledged everything up to "d1" for "clerks"'
_MIXED: tuple[tuple[tuple[str, ...], str, str, str], ...] = (
    ((_received("failover"), _X, _CUMULATIVE, 'X has acknowledged "d3" for "clerks"'), _ALL, '"d2"', "84"),
    ((_received("shared"), _X, 'X has acknowledged "d1", "d3" for "clerks"'), _ALL, '"d2"', "58"),
    ((_received("shared"), _X, 'X has acknowledged "d1" for "clerks"', _plainly('"d2"')), '"d1", "d3"', '"d3"', "57"),
    (
        (_received("shared"), _BOTH, 'X has acknowledged "d1" for "clerks"', 'Y has acknowledged "d2" for "clerks"', "Y has aborted"),
        _ALL,
        '"d2", "d3"',
        "58",
    ),
    (
        (_received("shared"), _BOTH, 'X has acknowledged "d1" for "clerks"', 'Y has acknowledged "d2" for "clerks"', "Y has committed"),
        '"d1", "d3"',
        '"d3"',
        "58",
    ),
    (
        (
            _received("shared"),
            _received("shared", "keepers"),
            _X,
            'X has added "keepers" and "clerks"',
            'X has acknowledged "d1" for "clerks"',
        ),
        _ALL,
        '"d2", "d3"',
        "20",
    ),
)
"""What has happened, what is left after an abort, and after a commit."""


def _of_mixed_acknowledgements() -> Iterator[Episode]:
    for (givens, aborted, committed, why), between, ends in product(_MIXED, _BETWEEN, ("aborts", "commits")):
        left = f'subscription "clerks" has {aborted if ends == "aborts" else committed} left'
        said = (_TOPIC, *givens, *([between] if between else []))
        yield Episode(said, f"X {ends}", (left,), why, _NEEDS.get(between, frozenset()))


def _of_conflicts() -> Iterator[Episode]:
    """What is granted is not known: the consumer's messages agree with the answers."""
    tried = 'Y has tried to acknowledge "{}" for "clerks"'
    for value, first, second, between in product(("d1", "d3"), ("aborted", "committed"), ("aborts", "commits"), _BETWEEN):
        said = (_TOPIC, _received("failover"), _BOTH, 'X has acknowledged everything up to "d2" for "clerks"', tried.format(value))
        ended = (f"Y has {first}", *([between] if between else []))
        yield Episode((*said, *ended), f"X {second}", ('"clerks" agrees with the answers',), "85", _NEEDS.get(between, frozenset()))
    said = (_TOPIC, _received("shared"), _BOTH, 'X has acknowledged "d1" for "clerks"', 'Y has acknowledged "d2" for "clerks"')
    yield Episode(said, "Y aborts", ('the consumer of "clerks" receives "d2" and nothing else',), "58")


def _of_batches() -> Iterator[Episode]:
    batch = 'a batch of "b1", "b2", "b3" has been written to desk'
    received = _received("shared", values=f'{_ALL}, "b1", "b2", "b3"')
    for ends, left in (("aborts", f'{_ALL}, "b1", "b3"'), ("commits", f'{_ALL}, "b3"')):
        said = (_TOPIC, batch, received, _X, 'X has acknowledged "b1" for "clerks"', _plainly('"b2"'))
        yield Episode(said, f"X {ends}", (f'subscription "clerks" has {left} left',), "57", _INDEX)


def _of_many() -> Iterator[Episode]:
    for ends, between in product(("aborts", "commits"), _BETWEEN[:2]):
        said = ('the topic "desk"', _X, 'X has acknowledged 150 messages of desk for "clerks", one by one', *([between] if between else []))
        due = '"clerks" agrees with the answers' if ends == "aborts" else 'subscription "clerks" has nothing left'
        yield Episode(said, f"X {ends}", (due,), "174")
    for ends, between in product(("aborts", "commits"), _BETWEEN):
        said = ('the topic "desk"', _X, 'X has acknowledged the last of 70 messages of desk for "clerks", which are one batch')
        happened = [between] if between else []
        yield Episode(
            (*said, *happened), f"X {ends}", ('"clerks" agrees with the answers',), "66", _INDEX | _NEEDS.get(between, frozenset())
        )


def _of_deleted_topics() -> Iterator[Episode]:
    again = "desk has been deleted and made again"
    for ends in ("commits", "aborts"):
        yield Episode((_TOPIC, _X, 'X has written "x1" to desk', again), f"X {ends}", ("readers of desk see nothing",), "146")
    yield Episode((_TOPIC, _X, 'X has committed "x1" to desk', again), '"new" is written to desk', ('readers of desk see "new"',), "146")
    pending = (_TOPIC, _received("shared"), _X, 'X has acknowledged "d1" for "clerks"', again)
    yield Episode(pending, '"new" is written to desk', ('subscription "clerks" has "new" left',), "146")


def _why_pending(held: PendingParts, between: Between, is_commit: bool) -> str:
    if between.is_conflict:
        return "154"
    if CRASHED in between.said:
        return "86"
    if held.is_cumulative:
        return "173" if held.plain and not is_commit else "83" if is_commit else "84"
    return "57" if held.is_bound else "93" if between.consumer != "others" else "61" if is_commit else "58"


def _why_written(happened: tuple[str, ...], is_commit: bool) -> str:
    return "47" if CRASHED in happened and is_commit else "171" if happened and not is_commit else "01" if is_commit else "02"


def _of_both_kinds() -> Iterator[Episode]:
    """At most one of two transactions succeeds and commits, if one acknowledges individually and the other one cumulatively."""
    alone, up_to = '{} has {} "d1" for "clerks"', '{} has {} everything up to "d2" for "clerks"'
    for first, second in ((alone, up_to), (up_to, alone)):
        said = (_TOPIC, _received("failover"), _BOTH, first.format("X", "acknowledged"), second.format("Y", "tried to acknowledge"))
        for one, other in ("XY", "YX"):
            for between in _BETWEEN:
                happened = (f"{one} has tried to commit", *([between] if between else []))
                due = 'at most one of X and Y has acknowledged "d1" for "clerks" and committed'
                yield Episode((*said, *happened), f"{other} commits", (due,), "121", _NEEDS.get(between, frozenset()))


def _of_timeouts() -> Iterator[Episode]:
    through = "X has been open for a moment and through a crash, with a timeout longer than a restart"
    due = "X was OPEN until its timeout had passed, and not when Y had timed out"
    yield Episode((through,), "Y begins and times out just after X", (due,), "43", _NEEDS[_BETWEEN[2]])


def _of_lost_clients() -> Iterator[Episode]:
    begun = "X was begun by a client that has lost its connection"
    for ends, seen in (("commits", '"d1", "d2", "d3", "x1"'), ("aborts", _ALL)):
        yield Episode((_TOPIC, begun, 'X has written "x1" to desk'), f"X {ends}", ("it is done", f"readers of desk see {seen}"), "40")
    cannot = "X has tried to add a topic whose name cannot be parsed"
    for ends, left in (("commits", '"d2", "d3"'), ("aborts", _ALL)):
        said = (_TOPIC, _received("shared"), _X, 'X has acknowledged "d1" for "clerks"', cannot)
        yield Episode(said, f"X {ends}", (f'subscription "clerks" has {left} left',), "112")


def _of_terminated_topics() -> Iterator[Episode]:
    held = (_TOPIC, _received("shared"), _X, 'X has acknowledged "d1" for "clerks"', "desk has been terminated")
    yield Episode(held, "X aborts", ('the consumer of "clerks" receives "d1" before any other write',), "174")
    yield Episode(held, "X commits", ('nothing of X is pending in "clerks"',), "174", frozenset({"buffer-statistics"}))


_PARTS = (
    _of_mixed_acknowledgements,
    _of_conflicts,
    _of_batches,
    _of_many,
    _of_deleted_topics,
    _of_terminated_topics,
    _of_both_kinds,
    _of_timeouts,
    _of_lost_clients,
)


def _says(model: Pip31, one: Episode) -> list[ActLine]:
    model.done["episode"] += 1
    if one.needs & {"crash"}:
        model.go_down()
    return one.lines(_LINES)


def _may_come(model: Pip31, _: Episode) -> bool:
    return not model.done["episode"]


def _says_case(model: Pip31, one: Episode) -> list[ActLine]:
    model.done[CASES] += 1
    if one.needs & {"crash"}:
        model.go_down()
    return one.numbered(model.done[CASES] - 1).lines(_LINES)


def may_case_come(model: Pip31, _: Episode) -> bool:
    return model.done[CASES] < episodes.MOST_CASES


def _says_timed(model: Pip31, one: Episode) -> list[ActLine]:
    model.done[TIMED_OUT] += 1
    model.done[TIMED_CASE] += 1
    return _says_case(model, one)


def may_time_out(model: Pip31, one: Episode) -> bool:
    """Names and waits are shared with other acts."""
    is_free = "S" not in model.transactions and not model.done[TIMED_CASE]
    return is_free and model.done[TIMED_OUT] < MOST_TIMED_OUT and may_case_come(model, one)


def acts() -> Iterator[Act[Pip31]]:
    """These, one kind for each theme."""
    for part in _PARTS:
        yield from episodes.acts_of(part(), _may_come, _says)
    for cases in (*by_kind(pending_cases.cases(_why_pending)), *by_kind(written_cases.cases(_why_written))):
        yield from episodes.acts_of(cases, may_case_come, _says_case, are_cases=True)
    for cases in by_kind(timed_cases.cases(str)):
        yield from episodes.acts_of(cases, may_time_out, _says_timed, are_cases=True)
