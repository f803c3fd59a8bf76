"""One scenario played twice, without and with a disturbance, and the first observation that differs.

The scenario's own Then sentences judge the disturbed play: they refer to roles (the epoch after, what A wrote), so they hold in both plays,
or the disturbance was noticed. If the system is deterministic, all observations are compared by role as well.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest

from fencepost.adapters.twins.performer import Performer, Undisturbed
from fencepost.adapters.twins.performers import performers_of
from fencepost.contract.errors import NotOffered
from fencepost.contract.gherkin import Step
from fencepost.contract.played import Played, StepEnding
from fencepost.contract.ports import Session
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.contract.verdict import Verdict
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.observed_roles import by_role
from fencepost.run.plays import Play, falls_in, judged, put, session_of
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


@dataclass(frozen=True, kw_only=True)
class Twin(Play):
    """A scenario with a disturbance. It is a play that needs what the disturbance needs, and in which the system goes down for that."""

    plain: UndisturbedScenario
    disturbance: Disturbance
    position: int | None
    """The step before which the disturbance is, counted from 0; None for throughout."""

    @classmethod
    def of(cls, plain: UndisturbedScenario, disturbance: Disturbance, position: int | None) -> "Twin":
        """The twin of a scenario."""
        of_play = {one.name: getattr(plain.play, one.name) for one in fields(Play)}
        of_play["needs"] |= set(disturbance.needs)
        return cls(**of_play, plain=plain, disturbance=disturbance, position=position)

    @property
    def run(self) -> str:
        return f"{super().run}-{self.disturbance.name}-{'throughout' if self.position is None else self.position + 1}"

    @property
    def falls(self) -> tuple[str, ...]:
        if self.position is None or self.disturbance.brings_down is None:
            return super().falls
        before, after = (falls_in(self.feature.spec, some) for some in (self.steps[: self.position], self.steps[self.position :]))
        return (*before, self.disturbance.brings_down, *after)

    def falls_before(self, number: int) -> bool:
        """Whether the system goes down right before this step, counted from 0, or in it."""
        by_disturbance = number == self.position and self.disturbance.brings_down is not None
        return by_disturbance or bool(falls_in(self.feature.spec, self.steps[number : number + 1]))

    def is_reached(self, played: Played) -> bool:
        """Whether the disturbance happened: the system had been asked something, and every step before it was done."""
        if self.position is None:
            return played.session is not None or played.error is not None
        return played.session is not None and all(one.ending is StepEnding.DONE for one in played.steps[: self.position])


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
    sentences alone: it may number, repeat and time things in its own way, and another way after a restart. `variants` are the names of
    those that the reference has; without them it is the one that the run names.
    """

    def __init__(self, systems: JudgedSystems, *, compares: bool = True, variants: Collection[str] | None = None) -> None:
        self._systems = systems
        self._compares = compares
        named = [systems.defect] if systems.defect else []
        self._exceptions = [
            one for one in allowed_differences.bundled() if one.is_for(systems.profile, named if variants is None else variants)
        ]

    def plain(self, play: Play) -> UndisturbedScenario:
        """Play the scenario without a disturbance."""
        return self.undisturbed(play, put(play, self._systems))

    def undisturbed(self, play: Play, played: Played) -> UndisturbedScenario:
        """The result of a scenario that was played without a disturbance."""
        return UndisturbedScenario(play, played, judged(play.asked, played, self._systems).result.verdict)

    def lacks(self, play: Play, disturbance: Disturbance) -> NotOffered | None:
        """Why the system cannot be disturbed so; None if it can."""
        system = self._systems.by_protocol[play.protocol]
        return lacks(system.name, disturbance.needs, self._systems.handshakes[play.protocol])

    def put(self, plain: UndisturbedScenario, disturbance: Disturbance, position: int | None) -> TwinResult:
        """Play the twin and compare it. A difference of a disturbance throughout is narrowed to the first step that suffices."""
        twin = Twin.of(plain, disturbance, position)
        return self.narrowed(twin, self.result(twin, self.play(twin)))

    def narrowed(self, twin: Twin, result: TwinResult) -> TwinResult:
        """The result of a disturbance throughout that was noticed, at the first step that suffices; another result as it is."""
        if twin.position is None and result.verdict is TwinVerdict.DIFFERS:
            for step in range(len(twin.steps)):
                alone = self.result(twin, self.play(twin, only=step))
                if alone.verdict is TwinVerdict.DIFFERS:
                    return replace(result, position=step, difference=alone.difference)
        return result

    def result(self, twin: Twin, played: Played) -> TwinResult:
        """The result of a twin that was played."""

        def ended(verdict: TwinVerdict, difference: str | None = None, exception: TwinException | None = None) -> TwinResult:
            return TwinResult(twin.plain.play, twin.disturbance.name, twin.position, verdict, played.seconds, difference, exception)

        if isinstance(played.error, NotOffered):
            return ended(TwinVerdict.NOT_OFFERED, str(played.error))
        if not twin.is_reached(played):
            return ended(TwinVerdict.NOT_REACHED)
        difference = self._difference(twin.plain, played, twin.disturbance)
        if difference is None:
            return ended(TwinVerdict.ALIKE)
        excuse = allowed_differences.find(self._exceptions, twin.disturbance.name, twin.requirement, twin.name, difference)
        return ended(TwinVerdict.EXCEPTED if excuse else TwinVerdict.DIFFERS, difference, excuse)

    def play(
        self,
        twin: Twin,
        crashes: SharedCrashes | None = None,
        hears: Callable[[Step], None] = lambda _: None,
        patience_s: float | None = None,
        *,
        only: int | None = None,
    ) -> Played:
        """Play the twin; with `only`, a disturbance throughout is active in that step alone."""
        plain, position = twin.plain, twin.position
        asked = plain.play if self._is_deterministic(plain.play) else twin
        made: list[Performer] = []

        def open_session() -> Session:
            session = session_of(asked, self._systems, crashes, patience_s)
            performer = performers_of(twin.protocol)[twin.disturbance.name](session, plain.known)
            performer.is_active = only is None or only == scene.count
            made.append(performer)
            performer.begin()
            return session

        with player_of(twin.feature.spec).begin(open_session) as scene:
            for number, step in enumerate(twin.steps):
                if number == position:
                    if not made:
                        break
                    scene.act(made[0].before_step)
                if only is not None and made:
                    made[0].is_active = number == only
                if scene.error is not None:
                    break
                hears(step)
                falls_next = number + 1 < len(twin.steps) and crashes is not None and twin.falls_before(number + 1)
                if scene.play(step, falls_next=falls_next).error is not None:
                    break
            if made and scene.error is None:
                made[0].is_active = True
                scene.act(made[0].end)
        return scene.played(twin.steps)

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
