"""Plays and judges scenarios in one process, without a pytest session: for the proof, and for other callers that play many of them.

A play is a scenario under one protocol with one row of its examples. It is judged here by the same player, evidence and known deviations
as by `fencepost run` in pytest; a test ensures that both give the same result for every bundled scenario.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from fencepost.contract import register
from fencepost.contract.brokers import Where, has_broker_each, share_broker, where_of
from fencepost.contract.errors import WrongUsage
from fencepost.contract.events import Event
from fencepost.contract.evidence import Mismatch, NoAnswer, SetUpFailed, Violation
from fencepost.contract.gherkin import Feature, GherkinStep, Rule, Scenario, bundled_for, needs_in, requirement_of
from fencepost.contract.played import Played
from fencepost.contract.ports import Exchange, Session
from fencepost.contract.register import Register
from fencepost.contract.rights import may_lack_rights, right_refused
from fencepost.contract.shared_crashes import SharedCrashes, SharesCrashes
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.contract.waiting import ENOUGH_S, Shortened, waited_in
from fencepost.deviations.known_deviations import Asking, Expectations
from fencepost.steps.player import player_of

from .judged_systems import JudgedSystems
from .options import RunOptions
from .selection import Selection
from .verdicts import Judgement, judge, lacks

_NEW_OBJECTS = 20_000
"""How many new objects trigger the garbage collector: those of some twenty plays."""


@dataclass(frozen=True)
class Play:
    """A scenario that is asked: `name` ends with the protocol if it is asked under several, `example` counts the rows of an outline
    from 1, and `steps` are those of its backgrounds and then its own."""

    requirement: str
    feature: Feature
    scenario: Scenario
    name: str
    protocol: str
    needs: frozenset[str]
    steps: tuple[GherkinStep, ...]
    example: int | None = None

    @property
    def run(self) -> str:
        """The name of its history, unique among plays."""
        return self.asked.run

    @property
    def falls(self) -> tuple[str, ...]:
        """How the system goes down in its steps, a word for each time, in their order."""
        return falls_in(self.feature.spec, self.steps)

    @property
    def asked(self) -> "ScenarioNames":
        return ScenarioNames(self.requirement, self.feature.path, self.scenario.name, self.name, self.protocol, self.example)


def falls_in(spec: str, steps: Iterable[GherkinStep]) -> tuple[str, ...]:
    """How the system goes down in these steps of a proposal."""
    return tuple(filter(None, map(player_of(spec).brings_down, steps)))


@dataclass(frozen=True)
class ScenarioNames:
    """The names of a scenario that is asked: `name` as in `Play`, `scenario` as in its feature file."""

    requirement: str
    feature: str
    scenario: str
    name: str
    protocol: str
    example: int | None = None

    @property
    def run(self) -> str:
        """The name of its history."""
        return f"{self.requirement}-{self.name}" + ("" if self.example is None else f"-example-{self.example}")


@dataclass(frozen=True)
class PlayResult:
    """The result of a play, and the session with its exchanges; None if it was not offered."""

    result: ScenarioResult
    session: Session | None

    @property
    def history(self) -> list[Event]:
        """The exchanges, as events."""
        return self.session.history(self.result.run) if self.session else []


def plays_of(
    register: Register, selection: Selection, protocols: Callable[[str], Sequence[str]], features: Sequence[Feature] | None = None
) -> Iterator[Play]:
    """The plays of what is selected, in the order of the features; `protocols` has those under which a requirement is asked.

    Without `features`, they are of the bundled ones.
    """
    for spec in sorted(register.by_spec):
        held = {row.id for row in register.by_spec[spec] if selection.holds(row, spec)}
        for feature in _features_of(spec, features) if held else ():
            for rule in feature.rules:
                requirement = requirement_of(rule.tags)
                if requirement in held:
                    for scenario in rule.scenarios:
                        yield from _plays_of(requirement, feature, rule, scenario, protocols(requirement))


def _features_of(spec: str, features: Sequence[Feature] | None) -> Sequence[Feature]:
    return bundled_for(spec) if features is None else [one for one in features if one.spec == spec]


def _plays_of(requirement: str, feature: Feature, rule: Rule, scenario: Scenario, protocols: Sequence[str]) -> Iterator[Play]:
    needs = frozenset(needs_in(scenario.tags))
    for protocol in protocols:
        name = f"{scenario.name} ({protocol})" if len(protocols) > 1 else scenario.name
        for number, steps in enumerate(scenario.examples, 1):
            whole = (*feature.background, *rule.background, *steps)
            yield Play(requirement, feature, scenario, name, protocol, needs, whole, number if scenario.rows else None)


class Plays:
    """The plays of one run, on open systems. As a context it releases these at its end, and the garbage collector seldom runs meanwhile.

    `more_needs` is what else each system must offer; `features`, if any are given, are played instead of the bundled ones. Opening the
    systems raises WrongUsage, SystemUnreachable, DataFileError.
    """

    def __init__(self, options: RunOptions, more_needs: Sequence[frozenset[str]] = (), features: Sequence[Feature] | None = None) -> None:
        rows = register.bundled()
        options = options.about_system(rows)
        options.selection.check(rows)
        self.systems = self._systems = JudgedSystems(options, rows)
        self.all = tuple(plays_of(rows, options.selection, self._systems.protocols, features))
        if not self.all:
            raise WrongUsage("no scenario can be played of what is selected; select other requirements")
        needs: dict[str, list[frozenset[str]]] = {}
        for play in self.all:
            needs.setdefault(play.protocol, list(more_needs)).append(play.needs)
        try:
            self._systems.open(needs)
        except BaseException:
            self._systems.close()
            raise

    def __enter__(self) -> "Plays":
        self._ends = ExitStack()
        self._ends.callback(self._systems.close)
        self._ends.enter_context(seldom_collected())
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def __iter__(self) -> Iterator[Play]:
        return iter(self.all)

    def play(self, play: Play) -> Played:
        """Play it."""
        return put(play, self._systems)

    def judge(self, play: Play) -> PlayResult:
        """Play it, and return its result."""
        played = self.play(play)
        return PlayResult(judged(play.asked, played, self._systems).result, played.session)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the garbage collector run seldom, and freeze the existing objects for it, unless they are frozen already: plays leave little
    garbage, and each time the collector would go through all that is imported. If it is turned off there is nothing to do: merely counting
    the frozen objects takes longer than some plays.
    """
    thresholds, is_ours = gc.get_threshold(), gc.isenabled() and gc.get_freeze_count() == 0
    gc.set_threshold(_NEW_OBJECTS, *thresholds[1:])
    if is_ours:
        gc.freeze()
    try:
        yield
    finally:
        if is_ours:
            gc.unfreeze()
        gc.set_threshold(*thresholds)


