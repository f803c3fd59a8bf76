"""The types of what sentences name: text, numbers, one of several words, lists."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fencepost.contract.errors import WrongUsage

T = TypeVar("T")
U = TypeVar("U")


class SentenceError(WrongUsage):
    """A sentence, or a type, that cannot be used; the message says which and where, what is wrong and what is expected."""


@dataclass(frozen=True)
class ValueType(Generic[T]):
    """What a placeholder stands for. `render(parse(text)) == text` for every text that matches `pattern`, which has no named groups.

    `written` shows people what it looks like, where the pattern does not. A pattern says `[0-9]` and not `\\d`, and `[a-z]` and not
    `\\w`, for these match the digits and letters of all scripts.
    """

    name: str
    pattern: str
    meaning: str
    parse: Callable[[str], T]
    render: Callable[[T], str]
    written: str = ""

    def __post_init__(self) -> None:
        try:
            groups = re.compile(self.pattern).groupindex
        except re.error as error:
            raise SentenceError(f"the type {self.name}: {self.pattern!r} is not a regular expression: {error}") from error
        if groups:
            raise SentenceError(f"the type {self.name}: {self.pattern!r} has a group with a name; expected groups without, (?:...)")


def text(name: str, pattern: str, meaning: str) -> ValueType[str]:
    """A value that is its own text."""
    return ValueType(name, pattern, meaning, str, str)


def quoted(name: str, meaning: str) -> ValueType[str]:
    """Printable text between quotation marks."""
    return ValueType(name, r'"[ -!#-~]+"', meaning, lambda written: written[1:-1], lambda value: f'"{value}"', '"..."')


def number(name: str, meaning: str) -> ValueType[int]:
    """A natural number."""
    return ValueType(name, "0|[1-9][0-9]*", meaning, int, str, "0, 1, 2 ...")


def choice(name: str, *words: str, meaning: str) -> ValueType[str]:
    """One of these words."""
    longest_first = sorted(words, key=len, reverse=True)
    return ValueType(name, "|".join(map(literally, longest_first)), meaning, str, str, " | ".join(words))


def unless(words: str, means: U, name: str, of: ValueType[T], meaning: str, written: str = "") -> ValueType[T | U]:
    """A value of a type, unless it is these words, which stand for another value."""
    return ValueType(
        name,
        f"{literally(words)}|{of.pattern}",
        meaning,
        lambda found: means if found == words else of.parse(found),
        lambda value: words if value == means else of.render(value),  # type: ignore[arg-type]  # it is no other
        written,
    )


def listed(name: str, of: ValueType[T], meaning: str, separator: str = ", ") -> ValueType[tuple[T, ...]]:
    """One or more values of a type, with the separator between them."""
    return ValueType(
        name,
        f"(?:{of.pattern})(?:{literally(separator)}(?:{of.pattern}))*",
        meaning,
        lambda written: tuple(of.parse(found[1]) for found in re.finditer(f"({of.pattern})(?:{literally(separator)}|$)", written)),
        lambda values: separator.join(map(of.render, values)),
        f"{of.written or of.pattern}{separator}{of.written or of.pattern} ...",
    )


def literally(words: str) -> str:
    """The pattern of words that are matched literally."""
    return re.escape(words).replace("\\ ", " ")
