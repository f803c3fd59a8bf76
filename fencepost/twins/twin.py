"""One scenario played twice, without and with a disturbance, and the first observation that differs.

The scenario's own Then sentences judge the disturbed play: they refer to roles (the epoch after, what A wrote), so they hold in both plays,
or the disturbance was noticed. If the system is deterministic, all observations are compared by role as well.
"""

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, NamedTuple

from fencepost.adapters.twins.performer import CannotDisturb, Performer, Undisturbed, own_calls
from fencepost.adapters.twins.performers import last_look_of, performers_of
from fencepost.console.phrases import counted
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import Violation
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import Played, StepEnding
from fencepost.contract.ports import Session
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.plays import Play, falls_in, judged, put, session_of
from fencepost.run.verdicts import lacks
from fencepost.steps.player import player_of

from . import allowed_differences
from .allowed_differences import TwinException
from .disturbances import Disturbance
from .observed_differences import differences
from .outlived_timeout import OUTLIVED, outlives_its_timeout


class TwinVerdict(StrEnum):
    """The result of a twin, from the worst to the best."""

    DIFFERS = "differs"
    EXCEPTED = "excepted"
    ALIKE = "alike"
    NOT_TRIED = "not tried"
    NOT_OFFERED = "not offered"
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class UndisturbedScenario:
    """A scenario without a disturbance. Only one that is met has twins."""

    play: Play
    played: Played
    verdict: Verdict
    known: Undisturbed
    """What disturbances may know about it."""
    last_look: Sequence[str] = ()
    """What clients found after the last step, on a deterministic system."""


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


Acts = Mapping[tuple[str, str], int]
"""How often a disturbance did something to something, such as 2 for `("moved", "leader")`."""


@dataclass(frozen=True, kw_only=True)
class PlayedTwin(Played):
    """A twin as it was played: what the disturbance did, and why it did nothing, if so."""

    acts: Acts = field(default_factory=dict)
    idle: str = ""
    excused: Mapping[int, "Excuse"] = field(default_factory=dict)
    """The steps, counted from 0, that were violated and did not end the play."""
    last_look: Sequence[str] = ()
    """What clients found after the last step, on a deterministic system."""

    @classmethod
    def of(cls, played: Played, **more: Any) -> "PlayedTwin":
        """A play, which is that of a twin already or becomes it."""
        return (
            played
            if isinstance(played, cls) and not more
            else cls(**{one.name: getattr(played, one.name) for one in fields(Played)}, **more)
        )


class Excuse(NamedTuple):
    """A difference, and the exception that allows it."""

    difference: str
    exception: TwinException


