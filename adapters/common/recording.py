"""The exchanges of a session, in order."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar, overload

from fencepost.contract.outcomes import Unknown
from fencepost.contract.ports import Exchange


class Recordable(Protocol):
    """One call, kept as the protocol has it: rendering it as plain values costs more than most calls, so it is done on demand."""

    @property
    def is_answered(self) -> bool:
        """Whether the system has answered it."""
        ...

    def rendered(self) -> Exchange:
        """The call as plain values."""
        ...


C = TypeVar("C", bound=Recordable)


class Conversation(Sequence[Exchange], Generic[C]):
    """Calls in order, as exchanges: each is rendered when it is read, so that counting them costs nothing."""

    def __init__(self, calls: Sequence[C]) -> None:
        self._calls = calls

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, index: int) -> Exchange: ...

    @overload
    def __getitem__(self, index: slice) -> "Conversation[C]": ...

    def __getitem__(self, index: int | slice) -> "Exchange | Conversation[C]":
        return Conversation(self._calls[index]) if isinstance(index, slice) else self._calls[index].rendered()


class Recorder(Generic[C]):
    """The calls of a session; `now_ms` is the clock of the system."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self.now_ms = now_ms
        self.calls: list[C] = []

    def unreachable(self, why: str) -> Unknown:
        """No connection could be made. If the system has answered in this session, the connection counts as lost, because the system went
        away meanwhile. If not, it was away before, and the scenario knows nothing about it.
        """
        if any(call.is_answered for call in self.calls):
            return Unknown(why, lost=True)
        return Unknown(f"{why}; nothing was answered in this scenario")

    def exchanges(self) -> Conversation[C]:
        """All calls so far; a call whose answer comes later has it when it is read then."""
        return Conversation(tuple(self.calls))


def shown_text(value: bytes | None) -> str | None:
    """A record's value as text; None for a record without a value."""
    return None if value is None else value.decode(errors="replace")
