"""Cases of pending acknowledgements: what two transactions have acknowledged, what happens then, who ends, and what is left.

PIP-31 and PIP-471 ask the same of them, each by its requirements.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from fencepost.steps.pulsar.vocabulary import shown

from .episodes import Episode

DESK, ALL = 'the topic "desk" with "d1", "d2", "d3"', ("d1", "d2", "d3")
UNLOADED, CRASHED = "desk has been unloaded", "the system has crashed and restarted"
KINDS = ("shared", "key-shared", "exclusive", "failover")
_SINGLE = KINDS[2:]
"""Types that allow cumulative acknowledgements."""
_ENDS = {"commits": True, "aborts": False}
CRASH, ALIKE = frozenset({"crash"}), frozenset({"more-coordinators"})


@dataclass(frozen=True)
class Parts:
    """What has happened, and the messages that X, Y and clients without a transaction have written, or acknowledged."""

    said: tuple[str, ...]
    x: str
    y: str = ""
    plain: str = ""


@dataclass(frozen=True)
class PendingParts(Parts):
    """What was acknowledged."""

    is_cumulative: bool = False
    is_bound: bool = False
    """Whether more may be left than is certain."""

    @property
    def is_open_to_conflicts(self) -> bool:
        """Whether the first message is pending, one by one, and the last one is free."""
        return "d1" in self.x and not self.is_cumulative and "d3" not in self.x + self.y + self.plain


@dataclass(frozen=True)
class Between:
    """What happens while the acknowledgements are pending."""

    said: tuple[str, ...]
    needs: frozenset[str] = frozenset()
    kinds: tuple[str, ...] = KINDS
    consumer: str = "clerks"
    """The consumer that is attached then."""
    is_conflict: bool = False
    """Whether another transaction is refused the first message, and the last one with it."""
    is_quiet: bool = False
    """Whether the consumer that has received the messages is still attached, and has received none of them since."""
    is_after_an_end: bool = False
    """Whether it happens after the first of two transactions has ended, and not before."""


def _x(what: str) -> str:
    return f'X has acknowledged {what} for "clerks"'


def _y(what: str) -> str:
    return f'Y has acknowledged {what} for "clerks"'


def _plain(what: str) -> str:
    return f'{what} has been acknowledged for "clerks" without a transaction'


_ONE_BY_ONE = (
    PendingParts((_x('"d1"'),), "d1"),
    PendingParts((_x('"d1", "d3"'),), "d1 d3"),
    PendingParts((_x('"d3"'), _x('"d1"')), "d1 d3"),
    PendingParts((_x('"d1"'), _y('"d2"')), "d1", "d2"),
    PendingParts((_y('"d1", "d3"'), _x('"d2"')), "d2", "d1 d3"),
    PendingParts((_plain('"d3"'), _x('"d1"'), _y('"d2"')), "d1", "d2", "d3"),
    PendingParts((_x('"d2"'), _plain('"d1"')), "d2", "", "d1"),
)
_UP_TO = (
    PendingParts((_x('everything up to "d2"'),), "d1 d2", is_cumulative=True),
    PendingParts((_x('everything up to "d1"'), _x('everything up to "d3"')), "d1 d2 d3", is_cumulative=True),
    PendingParts((_x('everything up to "d1"'), _x('"d3"')), "d1 d3", is_cumulative=True),
    PendingParts((_y('"d3"'), _x('everything up to "d2"')), "d1 d2", "d3", is_cumulative=True),
    PendingParts((_plain('"d2"'), _x('everything up to "d3"')), "d1 d3", "", "d2", is_cumulative=True),
    PendingParts((_plain('everything up to "d1"'), _x('everything up to "d2"')), "d2", "", "d1", is_cumulative=True),
    PendingParts((_x('"d2"'), _plain('everything up to "d3"')), "d2", "", "d1 d3", is_bound=True),
)
_OTHERS = 'the consumer of {} subscription "others" has received nothing from desk, by the name of "clerks"'
_LEFT, _OTHERS_LEFT = 'the consumer of "clerks" has left', 'the consumer of "others" has left'
_SEVERAL = ("shared", "key-shared", "failover")
BETWEEN = (
    Between((), is_quiet=True),
    Between((UNLOADED,)),
    Between((CRASHED,), CRASH),
    Between((CRASHED, UNLOADED), CRASH),
    Between((UNLOADED,), is_after_an_end=True),
    Between((CRASHED,), CRASH, is_after_an_end=True),
    Between(('another consumer has taken over "clerks"',)),
    Between(('the consumer of "clerks" has asked for redelivery',)),
    Between((_OTHERS, _LEFT), kinds=_SEVERAL, consumer="others"),
    Between((_OTHERS, _OTHERS_LEFT), kinds=("shared",), is_quiet=True),
    Between((_OTHERS, 'subscription "clerks" has been tried to remove while it had other consumers'), kinds=("shared",), consumer="others"),
    Between(
        (
            'the consumer of shared subscription "keepers" has received "d1", "d2", "d3" from desk',
            'subscription "keepers" has been removed',
        ),
        is_quiet=True,
    ),
)
_NOT_SPLIT = frozenset({"the disturbance split"})
"""A message that is free is granted if it is sent in a separate request."""
_TRIES = ("transaction Z", 'Z has tried to acknowledge "d3", "d1" for "clerks"')
CONFLICTS = tuple(
    Between((*_TRIES, *then), needs, is_conflict=True)
    for then, needs in (
        ((), frozenset[str]()),
        (("Z has aborted",), frozenset[str]()),
        (("Z has committed",), frozenset[str]()),
        ((UNLOADED,), frozenset[str]()),
        ((CRASHED,), CRASH),
    )
)


def cases(
    why: Callable[[PendingParts, Between, bool], str],
    between: Iterable[Between] = (*BETWEEN, *CONFLICTS),
) -> Iterator[tuple[str, Episode]]:
    """All of them, each with the type of its subscription; `why` names the requirement."""
    for kind, one in product(KINDS, between):
        if kind not in one.kinds:
            continue
        for held in (*_ONE_BY_ONE, *(_UP_TO if kind in _SINGLE else ())):
            if (one.is_conflict and not held.is_open_to_conflicts) or (one.is_after_an_end and not held.y):
                continue
            for other in ("", "committed", "aborted") if held.y else ("",):
                if one.is_after_an_end and not other:
                    continue
                for how, is_commit in _ENDS.items():
                    for is_alike in (False, True) if held.y and not one.said else (False,):
                        yield kind, _case(kind, one, held, other, how, why(held, one, is_commit), is_alike=is_alike)
    yield from _of_two_subscriptions(why)


def _of_two_subscriptions(why: Callable[[PendingParts, Between, bool], str]) -> Iterator[tuple[str, Episode]]:
    """A transaction that has acknowledged on two subscriptions of one topic, which it has added one by one or in one request."""
    for kind, happens, is_turned, is_added, (how, is_commit) in product(
        ("shared", "failover"), BETWEEN[:3], (False, True), (False, True), _ENDS.items()
    ):
        taken = [_x('"d1"'), _x('"d2"').replace("clerks", "others")]
        said = [
            DESK,
            *(f'the consumer of {kind} subscription "{name}" has received {shown(ALL)} from desk' for name in ("clerks", "others")),
        ]
        said += ["transaction X", *(['X has added "clerks" and "others"'] if is_added else [])]
        said += [*(reversed(taken) if is_turned else taken), *happens.said]
        left = {"clerks": ("d2", "d3"), "others": ("d1", "d3")} if is_commit else {"clerks": ALL, "others": ALL}
        due = tuple(f'subscription "{name}" has {shown(values)} left' for name, values in left.items())
        yield kind, Episode(tuple(said), f"X {how}", due, why(PendingParts((), "d1"), happens, is_commit), happens.needs)


def begun(others: str, *, is_alike: bool) -> str:
    """The transactions, which may have the same number at two coordinators."""
    if is_alike:
        return "X and Y are transactions with the same number at two coordinators"
    return "transactions X and Y" if others else "transaction X"


def _case(kind: str, one: Between, held: PendingParts, other: str, how: str, why: str, *, is_alike: bool) -> Episode:
    said = [DESK, f'the consumer of {kind} subscription "clerks" has received {shown(ALL)} from desk']
    said += [begun(held.y, is_alike=is_alike), *held.said]
    happened, ended = [text.format(kind) for text in one.said], [f"Y has {other}"] if other else []
    said += [*ended, *happened] if one.is_after_an_end else [*happened, *ended]
    returned = [*(held.x.split() if how == "aborts" else ()), *(held.y.split() if other == "aborted" else ())]
    taken = {*held.plain.split(), *held.x.split(), *held.y.split()} - set(returned)
    free = [value for value in ALL if value not in taken]
    due = [_due(kind, one, held, sorted(returned), free)]
    return Episode(
        tuple(said),
        f"X {how}",
        tuple(due),
        why,
        one.needs | (ALIKE if is_alike else frozenset()),
        not_with=_NOT_SPLIT if one.is_conflict else frozenset(),
    )


def _due(kind: str, one: Between, held: PendingParts, returned: list[str], free: list[str]) -> str:
    """What the attached consumer receives, where that is known; otherwise what the next one receives."""
    if one.consumer == "others" and one.said[-1] == _LEFT:
        return f'the consumer of "others" receives {shown(free)} and nothing else' if free else 'subscription "others" has nothing left'
    is_known = kind == "shared" or returned == free
    if one.is_quiet and returned and is_known and not held.is_cumulative and not held.is_bound:
        return f'the consumer of "clerks" receives {shown(returned)} and nothing else'
    bound = " at least" if held.is_bound and free else ""
    return f'subscription "{one.consumer}" has{bound} {shown(free)} left'
