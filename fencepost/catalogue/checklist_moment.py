"""What one exchange of a play contributes to the checklist, in any protocol."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ExchangeMoment:
    """One exchange, or one side of it.

    Attributes:
        arrays: the arrays that its messages can have, and whether it covers them
        refusals: the errors of the answer, each with its request
        about: the names of transactions and topics that the refused request has
        is_look: whether a client looks at a transaction or a log, or requests the end
        wrote: the transaction that has data now, and then the other names that are its own
        ended: the transaction that has ended
    """

    arrays: Mapping[str, bool] = field(default_factory=dict)
    refusals: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    is_look: bool = False
    wrote: tuple[str, ...] = ()
    ended: str | None = None


def lists_at(message: Any, path: Sequence[str]) -> Iterator[list[Any]]:
    """The values of an array, one for each place in which the message has it."""
    value = message.get(path[0]) if isinstance(message, dict) else None
    if isinstance(value, dict) and len(path) > 1:
        yield from lists_at(value, path[1:])
    elif isinstance(value, list) and len(path) == 1:
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from lists_at(entry, path[1:])


def last_alone_differs(kinds: Sequence[Any]) -> bool:
    """Whether the last of several entries alone is of another kind than those before it."""
    return len(kinds) > 1 and len(set(kinds[:-1])) == 1 and kinds[-1] != kinds[0]
