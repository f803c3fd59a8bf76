"""How a call on a system under test ended: `Done`, `Refused` or `Unknown`; as text, each is fit for a message.

A timeout or a lost connection is Unknown for ever: an adapter never reports a definite failure after an ambiguous one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The system did it and confirmed that."""

    value: T_co

    def __str__(self) -> str:
        return "success" if self.value is None else f"success with {self.value}"

    def then(self, following: "Callable[[T_co], Outcome[T]]") -> "Outcome[T]":
        """The outcome of the next call, which needs the value of this one."""
        return following(self.value)

    def converted(self, convert: Callable[[T_co], T]) -> "Done[T]":
        """The same with what a function makes of the value."""
        return Done(convert(self.value))


class _NotDone:
    """No next call is made, and there is no value to convert."""

    def then(self, _following: Callable[[Any], object]) -> Self:
        return self

    def converted(self, _convert: Callable[[Any], object]) -> Self:
        return self


@dataclass(frozen=True)
class Refused(_NotDone):
    """The system refused. `fields` holds what else the answer carried, by the protocol's names."""

    error: str
    code: int
    message: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.error} ({self.code})" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True)
class Unknown(_NotDone):
    """It is unknown whether the system did it. `lost` distinguishes a closed connection from an answer that did not arrive in time."""

    reason: str
    lost: bool = False

    def __str__(self) -> str:
        return self.reason


Outcome: TypeAlias = Done[T_co] | Refused | Unknown
