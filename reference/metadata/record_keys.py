"""What stores have in common about keys: the keys of a sequence, and the index keys of a record."""

import re
from collections.abc import Iterable, Mapping

from .store import IndexEntry

_OF_A_SEQUENCE = re.compile(r"(.*)-([0-9]{20})", re.DOTALL)


def sequence_key(prefix: str, number: int) -> str:
    """The key of that number in a sequence."""
    return f"{prefix}-{number:020}"


def sequence_of(key: str) -> tuple[str, int] | None:
    """The prefix and the number, if the key could be that of a sequence."""
    found = _OF_A_SEQUENCE.fullmatch(key)
    return (found[1], int(found[2])) if found else None


def by_index(entries: Iterable[IndexEntry]) -> Mapping[str, str]:
    """The index key of a record in each index. Raises ValueError if one index has two, which Oxia's client cannot express."""
    known: dict[str, str] = {}
    for entry in entries:
        if entry.index in known:
            raise ValueError(f"a record has one key in an index; {entry.index!r} was given {known[entry.index]!r} and {entry.key!r}")
        known[entry.index] = entry.key
    return known
