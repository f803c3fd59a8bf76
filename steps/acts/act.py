"""An act, the table that it stands in, and the lines that a sequence of acts says."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, Protocol, TypeVar

from fencepost.contract.errors import UnknownName
from fencepost.contract.evidence import Violation
from fencepost.contract.gherkin import Step

M = TypeVar("M")
T = TypeVar("T")


class Choose(Protocol):
    """Chooses one of several."""

    def __call__(self, among: Sequence[T], /) -> T: ...


class Line(NamedTuple):
    """A sentence, and the requirement that is violated where it does not hold or cannot be done.

    `given` is how a When is said where it only led to what is asked, None where it cannot be.
    """

    kind: str
    text: str
    requirement: str
    given: str | None = None

    @property
    def step(self) -> Step:
        return Step(self.kind, self.kind, self.text, 0)


Kind = Callable[..., Sequence[Line]]
"""What an act does, by which acts are of one kind."""


@dataclass(frozen=True)
class Act(Generic[M]):
    """`says` gives the lines of the act and notes in the model what clients know then; it is called where `may_come` allows it.

    Both are called with the model and the `arguments`, which name who and what it is about.
    """

    name: str
    may_come: Callable[..., bool]
    says: Callable[..., Sequence[Line]]
    arguments: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    races: bool = False
    """Whether requests race, so that the answers depend on which comes first."""


@dataclass(frozen=True)
class Table(Generic[M]):
    """The acts of a proposal, and the model that they are about.

    `opens` gives the lines that make what the acts use, which their arguments name; `closes` those that end what is open and then look at
    everything. `means` names the requirement that a violation is of, which may be narrower than that of its line.
    """

    spec: str
    model: Callable[[], M]
    acts: Sequence[Act[M]]
    opens: Callable[[frozenset[str]], Sequence[Line]]
    closes: Callable[[M], Sequence[Line]]
    means: Callable[[M, Line, Violation], str]
    places: tuple[frozenset[str], ...] = (frozenset(),)
    """Arguments of which a sequence may leave out those of one set, so that all happens in few places."""
    alike: tuple[tuple[str, ...], ...] = ()
    """Actors that nothing tells apart, in the order in which they come into play."""
    at_once: tuple[frozenset[str], ...] = ()
    """Of the capabilities in these, a system offers at the same time those of one; of others, all that it has."""

    @functools.cached_property
    def kinds(self) -> "dict[Kind, list[Act[M]]]":
        """The acts by what they do, whomever they are about."""
        found: dict[Kind, list[Act[M]]] = {}
        for act in self.acts:
            found.setdefault(act.says, []).append(act)
        return found

    @functools.cached_property
    def by_name(self) -> dict[str, Act[M]]:
        return {act.name: act for act in self.acts}

    @functools.cached_property
    def met_before(self) -> dict[str, frozenset[str]]:
        """By act, the actors that have to be in play: each that stands before one of its own, and is not its own too."""
        return {act.name: frozenset(self._before(act.arguments)) for act in self.acts}

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

    def offered(self, capabilities: Iterable[str]) -> "Table[M]":
        """The table with those acts that a system with these capabilities offers."""
        there = frozenset(capabilities)
        return replace(self, acts=tuple(act for act in self.acts if act.needs <= there))

    def without_races(self) -> "Table[M]":
        """The table with those acts whose answers do not depend on which request comes first."""
        return replace(self, acts=tuple(act for act in self.acts if not act.races))


@dataclass
class Script(Generic[M]):
    """A sequence of acts as the lines that it says, each with the act that says it; those of the table's beginning and end have none."""

    table: Table[M]
    model: M = field(init=False)
    lines: list[tuple[Line, str | None]] = field(init=False, default_factory=list)
    acts: list[str] = field(init=False, default_factory=list)
    _met: set[str] = field(init=False, default_factory=set)
    needs: frozenset[str] = field(init=False, default=frozenset())
    """The capabilities that it needs."""

    def __post_init__(self) -> None:
        self.model = self.table.model()

    def may_come(self, act: Act[M]) -> bool:
        """Whether clients can do that now."""
        return self.table.are_offered_at_once(self.needs | act.needs) and act.may_come(self.model, *act.arguments)

    def possible(self, acts: Iterable[Act[M]] | None = None) -> Iterator[Act[M]]:
        """The acts of these, or of all, that may come now; of those that differ only in who is called what, one."""
        met, before = self._met, self.table.met_before
        return (act for act in (self.table.acts if acts is None else acts) if before[act.name] <= met and self.may_come(act))

    def add(self, act: Act[M]) -> None:
        """Let it come next."""
        self._met.update(act.arguments)
        self.needs |= act.needs
        self.acts.append(act.name)
        self.lines += [(line, act.name) for line in act.says(self.model, *act.arguments)]

    def close(self) -> None:
        """Let what is used be made before, and everything be ended and looked at."""
        opened = [(line, None) for line in self.table.opens(frozenset(self._met))]
        self.lines = [*opened, *self.lines, *((line, None) for line in self.table.closes(self.model))]


def script_of(table: Table[M], names: Iterable[str]) -> Script[M]:
    """The script of these acts, without those that cannot come where they stand. Raises UnknownName where there is no such act."""
    script, acts = Script(table), table.by_name
    for name in names:
        if name not in acts:
            raise UnknownName(f"act of {table.spec}", name, acts)
        if script.may_come(acts[name]):
            script.add(acts[name])
    script.close()
    return script


def drawn(table: Table[M], length: int, choose: Choose) -> Script[M]:
    """A script of so many acts, each chosen of those that may come: first what is done, then by whom and where.

    Half of the scripts keep to a few kinds of acts, and half of these to one place: what takes several acts of one kind in one place, such
    as the third abort in a log, hardly comes where each act is one of twenty-five.
    """
    script, kept, places = Script(table), _few_kinds(table, choose), choose(table.places)
    for _ in range(length):
        acts = _of_one_kind(script, kept, places, choose) or _of_one_kind(script, list(table.kinds), frozenset(), choose)
        if not acts:
            break
        script.add(choose(acts))
    script.close()
    return script


def _few_kinds(table: Table[M], choose: Choose) -> Sequence[Kind]:
    """All kinds of acts, or some of them."""
    kinds = list(table.kinds)
    if not kinds or not choose((True, False)):
        return kinds
    return list(dict.fromkeys(choose(kinds) for _ in range(choose(range(3, 9)))))


def _of_one_kind(script: Script[M], kinds: Sequence[Kind], left_out: frozenset[str], choose: Choose) -> list[Act[M]]:
    """The acts of a kind that may come now, about none of the places that are left out; none where no kind has any.

    Kinds are chosen until one has some, since to ask all acts of a large table takes as long as to play the one that is chosen.
    """
    left = list(kinds)
    while left:
        kind = choose(left)
        if found := [act for act in script.possible(script.table.kinds[kind]) if left_out.isdisjoint(act.arguments)]:
            return found
        left.remove(kind)
    return []


def sequences(table: Table[M], depth: int) -> Iterator[tuple[str, ...]]:
    """Every sequence of at most so many acts, the shortest first; of those that differ only in who is called what, one."""
    level: list[tuple[str, ...]] = [()]
    for _ in range(depth):
        following = []
        for names in level:
            following += [(*names, act.name) for act in begun(table, names).possible()]
        yield from following
        level = following


def begun(table: Table[M], names: Iterable[str]) -> Script[M]:
    """The script of these acts, each of which may come where it stands, before it is closed."""
    script, acts = Script(table), table.by_name
    for name in names:
        script.add(acts[name])
    return script
