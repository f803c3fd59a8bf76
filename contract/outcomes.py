"""How a call on a system under test ended: `Done`, `Refused` or `Unknown`; as text, each is fit for a message.

A timeout or a lost connection is Unknown for ever: an adapter never reports a definite failure after an ambiguous one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The system did it and confirmed that."""

    value: T_co

    def __str__(self) -> str:
        return "success" if self.value is None else f"success with {self.value}"


@dataclass(frozen=True)
class Refused:
    """The system refused. `fields` holds what else the answer carried, by the protocol's names."""

    error: str
    code: int
    message: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.error} ({self.code})" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True)
class Unknown:
    """It is unknown whether the system did it. `lost` distinguishes a closed connection from an answer that did not arrive in time."""

    reason: str
    lost: bool = False

    def __str__(self) -> str:
        return self.reason


Outcome: TypeAlias = Done[T_co] | Refused | Unknown
