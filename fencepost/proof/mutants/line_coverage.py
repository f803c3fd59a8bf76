"""Which scenario reaches which lines of the reference: noted once, by modules in which each statement reports that it is reached.

A loop also reports its second item: with one item, a loop that takes the first alone or leaves out the last is no other loop.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

from . import reference_sources
from .mutation_sites import MODULE, MutationSite
from .mutations import Text

_SAYS = "_fencepost_reached"
_COUNTS = "_fencepost_counted"
Line = tuple[str, int]
"""A file and the first line of a statement in it; `second_item` makes one that stands for the second item of a loop."""


def second_item(file: str, start: int) -> Line:
    """What is reached when a loop over the items that begin at this byte of the file comes to its second one."""
    return file, -start


class Noted:
    """The lines that this process reaches from now on."""

    def __init__(self) -> None:
        self._lines: set[Line] = set()

    def install(self) -> None:
        """To be called before the reference is imported."""
        reference_sources.Changing(_saying, {_SAYS: self._lines.add, _COUNTS: self._counted}).install()

    def forget(self) -> None:
        """Drop what was reached until now."""
        self._lines.clear()

    def taken(self) -> frozenset[Line]:
        """The lines that were reached since the last call."""
        lines = frozenset(self._lines)
        self._lines.clear()
        return lines

    def _counted(self, items: Iterable[Any], second: Line) -> Iterator[Any]:
        for number, item in enumerate(items):
            if number == 1:
                self._lines.add(second)
            yield item


def _saying(file: str, source: bytes) -> CodeType:
    tree, text = ast.parse(source), Text(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            node.iter = _counting(node.iter, second_item(file, text.span(node.iter)[0]))
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
    yield ast.copy_location(ast.Expr(ast.Call(ast.Name(_SAYS, ast.Load()), [_written((file, line))], [])), statement)


def _counting(items: ast.expr, second: Line) -> ast.expr:
    """The same items, of which the second reports that it is reached."""
    return ast.copy_location(ast.Call(ast.Name(_COUNTS, ast.Load()), [items, _written(second)], []), items)


def _written(line: Line) -> ast.expr:
    return ast.Tuple([ast.Constant(part) for part in line], ast.Load())


@dataclass(frozen=True)
class LineReach:
    """The noted lines: those reached before the first scenario, and, by profile, those that each scenario reaches."""

    at_start: frozenset[Line]
    by_profile: Mapping[str, Mapping[str, frozenset[Line]]]

    @cached_property
    def _folders(self) -> Mapping[frozenset[Line], set[str]]:
        """Which parts of the reference are run where these lines are reached."""
        every = {lines for scenarios in self.by_profile.values() for lines in scenarios.values()}
        return {lines: {_folder(file) for file, _ in lines} for lines in every}

    def is_at_start(self, place: MutationSite) -> bool:
        """Whether the change takes effect before the first scenario, so that it must be made when the module is imported."""
        return place.key.function == MODULE or not place.outermost or _needed(place) in self.at_start

    def asked(self, place: MutationSite, everything: bool) -> dict[str, list[str]]:
        """The scenarios that may reach a change, by profile; all of its protocol if it takes effect at the start.

        A scenario that reaches the very same lines under several profiles is asked under the first: the others would hardly show more.
        """
        broadly = everything or self.is_at_start(place)
        at, folders = _needed(place), {_folder(place.key.file)}
        seen: set[tuple[str, frozenset[Line]]] = set()
        found: dict[str, list[str]] = {}
        for profile, scenarios in self.by_profile.items():
            for name, lines in scenarios.items():
                comes_across = at in lines or (broadly and self._folders[lines] & folders)
                if comes_across and (everything or (name, lines) not in seen):
                    seen.add((name, lines))
                    found.setdefault(profile, []).append(name)
        return found


def _needed(place: MutationSite) -> Line:
    """What must be reached for the change to take effect: its statement, or the second item of its loop."""
    return second_item(place.key.file, place.start) if place.kind == "loop" else (place.key.file, place.at)


def _folder(file: str) -> str:
    """The part of the reference that a file belongs to: one protocol, or what both rest on."""
    return file.split("/")[1]
