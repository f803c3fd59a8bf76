"""Which scenarios can run on a system, and what would enable the rest: printed by `fencepost doctor`, before anything is judged.

The needs in a scenario's tags are compared with the capabilities of the handshake. No tag names the requests that it needs: if a system
does not have all requests, the scenarios are played on a stand-in with the requests that it has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fencepost.contract import proposals
from fencepost.contract.brokers import StandIn
from fencepost.contract.errors import NotOffered
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register
from fencepost.run.plays import Play, plays_of
from fencepost.run.selection import Selection
from fencepost.steps.player import player_of


@dataclass(frozen=True)
class Lack:
    """Capabilities and requests that some scenarios need and a system does not offer; `why` has what would enable each, if known."""

    needs: tuple[str, ...]
    why: Mapping[str, str]
    scenarios: int
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class OfProposal:
    """How much of a proposal can be asked. `lacks` has what is missing most often first."""

    spec: str
    title: str
    requirements: int
    in_full: int
    in_part: int
    scenarios: int
    scenarios_asked: int
    lacks: tuple[Lack, ...]


def offering_of(protocol: str, handshake: Handshake, stand_in: StandIn | None, register: Register) -> list[OfProposal]:
    """What can be asked of a system with this handshake under a protocol, proposal by proposal."""
    requests = _Requests(stand_in) if stand_in else None
    found = []
    for spec in proposals.bundled().binding(protocol):
        lacking = [
            (play, tuple(dict.fromkeys((*sorted(play.needs - handshake.capabilities), *(requests.missed_by(play) if requests else ())))))
            for play in plays_of(register, Selection(specs=(spec,)), lambda _: (protocol,))
        ]
        if lacking:
            found.append(_of_proposal(spec, lacking, handshake, requests.why if requests else {}))
    return found


class _Requests:
    """Finds the requests that a scenario needs and the system does not have. `why` has, for each, what the system has instead."""

    def __init__(self, stand_in: StandIn) -> None:
        self.why: dict[str, str] = {}
        self._stand_in = stand_in
        self._stand_in.open()

    def missed_by(self, play: Play) -> tuple[str, ...]:
        """Such as `Produce v12` and `EndTxn v5`, in the order in which they are missed."""
        if self._stand_in.lacks_nothing:
            return ()
        self._stand_in.begin()
        missed: dict[str, str] = {}
        while True:
            error = self._error_of(play)
            missed |= self._stand_in.missed
            if isinstance(error, NotOffered):
                needs, _, why = str(error).partition(": ")
                missed.setdefault(needs, why)
            if not (isinstance(error, NotOffered) and self._stand_in.lift()):
                self.why |= missed
                return tuple(missed)

    def _error_of(self, play: Play) -> BaseException | None:
        return player_of(play.feature.spec).play(play.steps, lambda: self._stand_in.session(play.run, play.needs)).error


def _of_proposal(
    spec: str, lacking: Sequence[tuple[Play, tuple[str, ...]]], handshake: Handshake, of_requests: Mapping[str, str]
) -> OfProposal:
    can_be_asked: dict[str, list[bool]] = {}
    whose: dict[tuple[str, ...], list[str]] = {}
    for play, missing in lacking:
        can_be_asked.setdefault(play.requirement, []).append(not missing)
        if missing:
            whose.setdefault(missing, []).append(play.requirement)
    why = {**of_requests, **dict(line.split(": ", 1) for line in handshake.not_offered if ": " in line)}
    lacks = [
        Lack(needs, {one: why[one] for one in needs if one in why}, len(rows), tuple(dict.fromkeys(rows))) for needs, rows in whose.items()
    ]
    in_full = sum(map(all, can_be_asked.values()))
    return OfProposal(
        spec,
        proposals.bundled().title_of(spec),
        len(can_be_asked),
        in_full,
        sum(map(any, can_be_asked.values())) - in_full,
        len(lacking),
        sum(not missing for _, missing in lacking),
        tuple(sorted(lacks, key=lambda lack: -lack.scenarios)),
    )
