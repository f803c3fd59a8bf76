"""Which scenario reaches which lines of the reference: noted once, by modules in which each statement reports that it is reached."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from . import reference_sources
from .mutation_sites import MODULE, MutationSite

_SAYS = "_fencepost_reached"
Line = tuple[str, int]
"""A file and the first line of a statement in it."""


class Noted:
    """The lines that this process reaches from now on."""

    def __init__(self) -> None:
        self._lines: set[Line] = set()

    def install(self) -> None:
        """To be called before the reference is imported."""
        reference_sources.Changing(_saying, {_SAYS: self._lines.add}).install()

    def forget(self) -> None:
        """Drop what was reached until now."""
        self._lines.clear()

    def taken(self) -> frozenset[Line]:
        """The lines that were reached since the last call."""
        lines = frozenset(self._lines)
        self._lines.clear()
        return lines


def _saying(file: str, source: bytes) -> CodeType:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and not isinstance(node, ast.IfExp | ast.Lambda):
                setattr(node, field, [one for statement in statements for one in (*_says(file, statement), statement)])
    return compile(ast.fix_missing_locations(tree), str(reference_sources.root().parent / file), "exec")


def _says(file: str, statement: ast.stmt) -> Iterable[ast.stmt]:
    """The statement that reports that another is reached; not before a docstring, which has to come first."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    line = min((one.lineno for one in getattr(statement, "decorator_list", ())), default=statement.lineno)
    at = ast.Tuple([ast.Constant(file), ast.Constant(line)], ast.Load())
    yield ast.copy_location(ast.Expr(ast.Call(ast.Name(_SAYS, ast.Load()), [at], [])), statement)


@dataclass(frozen=True)
class LineReach:
    """The noted lines: those reached before the first scenario, and, by profile, those that each scenario reaches."""

    at_start: frozenset[Line]
    by_profile: Mapping[str, Mapping[str, frozenset[Line]]]

    @cached_property
    def _rooms(self) -> Mapping[frozenset[Line], set[str]]:
        """Which parts of the reference are run where these lines are reached."""
        every = {lines for scenarios in self.by_profile.values() for lines in scenarios.values()}
        return {lines: {_room(file) for file, _ in lines} for lines in every}

    def is_at_start(self, place: MutationSite) -> bool:
        """Whether the change takes effect before the first scenario, so that it must be made when the module is imported."""
        return place.key.function == MODULE or not place.outermost or (place.key.file, place.at) in self.at_start

    def asked(self, place: MutationSite, everything: bool) -> dict[str, list[str]]:
        """The scenarios that may reach a change, by profile; all of its protocol if it takes effect at the start.

        A scenario that reaches the very same lines under several profiles is asked under the first: the others would hardly show more.
        """
        broadly = everything or self.is_at_start(place)
        at, rooms = (place.key.file, place.at), {_room(place.key.file)}
        seen: set[tuple[str, frozenset[Line]]] = set()
        found: dict[str, list[str]] = {}
        for profile, scenarios in self.by_profile.items():
            for name, lines in scenarios.items():
                comes_across = at in lines or (broadly and self._rooms[lines] & rooms)
                if comes_across and (everything or (name, lines) not in seen):
                    seen.add((name, lines))
                    found.setdefault(profile, []).append(name)
        return found


def _room(file: str) -> str:
    """The part of the reference that a file belongs to: one protocol, or what both rest on."""
    return file.split("/")[1]
