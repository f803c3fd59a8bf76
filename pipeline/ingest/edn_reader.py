"""Extensible data notation, as far as histories use it: one value from one line.

Existing readers take half a millisecond for a line, which is minutes for a history; this one is a single regular expression
and a stack. Keywords become their names, so that `:ok` is "ok"; maps become dictionaries, and lists, vectors and sets become lists.

An unknown tag is refused: what it would make of its value cannot be guessed.
"""

import re
from typing import Any

KNOWN_TAGS = frozenset({"jepsen.history.Op", "jepsen.history/Op", "inst", "uuid", "error", "object"})
_TOKEN = re.compile(
    r"""[\s,]+|;[^\n]*                                 # what separates
    |(?P<open>[\[({]|\#\{) |(?P<close>[\])}])
    |(?P<int>[-+]?\d+)N?(?=[\s,\[\](){}"';]|$)
    |:(?P<word>[^\s,\[\](){}"';]+)
    |"(?P<text>(?:[^"\\]|\\.)*)"
    |\\(?P<char>newline|space|tab|return|u[0-9a-fA-F]{4}|.)
    |(?P<discard>\#_)
    |\#\#(?P<special>-?Inf|NaN)
    |\#(?P<tag>[A-Za-z][^\s,\[\](){}"';]*)
    |(?P<symbol>[^\s,\[\](){}"';\\#:]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_LONGEST_INTEGER = 100
_CLOSES = {"[": "]", "(": ")", "{": "}", "#{": "}"}
_SYMBOLS = {"nil": None, "true": True, "false": False}
_NAMED = {"newline": "\n", "space": " ", "tab": "\t", "return": "\r"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "b": "\b", "f": "\f"}


class MalformedEdn(ValueError):
    """The line is not one value of the notation, and why."""


def read(line: str) -> Any:
    """The value that the line holds."""
    top: list[Any] = []
    stack: list[tuple[str, list[Any]]] = []
    current = top
    end = 0
    for token in _TOKEN.finditer(line):
        if token.start() != end:
            break
        end = token.end()
        kind = token.lastgroup
        if kind is None:
            continue
        said = token[kind]
        if kind == "int":
            current.append(_integer(said))
        elif kind == "word":
            current.append(said)
        elif kind == "open":
            stack.append((said, current))
            current = []
        elif kind == "close":
            if not stack:
                raise MalformedEdn(f"{said} closes nothing, at character {token.start()}")
            opened, outer = stack.pop()
            if _CLOSES[opened] != said:
                raise MalformedEdn(f"{opened} is closed by {said}, at character {token.start()}")
            outer.append(_built(opened, _resolved(current)))
            current = outer
        elif kind in ("tag", "discard"):
            if kind == "tag" and said not in KNOWN_TAGS:
                raise MalformedEdn(f"unknown tag #{said}")
            current.append(_DISCARD if kind == "discard" else _TAG)
        else:
            current.append(_scalar(kind, said))
    if end != len(line):
        raise MalformedEdn(f"unreadable at character {end}: {line[end : end + 20]!r}")
    if stack:
        raise MalformedEdn(f"{stack[-1][0]} is not closed; the line is cut off")
    values = _resolved(top)
    if len(values) != 1:
        raise MalformedEdn(f"expected one value, found {len(values)}")
    return values[0]


_TAG, _DISCARD = object(), object()


def _resolved(items: list[Any]) -> list[Any]:
    """Without the values that `#_` discards; a known tag leaves its value as it is."""
    if _TAG not in items and _DISCARD not in items:
        return items
    kept: list[Any] = []
    skip = 0
    for item in items:
        if item is _TAG:
            continue
        if item is _DISCARD:
            skip += 1
        elif skip:
            skip -= 1
        else:
            kept.append(item)
    if skip:
        raise MalformedEdn("#_ discards nothing")
    return kept


def _built(opened: str, items: list[Any]) -> Any:
    if opened != "{":
        return items
    if len(items) % 2:
        raise MalformedEdn("a map has a key without a value")
    try:
        return dict(zip(items[::2], items[1::2], strict=True))
    except TypeError as error:
        raise MalformedEdn("a map has a key that is no plain value") from error


def _scalar(kind: str, said: str) -> Any:
    if kind == "text":
        return _whole(re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda m: _unescaped(m[1]), said)) if "\\" in said else said
    if kind == "char":
        return _NAMED.get(said) or (_whole(chr(int(said[1:], 16))) if len(said) == 5 else said)
    if kind == "special":
        return float(said.replace("Inf", "inf"))
    if said in _SYMBOLS:
        return _SYMBOLS[said]
    try:
        return float(said.removesuffix("M"))
    except ValueError:
        return said


def _integer(said: str) -> int:
    if len(said) > _LONGEST_INTEGER:
        raise MalformedEdn(f"an integer of {len(said)} digits")
    return int(said)


def _whole(text: str) -> str:
    """Two escapes that are the halves of one character become it; half of one alone cannot be kept."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(said: str) -> str:
    if len(said) == 5:
        return chr(int(said[1:], 16))
    if said not in _ESCAPES:
        raise MalformedEdn(f"unknown escape \\{said}")
    return _ESCAPES[said]