def put(
    play: Play,
    systems: JudgedSystems,
    crashes: SharedCrashes | None = None,
    hears: Callable[[GherkinStep], None] = lambda _: None,
    patience_s: float | None = None,
    at_last: Callable[[Session], None] | None = None,
) -> Played:
    """Play on the system of the protocol, with shared crashes, if any. `hears` is called with each step as it begins, and `at_last` after
    the last one, if none has failed. `patience_s` shortens the patience of a system whose time supports that.
    """
    system = systems.by_protocol[play.protocol]
    if not_offered := lacks(system.name, play.needs, systems.handshakes[play.protocol]):
        return Played(error=not_offered)

    return player_of(play.feature.spec).play(play.steps, lambda: session_of(play, systems, crashes, patience_s), hears, at_last)


def session_of(play: Play, systems: JudgedSystems, crashes: SharedCrashes | None = None, patience_s: float | None = None) -> Session:
    """A new session for a play, as `put` opens it."""
    system = systems.by_protocol[play.protocol]
    session = system.session(play.run, play.needs)
    if crashes is not None and isinstance(session, SharesCrashes) and not has_broker_each(system):
        session.share(crashes)
    if patience_s is not None and isinstance(session.time, Shortened):
        session.time.shorten(patience_s)
    return session


def broker_of(systems: JudgedSystems, play: Play) -> Where:
    """The broker on which a play runs."""
    return where_of(systems.by_protocol[play.protocol], play.needs)


