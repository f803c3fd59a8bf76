"""A recording of one scenario, ready to be played: a session that gives the recorded answers, and checks of the file."""

from collections.abc import Callable
from dataclasses import dataclass

from fencepost.adapters.common.playback import NotRecorded, RecordedExchanges
from fencepost.adapters.common.seals import first_broken
from fencepost.adapters.kafka import kept_exchanges as kafka_exchanges
from fencepost.adapters.kafka import recorded_session as kafka_session
from fencepost.adapters.kafka.kafka_history import events
from fencepost.adapters.kafka.kept_session import Head
from fencepost.adapters.kafka.transport import named
from fencepost.adapters.pulsar import kept_exchanges as pulsar_exchanges
from fencepost.adapters.pulsar import recorded_session as pulsar_session
from fencepost.contract.errors import WrongUsage
from fencepost.contract.events import Event
from fencepost.contract.ports import Session

from .replay_programs import Lines, protocol_of


def is_whole(lines: Lines) -> bool:
    """Whether the lines have what a session began with, which earlier versions of fencepost did not keep."""
    return bool(lines) and ("offer" in lines[0] or protocol_of(lines) in pulsar_exchanges.PROTOCOLS)


def changed_exchange(lines: Lines) -> str | None:
    """The first exchange that was changed after it was written, by its number; None if none was."""
    place = first_broken(lines)
    return None if place is None else "what the session began with" if place == 0 else f"exchange {place}{_named(lines, place)}"


def _named(lines: Lines, place: int) -> str:
    try:
        if protocol_of(lines) in pulsar_exchanges.PROTOCOLS:
            (entry,) = pulsar_exchanges.read([lines[0], lines[place]], "")
            return f" ({pulsar_session.shown(entry)})"
        (call,), _ = kafka_exchanges.read([lines[0], lines[place]], "")
    except WrongUsage:
        return ""
    return f" ({named(call.request)} of {call.client})"


@dataclass(frozen=True)
class PlayedAgain:
    """One play of a recording; `session` gives the recorded answers, and `history` makes the history from them.

    With `has_times` the events of the history have the recorded times.
    """

    session: Session
    history: Callable[[str], list[Event]]
    is_virtual: bool
    has_times: bool
    _tape: RecordedExchanges

    @classmethod
    def of(cls, lines: Lines, place: str) -> "PlayedAgain":
        """The play for these lines. Raises WrongUsage if they are no recording; `place` is their file."""
        if protocol_of(lines) in pulsar_exchanges.PROTOCOLS:
            return _of_pulsar(lines, place)
        calls, _ = kafka_exchanges.read(lines, place)
        head = Head.of(lines[0], place)
        session, tape = kafka_session.session_of(calls, head)
        return cls(session, lambda run: list(events(tape.calls, run)), head.is_virtual, True, tape)

    def parted(self) -> str | None:
        """Why the play differed from the recording, once it has ended; None if it did not."""
        self._tape.finish()
        return None if self._tape.parted is None else str(self._tape.parted)

    @property
    def must_go_the_same_way(self) -> bool:
        """Whether the same version of fencepost makes the same requests: if time is virtual, and the play met no unrecorded fault."""
        return self.is_virtual and not isinstance(self._tape.parted, NotRecorded)


def _of_pulsar(lines: Lines, place: str) -> PlayedAgain:
    head = pulsar_exchanges.KeptHead.of(lines[0], place)
    session, tape = pulsar_session.session_of(pulsar_exchanges.read(lines, place), head)
    return PlayedAgain(session, session.history, head.is_virtual, head.is_virtual, tape)
