"""One disturbance in one play: what it does when the session opens, before a step, and after the last."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fencepost.contract.ports import Exchange

_WRITERS = ("transactional_id", "v3_and_below_transactional_id")
"""The fields that name who writes in transactions."""
_GROUPS = {"TxnOffsetCommit": "group_id", "AddOffsetsToTxn": "group_id"}
"""The requests that make a group's place part of a transaction, with the field that names the group."""


@dataclass(frozen=True)
class Undisturbed:
    """What is known of the play without the disturbance: all that was said, and what its session appended to its own names."""

    exchanges: tuple[Exchange, ...] = ()
    suffix: str = ""

    @property
    def writers(self) -> list[str]:
        """Who initialised to write in transactions, by the names that the scenario has for them; each once."""
        said = (one.request.get(field) for one in self._requests("InitProducerId") for field in _WRITERS)
        return self._own(said)

    @property
    def groups(self) -> list[str]:
        """The groups that took input in transactions, by the scenario's names."""
        return self._own(one.request.get(field) for name, field in _GROUPS.items() for one in self._requests(name))

    @property
    def subscriptions(self) -> list[str]:
        """The subscriptions that a Pulsar client has asked for, without what makes them this session's own."""
        said = (str(one.request.get("subscription", "")).removesuffix(self.suffix) for one in self._requests("SUBSCRIBE"))
        return list(dict.fromkeys(name for name in said if name))

    def _requests(self, name: str) -> Iterator[Exchange]:
        return (one for one in self.exchanges if one.name.partition(" ")[0] == name)

    def _own(self, names: Iterable[Any]) -> list[str]:
        own = (name for name in names if isinstance(name, str) and name.endswith(self.suffix) and name != self.suffix)
        return list(dict.fromkeys(name.removesuffix(self.suffix) for name in own))


class Performer:
    """A disturbance of this session, which does nothing yet. `session` is that of its protocol, just opened, and no client exists."""

    def __init__(self, session: Any, undisturbed: Undisturbed) -> None:
        self.session = session
        self.undisturbed = undisturbed
        self.is_active = True
        """Whether it disturbs what is said now. A play narrows a difference down to one step by this."""

    def begin(self) -> None:
        """The session has been opened, and nothing was said. Raises NotOffered where it cannot be disturbed so, and Violation as `end`."""

    def before_step(self) -> None:
        """Two steps stand to both sides."""

    def end(self) -> None:
        """The last step is over. Raises Violation where what the disturbance itself has asked for does not hold."""
