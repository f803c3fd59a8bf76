"""The words that are out, by `fixtures/words.yaml`, with what to write instead (docs/house-style.md)."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from fencepost.contract.datafile import Row, load


class Word(Row):
    """A word that is out: how it is found anywhere, and what no text of a feature may have."""

    word: str
    pattern: str
    instead: str
    in_features: str | None = None
    exact: bool = False

    def compiled(self) -> re.Pattern[str]:
        """Its pattern, for which an underscore and a digit end a word, and spaces may begin a line."""
        pattern = re.sub(r"^\\b", "(?<![A-Za-z])", self.pattern).replace(r"\b", "(?![A-Za-z])").replace("(^|", "(^[ \t]*|")
        return re.compile(pattern, re.MULTILINE if self.exact else re.IGNORECASE)


@cache
def words() -> tuple[Word, ...]:
    """All of them. Raises DataFileError."""
    return tuple(load(resources.files("fencepost.fixtures") / "words.yaml", list[Word]))


@cache
def _in_features() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b(?:{word.in_features})\b"), word.instead) for word in words() if word.in_features)


def faults_in(text: str) -> Iterator[str]:
    """Each word that a text of a feature may not have, with what to write instead."""
    for pattern, instead in _in_features():
        for found in pattern.finditer(text):
            yield f"the word {found[0]!r}: write {instead} (docs/house-style.md)"
