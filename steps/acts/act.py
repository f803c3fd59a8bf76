"""An act, its table, and the lines of a sequence of acts."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Generic, NamedTuple, Protocol, TypeVar

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.evidence import Violation
from fencepost.contract.gherkin import GherkinStep

M = TypeVar("M")
T = TypeVar("T")
_KEY = re.compile(r" \(\d+(?:, a case)?\)$")

RACES = "races"
"""The trait of acts in which requests race."""
WHOLE = "answered as a whole"
"""The trait of acts whose request has several entries, one of which may be why all are refused."""
DISTURBANCE = "Disturbance"
"""The kind of a line that is no sentence: its text names a disturbance, and it changes nothing that clients know."""


class Choose(Protocol):
    """Chooses one of several."""

    def __call__(self, among: Sequence[T], /) -> T: ...


class ActLine(NamedTuple):
    """A sentence, and the requirement that is violated where it does not hold or cannot be done.

    `given` is the form of a When where it is only a set-up for the question, None where it cannot be one. `is_hurried` says that a
    transaction is open that times out soon.
    """

    kind: str
    text: str
    requirement: str
    given: str | None = None
    is_hurried: bool = False

    @property
    def step(self) -> GherkinStep:
        return GherkinStep(self.kind, self.kind, self.text, 0)


def given(text: str, why: str) -> ActLine:
    """A request that has to succeed."""
    return ActLine("Given", text, why)


def when(text: str, why: str, as_given: str | None = None) -> ActLine:
    """A request whose answer is judged."""
    return ActLine("When", text, why, as_given)


def then(text: str, why: str) -> ActLine:
    """What is expected."""
    return ActLine("Then", text, why)


class LinesOf(NamedTuple):
    """The lines about requirements of one proposal, each named by the end of its id."""

    prefix: str

    def given(self, text: str, why: str) -> ActLine:
        return given(text, f"{self.prefix}-{why}")

    def when(self, text: str, why: str, as_given: str | None = None) -> ActLine:
        return when(text, f"{self.prefix}-{why}", as_given)

    def then(self, text: str, why: str) -> ActLine:
        return then(text, f"{self.prefix}-{why}")


def joined(names: Sequence[str]) -> str:
    """Names in the words of a sentence."""
    return " and ".join(names)


Kind = Callable[..., Sequence[ActLine]]
"""What an act does, which determines its kind."""


def always(*lines: ActLine) -> Kind:
    """What an act does about which the model notes nothing: these lines, in which `{0}`, `{1}` and so on stand for its arguments."""
    return lambda _, *arguments: [line._replace(text=line.text.format(*arguments)) for line in lines]


@dataclass(frozen=True)
class Act(Generic[M]):
    """`says` returns the lines of the act and records in the model what clients know then; it is called where `may_come` allows it.

    Both are called with the model and the `arguments`, which name the act's actors and objects.
    """

    name: str
    may_come: Callable[..., bool]
    says: Callable[..., Sequence[ActLine]]
    arguments: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    races: bool = False
    """Whether requests race, so that the answers depend on which arrives first."""
    excludes: frozenset[str] = frozenset()
    """Traits that no other act of the sequence may have."""
    is_case: bool = False
    """Whether it is one of many generated cases, of which only a sample can be played."""
    fits: "Callable[[Script[M]], bool]" = lambda _: True
    """Whether it may come after these lines, whatever clients know."""
    is_whole: bool = False
    """Whether one of several entries of its request may be why all of them are refused."""

    @property
    def traits(self) -> frozenset[str]:
        """What another act may exclude: its name, the capabilities that it needs, `RACES` and `WHOLE`."""
        return self.needs | {self.name} | ({RACES} if self.races else set()) | ({WHOLE} if self.is_whole else set())

    def is_named(self, pattern: str) -> bool:
        """Whether its name or its title matches a pattern."""
        return any(fnmatchcase(name, pattern) for name in (self.name, act_title(self.name)))


class Phase(NamedTuple):
    """Part of a sequence: so many acts of these kinds, of all kinds where none is named. A kind that is named twice comes more often."""

    kinds: tuple[Kind, ...]
    least: int
    most: int


@dataclass(frozen=True)
class Table(Generic[M]):
    """The acts of a proposal, and the model that they are about.

    `opens` returns the lines that create what the acts use, which their arguments name; `closes` those that end what is open and then look
    at everything. `means` names the requirement that a violation is of, which may be narrower than that of its line.
    """

    spec: str
    model: Callable[[], M]
    acts: Sequence[Act[M]]
    opens: Callable[[frozenset[str]], Sequence[ActLine]]
    closes: Callable[[M], Sequence[ActLine]]
    means: Callable[[M, ActLine, Violation], str] = lambda _, line, __: line.requirement
    places: tuple[frozenset[str], ...] = (frozenset(),)
    """Sets of arguments of which a sequence may leave out one, so that all happens in few places."""
    alike: tuple[tuple[str, ...], ...] = ()
    """Interchangeable actors, in the order in which they are first used."""
    at_once: tuple[frozenset[str], ...] = ()
    """A system offers at the same time the capabilities of one of these sets; of other capabilities, all that it has. The table of a
    proposal has none: they follow from the protocol on which its acts are played.
    """
    disturbances: tuple[Act[M], ...] = ()
    """Acts that no client may notice. A random sequence has one of them at most."""
    hears: Callable[[M, str], None] = lambda *_: None
    """Notes in the model what the disturbance of this name leaves."""
    hurries: Callable[[M], bool] = lambda _: False
    """Whether a transaction is open that times out soon, if acts take time."""
    costly: frozenset[str] = frozenset()
    """Capabilities that a broker needs long to prepare, for each sequence again: few of its sequences have acts that need them."""
    begins: frozenset[str] = frozenset()
    """Acts that others need before them. Where an act is not possible, random sequences try it again after one of these."""
    phases: tuple[Phase, ...] = ()
    """The course of most scenarios, such as writes, a crash, ends: two thirds of the random sequences repeat it."""

    @functools.cached_property
    def kinds(self) -> "dict[Kind, list[Act[M]]]":
        """The acts by what they do, regardless of their actors."""
        found: dict[Kind, list[Act[M]]] = {}
        for act in self.acts:
            found.setdefault(act.says, []).append(act)
        return found

    @functools.cached_property
    def beginnings(self) -> "list[list[Act[M]]]":
        """The acts that others need before them, by their kinds."""
        found = ([act for act in acts if act.name in self.begins] for acts in self.kinds.values())
        return [acts for acts in found if acts]

    @functools.cached_property
    def by_name(self) -> dict[str, Act[M]]:
        return {act.name: act for act in (*self.acts, *self.disturbances)}

    @functools.cached_property
    def met_before(self) -> dict[str, frozenset[str]]:
        """By act, the actors that must have been used: each that precedes one of its own actors, and is not its own too."""
        return {name: frozenset(self._before(act.arguments)) for name, act in self.by_name.items()}

    def _before(self, arguments: Sequence[str]) -> Iterator[str]:
        for actors in self.alike:
            for number, argument in enumerate(arguments):
                if argument in actors[1:] and (earlier := actors[actors.index(argument) - 1]) not in arguments[:number]:
                    yield earlier

    def are_offered_at_once(self, needs: frozenset[str]) -> bool:
        """Whether one system can offer all of these."""
        special = needs & self._not_everywhere
        return not special or any(special <= together for together in self.at_once)

    @functools.cached_property
    def _not_everywhere(self) -> frozenset[str]:
        return frozenset().union(*self.at_once)

    def only(self, patterns: Sequence[str]) -> "Table[M]":
        """The table with the acts whose names or titles match one of these, all if there are none. Raises WrongUsage for one that matches
        no act.
        """
        named = {pattern: [act for act in self.acts if act.is_named(pattern)] for pattern in patterns}
        for pattern, found in named.items():
            if not found:
                nearest = ", ".join(map(repr, get_close_matches(pattern, [act_title(act.name) for act in self.acts], 3, 0)))
                raise WrongUsage(f"--acts {pattern}: no act of {self.spec} has such a name; the nearest are {nearest}")
        return replace(self, acts=tuple(act for act in self.acts if any(act in found for found in named.values()))) if patterns else self

    def offered(self, capabilities: Iterable[str]) -> "Table[M]":
        """The table with those acts that a system with these capabilities offers."""
        there = frozenset(capabilities)
        return replace(self, acts=tuple(act for act in self.acts if act.needs <= there))

    def without_races(self) -> "Table[M]":
        """The table with those acts whose answers do not depend on which request comes first."""
        return replace(self, acts=tuple(act for act in self.acts if not act.races))


@dataclass
class Script(Generic[M]):
    """A sequence of acts as its lines, each with its act; the lines of the table's beginning and end have none."""

    table: Table[M]
    model: M = field(init=False)
    lines: list[tuple[ActLine, str | None]] = field(init=False, default_factory=list)
    acts: list[str] = field(init=False, default_factory=list)
    _met: set[str] = field(init=False, default_factory=set)
    needs: frozenset[str] = field(init=False, default=frozenset())
    """The capabilities that the script needs."""
    _traits: frozenset[str] = field(init=False, default=frozenset())
    _excluded: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        self.model = self.table.model()

    @property
    def met(self) -> frozenset[str]:
        """The arguments of the acts so far."""
        return frozenset(self._met)

    def may_come(self, act: Act[M]) -> bool:
        """Whether the act is possible now."""
        if self._excluded and not self._excluded.isdisjoint(act.traits):
            return False
        if not act.excludes.isdisjoint(self._traits):
            return False
        if not self.table.are_offered_at_once(self.needs | act.needs):
            return False
        return act.may_come(self.model, *act.arguments) and act.fits(self)

    def possible(self, acts: Iterable[Act[M]] | None = None) -> Iterator[Act[M]]:
        """The acts of these, or of all, that are possible now; only one of those that differ only in the names of actors."""
        met, before = self._met, self.table.met_before
        return (act for act in (self.table.acts if acts is None else acts) if before[act.name] <= met and self.may_come(act))

    def add(self, act: Act[M]) -> None:
        """Append the act."""
        self._met.update(act.arguments)
        self.needs |= act.needs
        self._traits |= act.traits
        self._excluded |= act.excludes
        self.acts.append(act.name)
        said = act.says(self.model, *act.arguments)
        is_hurried = self.table.hurries(self.model)
        self.lines += [(line._replace(is_hurried=is_hurried), act.name) for line in said]

    def close(self) -> None:
        """Add the lines that create what is used at the beginning, and those that end and look at everything."""
        opened = [(line, None) for line in self.table.opens(frozenset(self._met))]
        is_hurried = self.table.hurries(self.model)
        closed = [line._replace(is_hurried=is_hurried) for line in self.table.closes(self.model)]
        self.lines = [*opened, *self.lines, *((line, None) for line in closed)]