def sharing_broker(systems: JudgedSystems, plays: Sequence[Play]) -> AbstractContextManager[None]:
    """In the block, these plays of one protocol share a broker. The block begins when the broker serves."""
    protocol = plays[0].protocol
    system = systems.by_protocol[protocol]
    asked = [play for play in plays if not lacks(system.name, play.needs, systems.handshakes[protocol])]
    return share_broker(system, [play.run for play in asked], asked[0].needs if asked else ())


class ResultWithRelease(NamedTuple):
    """A scenario's result, and, if nothing excuses its violation, the release that is known to break the requirement in that way."""

    result: ScenarioResult
    alike: str | None


def judged(
    asked: ScenarioNames, played: Played, systems: JudgedSystems, note: str | None = None, enough_s: float = ENOUGH_S
) -> ResultWithRelease:
    """A scenario's result, with the known deviations taken into account; `note` is added to its reason. It is not violated if a wait of
    less than `enough_s` was in vain.
    """
    known = systems.expectations.get(asked.protocol, Expectations())

    def said() -> Sequence[Exchange]:
        return played.session.exchanges() if played.session else ()

    asking = Asking(asked.requirement, asked.scenario, asked.protocol, asked.example)
    found = judge(error_of(played), played.evidence, known.of(asking, said), _too_short(played, enough_s))
    alike = _alike(asked, found, systems)
    result = ScenarioResult(
        asked.requirement,
        asked.feature,
        asked.name,
        found.verdict,
        "; ".join(filter(None, (found.reason, alike, note))) or None,
        played.evidence.count,
        played.seconds,
        asked.run,
        found.violation,
        asked.protocol,
        asked.example,
        found.expectation,
        refusal_of(played.error, said()) if found.verdict is Verdict.INCONCLUSIVE else None,
        is_too_early=found.is_too_early,
    )
    return ResultWithRelease(result, alike)


def error_of(played: Played) -> BaseException | None:
    """The error with which it ended. If no request was answered at all, there was no system to judge, whatever the error. Nor is a system
    judged by a refusal of a right that its user may lack.
    """
    if not (played.session and isinstance(played.error, Violation)):
        return played.error
    said = played.session.exchanges()
    if said and all(one.answer is None for one in said):
        return NoAnswer(f"no request of this scenario was answered: {played.error}")
    if may_lack_rights(played.session) and (refusal := right_refused(played.error.mismatch)):
        return SetUpFailed(f"{refusal}: the user of this run may lack that right, so grant it all rights: {played.error}")
    return played.error


def _too_short(played: Played, enough_s: float) -> str | None:
    """Why its result may be premature: a wait in it was in vain, and the patience was too short. None if it is not."""
    waited_s = waited_in(played.session).in_vain_s
    if not (isinstance(played.error, Violation) and 0 < waited_s < enough_s):
        return None
    return f"what the scenario waited for did not come within the patience of {waited_s:g} s, and a verdict needs {enough_s:g} s"


def refusal_of(error: BaseException | None, exchanges: Sequence[Exchange]) -> Mismatch | None:
    """The refusal that made a Given fail, as the deviation of an answer; None if no refusal of the system did."""
    if not isinstance(error, SetUpFailed) or error.error is None or not exchanges:
        return None
    request = exchanges[-1].name.partition(" ")[0]
    return Mismatch("success", f"a refusal with {error.error} ({error.code})", f"answer to {request}", error.error, error.code)


def _alike(asked: ScenarioNames, found: Judgement, systems: JudgedSystems) -> str | None:
    likeness = systems.likenesses.get(asked.protocol)
    if likeness is None or found.verdict is not Verdict.VIOLATED:
        return None
    return likeness.hint(asked.requirement, asked.scenario, found.violation)
