"""One disturbance in one play: what it does when the session opens, before a step, and after the last step."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fencepost.contract.ports import Exchange

_WRITERS = ("transactional_id", "v3_and_below_transactional_id")
"""The fields that name the transactional id of a writer."""
_GROUPS = {"TxnOffsetCommit": "group_id", "AddOffsetsToTxn": "group_id"}
"""The requests that make a group's place part of a transaction, with the field that names the group."""


@dataclass(frozen=True)
class Undisturbed:
    """What is known of the play without the disturbance: its exchanges, and the suffix that its session appended to names."""

    exchanges: tuple[Exchange, ...] = ()
    suffix: str = ""

    @property
    def writers(self) -> list[str]:
        """The transactional ids that were initialised, by the scenario's names; each once."""
        said = (one.request.get(field) for one in self._requests("InitProducerId") for field in _WRITERS)
        return self._own(said)

    @property
    def groups(self) -> list[str]:
        """The groups whose input was acknowledged in transactions, by the scenario's names."""
        return self._own(one.request.get(field) for name, field in _GROUPS.items() for one in self._requests(name))

    @property
    def subscriptions(self) -> list[str]:
        """The subscriptions that a Pulsar client has asked for, without the session's suffix."""
        said = (str(one.request.get("subscription", "")).removesuffix(self.suffix) for one in self._requests("SUBSCRIBE"))
        return list(dict.fromkeys(name for name in said if name))

    @property
    def topics(self) -> list[str]:
        """The topics, or segments of topics, of the scenario that a Pulsar client has produced to or subscribed to; each once."""
        said = (str(one.request["topic"]) for name in ("PRODUCER", "SUBSCRIBE") for one in self._requests(name))
        return list(dict.fromkeys(topic for topic in said if self.suffix in topic))

    def _requests(self, name: str) -> Iterator[Exchange]:
        return (one for one in self.exchanges if one.name.partition(" ")[0] == name)

    def _own(self, names: Iterable[Any]) -> list[str]:
        own = (name for name in names if isinstance(name, str) and name.endswith(self.suffix) and name != self.suffix)
        return list(dict.fromkeys(name.removesuffix(self.suffix) for name in own))


class Performer:
    """A disturbance of this session; the base class does nothing. `session` is that of its protocol, just opened, and has no clients
    yet.
    """

    def __init__(self, session: Any, undisturbed: Undisturbed) -> None:
        self.session = session
        self.undisturbed = undisturbed
        self.is_active = True
        """Whether it disturbs the current requests. A play switches it off and on to find the step that makes the difference."""

    def begin(self) -> None:
        """The session is open, and no request was made. Raises NotOffered if it cannot be disturbed like this, and Violation as `end`."""

    def before_step(self) -> None:
        """Called between two steps."""

    def end(self) -> None:
        """Called after the last step. Raises Violation if a transaction of the disturbance itself has the wrong outcome."""
