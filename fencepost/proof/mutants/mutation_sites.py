"""One-place changes of a source file: where they can be made, and the text that each makes.

A place replaces one range of the file's bytes, within its lines, so that every line keeps its number. It is identified by the file, the
function, the code of the line and the code that it becomes: neither a moved line nor another comment changes its name.

Not changed are what only people read (annotations, docstrings, texts with values in them), rules and crash points, and an attribute's
first value in `__init__`, without which nothing runs at all. Values that may be anything are not changed either: see `_FREE`.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from tokenize import COMMENT, tokenize
from typing import NamedTuple

from .mutations import SourceChange, Text, changes_at

MODULE = "<module>"
_FREE = ("throttle_time", "repr", "strict", "frozen", "is_refusal")
"""Arguments that no client sees: a broker may delay its answers as it likes, and the others are about how the reference is written."""


class MutantKey(NamedTuple):
    """The identity of a place; `nth` distinguishes otherwise equal places, from 1."""

    file: str
    function: str
    line: str
    change: str
    nth: int = 1


@dataclass(frozen=True)
class MutationSite:
    """A change of one place. `at` is the line of its statement, `number` the line that is shown to people.

    `outermost` is the first line of the outermost function, including its decorators: 0 outside of functions.
    """

    key: MutantKey
    kind: str
    number: int
    at: int
    outermost: int
    start: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        """The file with this change."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.key.file}:{self.number}: {self.key.line}  ->  {self.key.change}"


def places_in(file: str, source: bytes) -> list[MutationSite]:
    """The places of one file, in the order of the text."""
    text = Text(_without_comments(source))
    found = [_place(file, text, one, where) for one, where in _walk(ast.parse(source), text, _Where(MODULE, 0, 0))]
    found.sort(key=lambda place: (place.start, place.end, place.kind, place.text))
    times: Counter[MutantKey] = Counter()
    numbered = []
    for place in found:
        times[place.key] += 1
        numbered.append(replace(place, key=place.key._replace(nth=times[place.key])))
    return numbered


def draw(places: Iterable[MutationSite], count: int, seed: int) -> list[MutationSite]:
    """Draw `count` of them, the same for a seed on every machine. A change elsewhere in the source does not affect the others."""
    return sorted(places, key=lambda place: sha256(repr((seed, *place.key)).encode()).digest())[:count]


def _without_comments(source: bytes) -> bytes:
    """The file with blanks for its comments, so that everything else is where it was."""
    lines = source.splitlines(keepends=True)
    for token in tokenize(BytesIO(source).readline):
        if token.type == COMMENT:
            row, column = token.start
            before = lines[row - 1].decode()[:column].encode()
            lines[row - 1] = before + b" " * len(token.string.encode()) + lines[row - 1][len(before) + len(token.string.encode()) :]
    return b"".join(lines)


class _Where(NamedTuple):
    """What encloses a node: its function, the first line of the outermost one, and the line of the statement."""

    function: str
    outermost: int
    statement: int


def _place(file: str, text: Text, change: SourceChange, where: _Where) -> MutationSite:
    first, last = text.line_of(change.start), text.line_of(change.end)
    before, behind = text.joined(text.start_of(first), change.start), text.joined(change.end, text.end_of(last))
    line = _one_line(before + text.joined(change.start, change.end) + behind)
    becomes = change.reported or _one_line(before + change.text + behind)
    key = MutantKey(file, where.function, line, becomes)
    return MutationSite(key, change.kind, first, where.statement, where.outermost, change.start, change.end, change.text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _walk(node: ast.AST, text: Text, where: _Where) -> Iterator[tuple[SourceChange, _Where]]:
    """The changes of a node and of all nodes in it, each with what encloses it."""
    if isinstance(node, ast.stmt):
        where = where._replace(statement=_first_line(node))
    for change in changes_at(node, text, where.function.rpartition(".")[2]):
        yield change, where
    inside = where
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        name = node.name if where.function == MODULE else f"{where.function}.{node.name}"
        is_outermost = isinstance(node, ast.FunctionDef) and not where.outermost
        inside = _Where(name, _first_line(node) if is_outermost else where.outermost, where.statement)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_free(child):
                yield from _walk(child, text, inside if field == "body" else where)


def _is_free(node: ast.AST) -> bool:
    """Whether it may be anything."""
    is_rule = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "rule"
    return is_rule or isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg in _FREE)


def _first_line(node: ast.stmt) -> int:
    """The first line of a statement, including its decorators."""
    return min((one.lineno for one in getattr(node, "decorator_list", ())), default=node.lineno)