@dataclass(frozen=True)
class TwinResult:
    """The result of a twin: `position` is the step before which the disturbance was, counted from 0; None for throughout.

    `difference` is the first observation that differs, or why it is unknown; `exceptions` allow it and all others. `seconds` is how long
    the twin took, and `acts` what the disturbance did.
    """

    play: Play
    disturbance: str
    position: int | None
    verdict: TwinVerdict
    seconds: float
    difference: str | None = None
    exceptions: tuple[TwinException, ...] = ()
    acts: Acts = field(default_factory=dict)

    @property
    def was_played(self) -> bool:
        """Whether the disturbance did something, or was noticed."""
        return self.verdict in (TwinVerdict.DIFFERS, TwinVerdict.EXCEPTED, TwinVerdict.ALIKE)

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
        self._variants = named if variants is None else variants

    def plain(self, play: Play) -> UndisturbedScenario:
        """Play the scenario without a disturbance."""
        known, last_look = list[Undisturbed](), list[str]()

        def look(session: Session) -> None:
            known.append(Undisturbed.of(session))
            last_look.extend(last_look_of(session, play.protocol, known[0]))

        played = put(play, self._systems, at_last=look if self._compares and self._is_deterministic(play) else None)
        return self.undisturbed(play, played, known[0] if known else None, last_look)

    def undisturbed(
        self, play: Play, played: Played, known: Undisturbed | None = None, last_look: Sequence[str] = ()
    ) -> UndisturbedScenario:
        """The result of a scenario that was played without a disturbance. `known` is what was known before the last look."""
        verdict = judged(play.asked, played, self._systems).result.verdict
        return UndisturbedScenario(play, played, verdict, known or Undisturbed.of(played.session), last_look)

    def lacks(self, play: Play, disturbance: Disturbance) -> NotOffered | None:
        """Why the system cannot be disturbed in that way; None if it can."""
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

    def result(self, twin: Twin, anyhow: Played) -> TwinResult:
        """The result of a twin that was played."""
        played = PlayedTwin.of(anyhow)

        def ended(verdict: TwinVerdict, difference: str | None = None, excuses: Collection[Excuse] = ()) -> TwinResult:
            needed = tuple(one.exception for one in excuses)
            return TwinResult(
                twin.plain.play, twin.disturbance.name, twin.position, verdict, played.seconds, difference, needed, played.acts
            )

        if isinstance(played.error, CannotDisturb):
            suffix = played.session.unique("") if played.session else ""
            return ended(TwinVerdict.NOT_OFFERED, str(played.error).replace(suffix, ""))
        if not twin.is_reached(played):
            return ended(TwinVerdict.NOT_REACHED)
        found = judged(twin.plain.play.asked, played, self._systems).result
        if found.verdict is Verdict.KNOWN_DEVIATION:
            return ended(TwinVerdict.EXCEPTED, found.reason)
        excuses = list(played.excused.values())
        for difference in self._differences(found, twin.plain, played, twin.disturbance):
            if (excuse := self._excuse(twin, difference)) is None:
                is_late = not self._is_deterministic(twin.plain.play) and outlives_its_timeout(twin.plain.played, played)
                return ended(TwinVerdict.NOT_TRIED, OUTLIVED) if is_late else ended(TwinVerdict.DIFFERS, difference)
            excuses.append(excuse)
        if excuses:
            left = sum(one.ending is StepEnding.NOT_REACHED for one in played.steps)
            why = f"; the {counted(left, 'step')} after it rest on it, and were not played" if left else ""
            return ended(TwinVerdict.EXCEPTED, excuses[0].difference + why, excuses)
        if not any(played.acts.values()):
            return ended(TwinVerdict.NOT_TRIED, played.idle)
        return ended(TwinVerdict.ALIKE)

    def play(
        self,
        twin: Twin,
        crashes: SharedCrashes | None = None,
        hears: Callable[[GherkinStep], None] = lambda _: None,
        patience_s: float | None = None,
        *,
        only: int | None = None,
    ) -> PlayedTwin:
        """Play the twin; with `only`, a disturbance throughout is active in that step alone."""
        plain, position, last_look = twin.plain, twin.position, list[str]()
        asked = replace(plain.play, needs=plain.play.needs | twin.disturbance.set_up) if self._is_deterministic(plain.play) else twin
        made, excused = list[Performer](), dict[int, Excuse]()

        def open_session() -> Session:
            with own_calls():
                session = session_of(asked, self._systems, crashes, patience_s)
            performer = performers_of(twin.protocol)[twin.disturbance.name](session, plain.known)
            performer.is_active = only is None or only == scene.count
            made.append(performer)
            with contextlib.ExitStack() as on_error:
                on_error.callback(session.close)
                with own_calls():
                    performer.begin()
                on_error.pop_all()
            return session

        with player_of(twin.feature.spec).begin(open_session) as scene:
            for number, step in enumerate(twin.steps):
                if number == position:
                    if not made:
                        break
                    scene.act(own_calls()(made[0].before_step))
                if only is not None and made:
                    made[0].is_active = number == only
                if scene.error is not None:
                    break
                hears(step)
                falls_next = number + 1 < len(twin.steps) and crashes is not None and twin.falls_before(number + 1)
                error = scene.play(step, twin.steps[number + 1 :], falls_next=falls_next).error
                # What a Then looks at is as it was; after another step that failed, the scenario is another one.
                if isinstance(error, Violation) and step.kind == "Then" and (excuse := self._excuse(twin, str(error))) is not None:
                    excused[number] = excuse
                    scene.go_on()
                elif error is not None:
                    break
            for performer in made:
                performer.look_back()
            if made and scene.error is None:
                if plain.last_look:
                    made[0].is_active = False
                    scene.act(lambda: last_look.extend(last_look_of(made[0].session, plain.play.protocol, plain.known)))
                made[0].is_active = True
                scene.act(own_calls()(made[0].end))
        played = scene.played(twin.steps)
        if isinstance(played.error, NotOffered) and made and made[0].narrows_offer:
            played = replace(played, error=CannotDisturb(f"the scenario asks for what this leaves out: {played.error}"))
        acts, idle = (made[0].acts, made[0].idle) if made else ({}, "")
        return PlayedTwin.of(played, acts=acts, idle=idle, excused=excused, last_look=last_look)

    def _differences(
        self, found: ScenarioResult, plain: UndisturbedScenario, played: PlayedTwin, disturbance: Disturbance
    ) -> Iterator[str]:
        """What differs: that a sentence does not hold, or all that was observed otherwise."""
        if found.verdict is not Verdict.MET and not (played.excused and played.error is None):
            yield found.reason or found.verdict.words
        elif self._compares and self._is_deterministic(plain.play):
            before, after = ([step.observations for step in one.steps] for one in (plain.played, played))
            is_alike = not played.excused
            for difference in differences(before, after, disturbance.moves, played.excused):
                yield difference
                is_alike = False
            if is_alike and played.last_look:  # what an exception allows has consequences
                yield from differences([plain.last_look], [played.last_look])

    def _excuse(self, twin: Twin, difference: str) -> Excuse | None:
        """The exception that allows this difference here."""
        profile = self._systems.profile_of(twin.protocol)
        on_broker = self._systems.profile is None
        known = (one for one in allowed_differences.bundled() if one.is_for(profile, self._variants, on_broker=on_broker))
        found = allowed_differences.find(known, twin.disturbance.name, twin.requirement, twin.name, difference)
        return None if found is None else Excuse(difference, found)

    def _is_deterministic(self, play: Play) -> bool:
        """Whether each play of a scenario is the same on the system: then every fault is in each session, and all can be compared."""
        return "virtual-time" in self._systems.handshakes[play.protocol].capabilities
