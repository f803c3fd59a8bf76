"""The scenarios of one protocol, as they are played on a system in this process: what two systems are compared by."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias
from unittest import mock

from fencepost.adapters.engines import ENGINES, Engine
from fencepost.contract.events import Event
from fencepost.contract.ports import System
from fencepost.contract.registration import SpecifiedSystem
from fencepost.run.identity import DeclaredSystem
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, Plays
from fencepost.run.selection import Selection

NOT_OFFERED = "not_offered"
_OF_ONE_PLAY = re.compile(r"-[0-9a-f]{6}\b")
"""What makes a name one that no other play has."""
EVERYTHING, SHAPES, TELLING = "everything", "shapes", "telling"
"""What a profile is asked: all, or what tells something new; with what each field of a request and of an answer may be, or without."""


@dataclass(frozen=True)
class Shown:
    """What a play showed: the verdict with its reason, the requests with their versions, and what was said, but for the words for a lost
    connection.
    """

    requirement: str
    feature: str
    verdict: str
    reason: str | None
    requests: frozenset[str]
    shapes: frozenset[str]
    history: list[Event]


Played: TypeAlias = Mapping[str, Shown]
"""By requirement and scenario; the examples of an outline are numbered."""


def options(specs: Iterable[str], profile: str, system: str = "reference", **given: str) -> RunOptions:
    """These proposals, of a system with these options. At an address the user says which release a profile imitates, for nothing
    else excuses its deviations there.
    """
    known_as = None if system == "reference" or profile == "seed" else profile.replace("-", ":")
    return RunOptions(system, SpecifiedSystem(given, profile), Selection(specs=tuple(specs)), named=DeclaredSystem.of(known_as=known_as))


def played(asked: RunOptions, protocol: str, which: Callable[[Play], bool] = lambda _: True) -> Played:
    """Each play of the protocol of which that holds."""
    with Plays(asked) as plays:
        return {name_of(play): _shown(plays, play) for play in plays if play.protocol == protocol and which(play)}


def played_telling(asked: RunOptions, protocol: str, bundled: Played, breadth: str) -> Played:
    """Each play that tells something new, by what is `bundled`, on a system that does not offer all of them."""
    reported = New(breadth, in_process(asked.selection.specs, protocol, "seed"))
    found = {}
    with Plays(asked) as plays:
        for play in plays:
            name = name_of(play)
            if reported.is_by(name, bundled[name]):
                found[name] = _shown(plays, play)
                if found[name].verdict != NOT_OFFERED:
                    reported.add(bundled[name])
    return found


@contextlib.contextmanager
def engine_of(protocol: str, system: Callable[..., System]) -> Iterator[None]:
    """Meanwhile this is the bundled reference of the protocol."""
    another = type("Another", (Engine,), {"system": staticmethod(system)})
    with mock.patch.dict(ENGINES, {protocol: another(**vars(ENGINES[protocol]))}):
        yield


@cache
def in_process(specs: tuple[str, ...], protocol: str, profile: str, breadth: str = EVERYTHING) -> Played:
    """What a profile shows on the reference as it is bundled; of less than everything, what tells something new."""
    if breadth == EVERYTHING:
        return played(options(specs, profile), protocol)
    reported = New(breadth, in_process(specs, protocol, "seed"))
    chosen = {}
    for name, shown in in_process(specs, protocol, profile).items():
        if reported.is_by(name, shown):
            chosen[name] = shown
            reported.add(shown)
    return chosen


class New:
    """What tells something new: a play of each feature, one with each request in each of its versions (or with each thing that one of its
    fields, or of its answer's, may be), and each with another verdict than `seed` has; or simply everything.
    """

    def __init__(self, breadth: str, seed: Played) -> None:
        self._breadth, self._seed = breadth, seed
        self._reported: set[str] = set()

    def is_by(self, name: str, shown: Shown) -> bool:
        """Whether this play shows it first, after those that were added."""
        is_new = not self._reported.issuperset(self._shown_by(shown))
        return self._breadth == EVERYTHING or is_new or shown.verdict != self._seed[name].verdict

    def add(self, shown: Shown) -> None:
        """A play has shown this."""
        self._reported |= self._shown_by(shown)

    def _shown_by(self, shown: Shown) -> set[str]:
        return {shown.feature, *shown.requests, *(shown.shapes if self._breadth == SHAPES else ())}


def name_of(play: Play) -> str:
    """The same under every system, whatever other protocols that has."""
    return f"{play.requirement} {play.scenario.name} {play.example or ''}".rstrip()


def _shown(plays: Plays, play: Play) -> Shown:
    judged = plays.judge(play)
    result, exchanges = judged.result, judged.session.exchanges() if judged.session else ()
    history = [_without_words(event) for event in judged.history]
    return Shown(
        play.requirement,
        result.feature,
        result.verdict.value,
        result.reason,
        frozenset(_OF_ONE_PLAY.sub("", one.name) for one in exchanges),
        frozenset(shape for one in exchanges for shape in _shapes(one.name, {"request": one.request, "answer": one.answer})),
        history,
    )


def _shapes(place: str, value: object) -> Iterator[str]:
    """What is in each place and what is not, which errors, and how many elements an array has: none, one, several."""
    match value:
        case Mapping():
            for name, one in value.items():
                yield from _shapes(f"{place}.{name}", one)
        case list() | tuple():
            yield f"{place}[{min(len(value), 2)}]"
            for one in value:
                yield from _shapes(f"{place}[]", one)
        case None | bool():
            yield f"{place}={value}"
        case _:
            yield f"{place}={value if 'error' in place.rpartition('.')[2] else bool(value)}"


def _without_words(event: Event) -> Event:
    reported: Any = event
    error = reported["error"]
    return {**reported, "error": {**error, "msg": None}} if error and error["class"] == "lost" else reported
