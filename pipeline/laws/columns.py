"""Columns of a history as arrays: whole numbers that may be missing, and words as numbers.

A missing number is `NONE`, which is smaller than every other, so that a greatest one is right as it is; where the least is asked for, it
counts as missing (`segmented`). A word is the number of its place in a list of words, and -1 where it is missing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_WHOLE = re.compile("-?[0-9]{1,18}")
NONE = int(np.iinfo(np.int64).min)
NEVER = 1 << 62
"""When something happened that did not happen, as far as the history shows."""
NO_WORD = -1


def numbers(items: Iterable[int | None]) -> Ints:
    """A column of numbers."""
    return np.array([NONE if item is None else item for item in items], np.int64)


def number(said: str | None) -> int | None:
    """The whole number that a text is; None if it is none, since recorders may write anything in `ctl`."""
    return int(said) if said is not None and _WHOLE.fullmatch(said) else None


def flags(items: Iterable[bool]) -> Flags:
    """A column of yes and no."""
    return np.array(list(items), np.bool_)


@dataclass(frozen=True)
class WordColumn:
    """A column of words: `codes` are places in `words`."""

    codes: Ints
    words: Sequence[str]

    @staticmethod
    def of(items: Sequence[str | None]) -> "WordColumn":
        """These words, numbered in order of appearance."""
        known: dict[str | None, int] = {None: NO_WORD}
        codes = [known.setdefault(item, len(known) - 1) for item in items]
        return WordColumn(np.array(codes, np.int64), [word for word in known if word is not None])

    def among(self, *wanted: str) -> Flags:
        """Which rows have one of these words."""
        is_wanted: Flags = np.array([*(word in wanted for word in self.words), False])
        found: Flags = is_wanted[self.codes]
        return found

    @property
    def present(self) -> Flags:
        """Which rows have a word."""
        there: Flags = self.codes != NO_WORD
        return there

    def text(self, code: int) -> str | None:
        """The word of a code."""
        return None if code == NO_WORD else self.words[code]

    def texts(self, codes: Iterable[int]) -> list[str | None]:
        """The words of these codes."""
        return [self.text(code) for code in codes]

    def ranks(self, codes: Ints) -> Ints:
        """These codes' places in the order of their words: whole histories have millions, and only a witness asks for an order."""
        distinct, places = np.unique(codes, return_inverse=True)
        order = sorted(range(len(distinct)), key=lambda at: self.text(int(distinct[at])) or "")
        rank = np.empty(len(distinct), np.int64)
        rank[order] = np.arange(len(distinct))
        return rank[places]
