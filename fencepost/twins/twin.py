"""One scenario played twice, without and with a disturbance, and the first observation that differs.

The scenario's own Then sentences judge the disturbed play: they refer to roles (the epoch after, what A wrote), so they hold in both plays,
or the disturbance was noticed. If the system is deterministic, all observations are compared by role as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest

from fencepost.adapters.twins.performer import Performer, Undisturbed
from fencepost.adapters.twins.performers import performers_of
from fencepost.contract.errors import NotOffered
from fencepost.contract.gherkin import Step
from fencepost.contract.played import Played
from fencepost.contract.ports import Session
from fencepost.contract.verdict import Verdict
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.observed_roles import by_role
from fencepost.run.plays import Play, judged
from fencepost.run.verdicts import lacks
from fencepost.steps.player import player_of

from . import allowed_differences
from .allowed_differences import TwinException
from .disturbances import Disturbance


class TwinVerdict(StrEnum):
    """The result of a twin, from the worst to the best."""

    DIFFERS = "differs"
    EXCEPTED = "excepted"
    ALIKE = "alike"
    NOT_OFFERED = "not offered"
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class UndisturbedScenario:
    """A scenario without a disturbance. Only one that is met has twins."""

    play: Play
    played: Played
    verdict: Verdict

    @cached_property
    def known(self) -> Undisturbed:
        """What disturbances may know about it."""
        session = self.played.session
        return Undisturbed(tuple(session.exchanges()), session.unique("")) if session else Undisturbed()


@dataclass(frozen=True)
class TwinResult:
    """The result of a twin: `position` is the step before which the disturbance was, counted from 0; None for throughout.

    `difference` is the first observation that differs, or why it is unknown; `exception` excuses it. `seconds` is how long the twin took.
    """

    play: Play
    disturbance: str
    position: int | None
    verdict: TwinVerdict
    seconds: float
    difference: str | None = None
    exception: TwinException | None = None

    @property
    def where(self) -> str:
        """The position of the disturbance, for people."""
        if self.position is None:
            return "throughout"
        step = self.play.steps[self.position]
        return f"before step {self.position + 1}, {step.keyword.strip()} {step.text}"


class Twins:
    """Plays scenarios and their twins on open systems.

    `compares` is whether all observations of two plays are compared on a deterministic system. A conforming variant is judged by the
    sentences alone: it may number, repeat and time things in its own way, and another way after a restart.
    """

    def __init__(self, systems: JudgedSystems, *, compares: bool = True) -> None:
        self._systems = systems
        self._compares = compares
        self._exceptions = [one for one in allowed_differences.bundled() if one.is_for(systems.profile)]

    def plain(self, play: Play) -> UndisturbedScenario:
        """Play the scenario without a disturbance."""
        system = self._systems.by_protocol[play.protocol]
        if why := lacks(system.name, play.needs, self._systems.handshakes[play.protocol]):
            return UndisturbedScenario(play, Played(error=why), Verdict.NOT_OFFERED)
        played = player_of(play.feature.spec).play(play.steps, lambda: system.session(play.run, play.needs))
        return UndisturbedScenario(play, played, judged(play.asked, played, self._systems).result.verdict)

    def lacks(self, play: Play, disturbance: Disturbance) -> NotOffered | None:
        """Why the system cannot be disturbed so; None if it can."""
        system = self._systems.by_protocol[play.protocol]
        return lacks(system.name, disturbance.needs, self._systems.handshakes[play.protocol])

    def put(self, plain: UndisturbedScenario, disturbance: Disturbance, position: int | None) -> TwinResult:
        """Play the twin and compare it. A difference of a disturbance throughout is narrowed to the first step that suffices."""
        result = self._put(plain, disturbance, position, position)
        if position is None and result.verdict is TwinVerdict.DIFFERS:
            for step in range(len(plain.play.steps)):
                alone = self._put(plain, disturbance, None, step)
                if alone.verdict is TwinVerdict.DIFFERS:
                    return TwinResult(plain.play, disturbance.name, step, alone.verdict, result.seconds, alone.difference)
        return result

    def _put(self, plain: UndisturbedScenario, disturbance: Disturbance, position: int | None, only: int | None) -> TwinResult:
        play = plain.play
        played, is_reached = self._played(plain, disturbance, position, only)

        def ended(verdict: TwinVerdict, difference: str | None = None, exception: TwinException | None = None) -> TwinResult:
            return TwinResult(play, disturbance.name, position, verdict, played.seconds, difference, exception)

        if isinstance(played.error, NotOffered):
            return ended(TwinVerdict.NOT_OFFERED, str(played.error))
        if not is_reached:
            return ended(TwinVerdict.NOT_REACHED)
        difference = self._difference(plain, played, disturbance)
        if difference is None:
            return ended(TwinVerdict.ALIKE)
        excuse = allowed_differences.find(self._exceptions, disturbance.name, play.requirement, play.name, difference)
        return ended(TwinVerdict.EXCEPTED if excuse else TwinVerdict.DIFFERS, difference, excuse)

    def _played(self, plain: UndisturbedScenario, disturbance: Disturbance, position: int | None, only: int | None) -> tuple[Played, bool]:
        """The twin's play, and whether the disturbance happened; with `only`, a disturbance throughout is active in that step alone."""
        play, system = plain.play, self._systems.by_protocol[plain.play.protocol]
        made: list[Performer] = []

        def open_session() -> Session:
            session = system.session(play.run, play.needs if self._is_deterministic(play) else play.needs | set(disturbance.needs))
            performer = performers_of(play.protocol)[disturbance.name](session, plain.known)
            performer.is_active = only is None or position is not None or only == scene.count
            made.append(performer)
            performer.begin()
            return session

        is_reached = position is None
        with player_of(play.feature.spec).begin(open_session) as scene:
            for number, (step, after) in enumerate(_with_next(play.steps)):
                if number == position:
                    if not made:
                        break
                    is_reached = True
                    scene.act(made[0].before_step)
                if position is None and only is not None and made:
                    made[0].is_active = number == only
                if scene.error is not None or scene.play(step, after).error is not None:
                    break
            if made and scene.error is None:
                made[0].is_active = True
                scene.act(made[0].end)
        return scene.played(play.steps), is_reached and bool(made)

    def _difference(self, plain: UndisturbedScenario, played: Played, disturbance: Disturbance) -> str | None:
        found = judged(plain.play.asked, played, self._systems).result
        if found.verdict is not Verdict.MET:
            return found.reason or found.verdict.words
        if not (self._compares and self._is_deterministic(plain.play)):
            return None
        return first_difference(plain.played.evidence.observations, played.evidence.observations, disturbance.moves)

    def _is_deterministic(self, play: Play) -> bool:
        """Whether each play of a scenario is the same on the system: then every fault is in each session, and all can be compared."""
        return "virtual-time" in self._systems.handshakes[play.protocol].capabilities


def first_difference(plain: Sequence[str], disturbed: Sequence[str], moves: Sequence[str] = ()) -> str | None:
    """The first observation that differs by its role; None if all are the same. `moves` names roles that this disturbance moves."""
    pairs = zip_longest(by_role(plain, moves), by_role(disturbed, moves), fillvalue="nothing more")
    return next((f"observed without it: {one}; with it: {other}" for one, other in pairs if one != other), None)


def _with_next(steps: Sequence[Step]) -> list[tuple[Step, Step | None]]:
    return list(zip(steps, (*steps[1:], None), strict=True))
