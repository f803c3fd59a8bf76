"""What a session asked and was answered, in order."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from fencepost.contract.ports import Exchange


class Recordable(Protocol):
    """One call, kept as the protocol has it: making plain values of it costs more than most calls, so that waits until somebody asks."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more can come of it."""
        ...

    def rendered(self) -> Exchange:
        """The call as plain values."""
        ...


C = TypeVar("C", bound=Recordable)


class Recorder(Generic[C]):
    """The calls of a session; `now_ms` is the clock of the system that is asked."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self.now_ms = now_ms
        self.calls: list[C] = []
        self._rendered: list[Exchange] = []

    def exchanges(self) -> list[Exchange]:
        """All calls so far, each rendered once when it is over."""
        for call in self.calls[len(self._rendered) :]:
            if not call.is_over:
                break
            self._rendered.append(call.rendered())
        return self._rendered + [call.rendered() for call in self.calls[len(self._rendered) :]]


def shown_text(value: bytes | None) -> str | None:
    """A record's value for people and for histories; None is a record without a value."""
    return None if value is None else value.decode(errors="replace")
