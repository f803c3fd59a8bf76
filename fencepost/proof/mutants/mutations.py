"""The changes that can be made at one node of a syntax tree: one function for each kind.

A loop takes only the first item, or leaves out the last of several: the errors that a test with one item cannot see.
A dropped statement stays in the text behind `if 0:`, so that its names keep their meaning.
"""

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_OPPOSITES = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Operators whose change already is the opposite of the condition."""

_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "*"),
}

KINDS = ("comparison", "boolean operator", "condition", "constant", "arithmetic", "loop", "dropped statement", "dropped raise")

_ENDLESS = ("count", "itertools.count")
"""Iterators of which no list can be made."""


@dataclass(frozen=True)
class SourceChange:
    """The bytes from `start` to `end` become `text`; `reported` is what people read, if that is not the changed line."""

    kind: str
    start: int
    end: int
    text: str
    reported: str = ""


class Text:
    """The bytes of a file, by the positions that syntax trees have."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends. Raises ValueError for one that has no end."""
        if node.end_lineno is None or node.end_col_offset is None:
            raise ValueError(f"a node without an end: {ast.dump(node)}")
        return self.start_of(node.lineno) + node.col_offset, self.start_of(node.end_lineno) + node.end_col_offset

    def of(self, node: ast.expr | ast.stmt) -> str:
        return self.joined(*self.span(node))

    def joined(self, start: int, end: int) -> str:
        return self._source[start:end].decode()

    def line_of(self, position: int) -> int:
        return bisect_right(self._starts, position)

    def start_of(self, line: int) -> int:
        return self._starts[line - 1]

    def end_of(self, line: int) -> int:
        return self._starts[line] if line < len(self._starts) else len(self._source)


def changes_at(node: ast.AST, text: Text, function: str) -> Iterator[SourceChange]:
    """The changes of this node itself; `function` is the name of its function."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for operator, (before, behind) in zip(ops, pairwise([left, *comparators]), strict=True):
                yield from _between(text, "comparison", before, behind, _COMPARISONS[type(operator)])
        case ast.BoolOp(op=operator, values=values):
            symbols = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
            for before, behind in pairwise(values):
                yield from _between(text, "boolean operator", before, behind, symbols)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield SourceChange("condition", *text.span(node), f"({text.of(operand)})")
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC and not _is_text(left, right):
            yield from _between(text, "arithmetic", left, right, _ARITHMETIC[type(operator)])
        case ast.Constant(value=bool(value)):
            yield SourceChange("constant", *text.span(node), str(not value))
        case ast.Constant(value=int(value)):
            yield SourceChange("constant", *text.span(node), str(value + 1))
        case ast.If(test=test) | ast.IfExp(test=test):
            yield from _opposite(text, test)
        case ast.For(iter=items):
            yield from _some_of(text, items)
        case ast.comprehension(iter=items, ifs=tests):
            yield from _some_of(text, items)
            for test in tests:
                yield from _opposite(text, test)
        case ast.Raise():
            yield _dropped(text, "dropped raise", node)
        case ast.AugAssign() | ast.Delete():
            yield _dropped(text, "dropped statement", node)
        case ast.Assign(targets=targets) if function != "__init__" and all(map(_is_part, targets)):
            yield _dropped(text, "dropped statement", node)
        case ast.AnnAssign(target=target, value=ast.expr()) if function != "__init__" and _is_part(target):
            yield _dropped(text, "dropped statement", node)
        case ast.Expr(value=ast.Call(func=called)) if not _is_mark(called):
            yield _dropped(text, "dropped statement", node)


def _between(text: Text, kind: str, before: ast.expr, behind: ast.expr, symbols: tuple[str, str]) -> Iterator[SourceChange]:
    """Another operator between two operands, which parentheses may enclose."""
    old, new = symbols
    start, end = text.span(before)[1], text.span(behind)[0]
    gap = text.joined(start, end)
    if old in gap:  # an operator such as `not in` may be written with more than one space
        found = start + len(gap[: gap.index(old)].encode())
        yield SourceChange(kind, found, found + len(old), new)


def _opposite(text: Text, test: ast.expr) -> Iterator[SourceChange]:
    is_negation = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    is_opposite = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _OPPOSITES)
    if not is_negation and not is_opposite:
        yield SourceChange("condition", *text.span(test), f"not ({text.of(test)})")


def _some_of(text: Text, items: ast.expr) -> Iterator[SourceChange]:
    """A loop over the first item alone, and over all but the last of several."""
    if not any(isinstance(node, ast.Call) and ast.unparse(node.func) in _ENDLESS for node in ast.walk(items)):
        listed = f"list({text.of(items)})"
        yield SourceChange("loop", *text.span(items), f"{listed}[:1]")
        yield SourceChange("loop", *text.span(items), f"(lambda all_: all_[:-1] or all_)({listed})")


def _dropped(text: Text, kind: str, node: ast.stmt) -> SourceChange:
    return SourceChange(kind, *text.span(node), f"if 0: {text.of(node)}", "(dropped)")


def _is_mark(called: ast.expr) -> bool:
    """Whether a call does nothing for a client: a rule is for readers of the code, a crash point for scenarios."""
    return ast.unparse(called) == "rule" or ast.unparse(called).endswith("crash_points.reach")


def _is_part(target: ast.expr) -> bool:
    """Whether the value is kept anywhere: a local variable that is not set would only break the function."""
    return isinstance(target, ast.Attribute | ast.Subscript)


def _is_text(*operands: ast.expr) -> bool:
    return any(isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str | bytes)) for one in operands)
