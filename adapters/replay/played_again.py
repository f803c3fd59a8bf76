"""A recording of one scenario, ready to be played: a session that gives the recorded answers, and checks of the file."""

from dataclasses import dataclass

from fencepost.adapters.kafka import kept_exchanges
from fencepost.adapters.kafka.history import events
from fencepost.adapters.kafka.kept_session import Head
from fencepost.adapters.kafka.recorded_session import NotRecorded, Tape, session_of
from fencepost.adapters.kafka.seals import first_broken
from fencepost.adapters.kafka.transport import named
from fencepost.contract.errors import WrongUsage
from fencepost.contract.events import Event
from fencepost.contract.ports import Session

from .making import Lines


def is_whole(lines: Lines) -> bool:
    """Whether the lines have what a session began with, which earlier versions of fencepost did not keep."""
    return bool(lines) and "offer" in lines[0]


def changed_exchange(lines: Lines) -> str | None:
    """The first exchange that was changed after it was written, by its number; None if none was."""
    place = first_broken(lines)
    return None if place is None else "what the session began with" if place == 0 else f"exchange {place}{_named(lines, place)}"


def _named(lines: Lines, place: int) -> str:
    try:
        (call,), _ = kept_exchanges.read([lines[0], lines[place]], "")
    except WrongUsage:
        return ""
    return f" ({named(call.request)} of {call.client})"


@dataclass(frozen=True)
class PlayedAgain:
    """One play of a recording; `session` gives the recorded answers."""

    session: Session
    _tape: Tape
    _head: Head

    @classmethod
    def of(cls, lines: Lines, place: str) -> "PlayedAgain":
        """The play for these lines. Raises WrongUsage if they are no recording; `place` is their file."""
        calls, _ = kept_exchanges.read(lines, place)
        try:
            head = Head.of(lines[0])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise WrongUsage(f"{place}, line 1: not what a session began with ({error}); was it changed?") from error
        session, tape = session_of(calls, head)
        return cls(session, tape, head)

    def parted(self) -> str | None:
        """Why the play differed from the recording, once it has ended; None if it did not."""
        self._tape.finish()
        return None if self._tape.parted is None else str(self._tape.parted)

    @property
    def must_go_the_same_way(self) -> bool:
        """Whether the same version of fencepost makes the same requests: if time is virtual, and the play met no unrecorded fault."""
        return self._head.is_virtual and not isinstance(self._tape.parted, NotRecorded)

    def history(self, run: str) -> list[Event]:
        """The history made from the recorded exchanges."""
        return list(events(self._tape.calls, run))
