"""Scenarios as they are played and judged in one process, without a pytest session: for the proof, and for whatever plays many of them.

A play is a scenario under one protocol with one row of its examples. What `fencepost run` judges in pytest is judged here by the same
player, the same evidence and the same known deviations; a test holds that both say the same of every bundled scenario.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fencepost.contract import register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.events import Event
from fencepost.contract.evidence import Evidence
from fencepost.contract.gherkin import Feature, Rule, Scenario, Step, bundled, requirement_of
from fencepost.contract.ports import Exchange, Session
from fencepost.contract.verdict import ScenarioResult
from fencepost.steps.player import player_of

from .expectations import Asking, Expectations
from .judged_systems import JudgedSystems
from .judging import judge, lacks
from .options import Options

_NEEDS = "needs:"


@dataclass(frozen=True)
class Play:
    """A scenario that is asked: `name` ends with the protocol where it is asked under several, `example` counts the rows of an outline
    from 1, and `steps` are its own after those of its backgrounds."""

    requirement: str
    feature: Feature
    scenario: Scenario
    name: str
    protocol: str
    needs: frozenset[str]
    steps: tuple[Step, ...]
    example: int | None = None

    @property
    def run(self) -> str:
        """The name of its history, which no other play has."""
        return f"{self.requirement}-{self.name}" + ("" if self.example is None else f"-example-{self.example}")


@dataclass(frozen=True)
class PlayResult:
    """What a play showed, and the session that has what was said; None where it was not offered."""

    result: ScenarioResult
    session: Session | None

    @property
    def history(self) -> list[Event]:
        """What was said, as events."""
        return self.session.history(self.result.run) if self.session else []


class Plays:
    """The plays of one run, on systems that are open. As a context, these are given back.

    Raises what opening them raises: WrongUsage, SystemUnreachable, DataFileError.
    """

    def __init__(self, options: Options) -> None:
        self._register = register.bundled()
        self._options = options.about_system(self._register)
        self._options.selection.check(self._register)
        self._systems = JudgedSystems(self._options, self._register)
        self.all = tuple(self._plays())
        if not self.all:
            raise WrongUsage("no scenario is asked of what is selected")
        try:
            self._systems.open(self._needs())
        except BaseException:
            self._systems.close()
            raise

    def __enter__(self) -> "Plays":
        return self

    def __exit__(self, *_: object) -> None:
        self._systems.close()

    def __iter__(self) -> Iterator[Play]:
        return iter(self.all)

    def judge(self, play: Play) -> PlayResult:
        """Play it, and say what it shows."""
        system, handshake = self._systems.by_protocol[play.protocol], self._systems.handshakes[play.protocol]
        known = self._systems.expectations.get(play.protocol, Expectations())
        asked = Asking(play.requirement, play.scenario.name, play.protocol, play.example)
        error: BaseException | None = lacks(system.name, play.needs, handshake)
        evidence, session, seconds = Evidence(), None, 0.0
        if error is None:
            played = player_of(play.feature.spec).play(play.steps, lambda: system.session(play.run, play.needs))
            error, evidence, session, seconds = played.error, played.stage.evidence, played.session, played.seconds

        def said() -> Sequence[Exchange]:
            return session.exchanges() if session else ()

        judged = judge(error, evidence, known.of(asked, said))
        result = ScenarioResult(
            play.requirement,
            play.feature.path,
            play.name,
            judged.verdict,
            judged.reason,
            evidence.count,
            seconds,
            play.run,
            judged.violation,
            play.protocol,
            play.example,
            judged.expectation,
        )
        return PlayResult(result, session)

    def _plays(self) -> Iterator[Play]:
        """In the order of the features."""
        for feature in bundled():
            for rule in feature.rules:
                row = self._register.by_id.get(requirement_of(rule.tags) or "")
                if row is not None and self._options.selection.holds(row, self._register.spec_of(row.id)):
                    for scenario in rule.scenarios:
                        yield from self._of(row.id, feature, rule, scenario)

    def _of(self, requirement: str, feature: Feature, rule: Rule, scenario: Scenario) -> Iterator[Play]:
        needs = frozenset(tag.removeprefix(_NEEDS) for tag in (*rule.tags, *scenario.tags) if tag.startswith(_NEEDS))
        protocols = self._systems.protocols(requirement)
        for protocol in protocols:
            name = f"{scenario.name} ({protocol})" if len(protocols) > 1 else scenario.name
            for number, steps in enumerate(scenario.examples, 1):
                whole = (*feature.background, *rule.background, *steps)
                yield Play(requirement, feature, scenario, name, protocol, needs, whole, number if scenario.rows else None)

    def _needs(self) -> Mapping[str, list[frozenset[str]]]:
        found: dict[str, list[frozenset[str]]] = {}
        for play in self.all:
            found.setdefault(play.protocol, []).append(play.needs)
        return found
