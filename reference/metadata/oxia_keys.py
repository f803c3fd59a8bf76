"""How keys are spelt in Oxia, so that what the metadata store promises is true there.

Oxia orders keys by their slashes first, and panics at an index name with a slash and at an empty index key. In an index it has the index
key, a character 1 and the record's key, and takes the first 1 as the separator. So no spelling has a slash or a 1: these, and the escape
characters, become two characters each, which keeps all keys in the order of their UTF-8 bytes, and each spelling begins with a letter.

Each sequence has tickets, whose native sequence keys give the numbers. Oxia reuses a number when the newest record of a sequence was
deleted, and breaks if the key of a record is the prefix itself: the newest ticket stays, and no record has such a key.
"""

import re
from urllib.parse import quote

_RECORD = "r"
_TICKET = "t"
_FENCE = "f"
_INDEX = "i"
_SPELT = {"\0": "\2\2", "\1": "\2\3", "\2": "\2\4", ".": ".\3", "/": ".\4"}
_READ = {spelling: character for character, spelling in _SPELT.items()}
_TO_SPELLINGS = str.maketrans(_SPELT)
_SPELLINGS = re.compile("|".join(map(re.escape, _READ)))
_LAST = "-" + "9" * 20


def spelt(key: str) -> str:
    """A record's key, a bound of a range of them, or the same of an index."""
    return _RECORD + key.translate(_TO_SPELLINGS)


def read(spelling: str) -> str | None:
    """The record's key; None if the record is not a caller's."""
    if not spelling.startswith(_RECORD):
        return None
    return _SPELLINGS.sub(lambda found: _READ[found[0]], spelling[1:])


def index_name(index: str) -> str:
    """An index's name."""
    return _INDEX + quote(index, safe="")


def fence(shard: int) -> str:
    """The key of the fence in one of the shards."""
    return f"{_FENCE}{shard}"


def tickets(prefix: str) -> str:
    """The prefix of a sequence's tickets; no other such prefix begins with this one."""
    return f"{_TICKET}{quote(prefix, safe='')}!"


def tickets_under(prefix: str) -> str:
    """The common prefix of the tickets of all sequences whose prefixes begin so."""
    return _TICKET + quote(prefix, safe="")


def last_ticket(prefix: str) -> str:
    """A key that is greater than all tickets of the sequence."""
    return tickets(prefix) + _LAST


def ticket(prefix: str, number: int) -> str:
    """The ticket of that number."""
    return f"{tickets(prefix)}-{number:020}"


def number_of(key: str, prefix: str) -> int | None:
    """The number of a ticket; None if it is no ticket of that sequence."""
    start = tickets(prefix) + "-"
    return int(key.removeprefix(start)) if key.startswith(start) else None