def act_title(act: str) -> str:
    """The name of an act as people read it: without the requirement and the placeholders that distinguish it from others of its table."""
    return _KEY.sub("", act).replace("{u}", "u")


def kinds_of(acts: Sequence[Act[M]], names: Mapping[str, int]) -> tuple[Kind, ...]:
    """The kinds of the acts of these names, each so many times."""
    by_name = {act.name: act.says for act in acts}
    return tuple(by_name[name] for name, times in names.items() for _ in range(times))


def script_of(table: Table[M], names: Iterable[str]) -> Script[M]:
    """The script of these acts, without those that are not possible in their place. Raises UnknownName for an unknown act."""
    script, acts = Script(table), table.by_name
    for name in names:
        if name not in acts:
            raise UnknownName(f"act of {table.spec}", name, acts)
        if script.may_come(acts[name]):
            script.add(acts[name])
    script.close()
    return script


def sequences(table: Table[M], depth: int) -> Iterator[tuple[str, ...]]:
    """Every sequence of at most so many acts, the shortest first; only one of those that differ only in the names of actors.

    A generated case is a sequence by itself.
    """
    level: list[tuple[str, ...]] = [()]
    acts = table.acts
    for _ in range(depth):
        following = []
        for names in level:
            following += [(*names, act.name) for act in begun(table, names).possible(acts)]
        yield from following
        level = [names for names in following if not table.by_name[names[-1]].is_case]
        acts = [act for act in table.acts if not act.is_case]


def begun(table: Table[M], names: Iterable[str]) -> Script[M]:
    """The script of these acts, each of which is possible in its place, before it is closed."""
    script, acts = Script(table), table.by_name
    for name in names:
        script.add(acts[name])
    return script
