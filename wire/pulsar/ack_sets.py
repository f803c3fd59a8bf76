"""Sets of messages of a batch: bits in words of 64, the lowest first. In an id a set bit is a message that is *not* acknowledged.

A set may be shorter than the batch, and then has none of the others, or longer.
"""

from collections.abc import Collection, Iterable, Sequence

_WORD = 64


def words_of(messages: Iterable[int], size: int) -> Sequence[int]:
    """The words for a batch of that size whose bits are these messages, as signed numbers for the wire."""
    bits = sum(1 << message for message in set(messages))
    words = ((bits >> shift) & (2**_WORD - 1) for shift in range(0, size, _WORD))
    return [word - 2**_WORD if word >= 2 ** (_WORD - 1) else word for word in words]


def holds(words: Sequence[int], message: int) -> bool:
    """Whether the bit of a message is set."""
    word, place = divmod(message, _WORD)
    return word < len(words) and bool(words[word] >> place & 1)


def outside(words: Sequence[int], messages: Collection[int]) -> frozenset[int]:
    """Those of the messages whose bits are not set."""
    return frozenset(message for message in messages if not holds(words, message))
