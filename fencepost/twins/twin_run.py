"""`fencepost run --twins`: plays scenarios and their twins, reports what they noticed, and writes `twins.json` and `twins.html`.

Each scenario that is met is played again with each disturbance that fits it, at each position where that disturbance may be. With a limit,
so many of these are drawn by the seed and the scenario's name: a run of one scenario draws the same twins as a run of all. Each pair of a
requirement and a disturbance has one verdict.
"""

import contextlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.console.phrases import counted, shortened
from fencepost.console.terminal import Screen
from fencepost.contract import folder, register
from fencepost.contract.brokers import most_at_once
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.folder import Layout
from fencepost.contract.verdict import Verdict
from fencepost.contract.version import VERSION
from fencepost.run import interruption, pytest_session
from fencepost.run.options import TEXT, RunOptions
from fencepost.run.plays import Play, Plays

from . import allowed_differences, disturbances
from .allowed_differences import TwinException
from .concurrent_twins import ConcurrentTwins
from .disturbances import Disturbance
from .twin import Twin, TwinResult, Twins, TwinVerdict, UndisturbedScenario
from .twin_findings import TwinFindings
from .twin_map import page

JSON, PAGE = "twins.json", "twins.html"
LAYOUT = Layout("run --twins", "--results", (JSON, PAGE))
PER_SCENARIO = 3
"""The default number of twins for each scenario, on a system without virtual time."""
_PROGRESS_S = 10.0
_LINE = 600


@dataclass(frozen=True)
class TwinOptions:
    """A user's options for twins: names of disturbances, a seed, and the number of twins for each scenario (None: the system's default)."""

    names: Sequence[str]
    seed: int = 1
    per_scenario: int | None = None
    seconds: float | None = None
    """Stop after this time."""
    most_red: int | None = None
    """Stop when this many twins differ."""


def run_with(
    arguments: Sequence[str],
    names: Sequence[str],
    seed: int | None,
    per_scenario: int | None,
    timeout: str | None,
    max_failures: int | None,
    others: Mapping[str, object],
) -> int:
    """Run the twins that these options ask for; `others` are options that a run of twins cannot use. Raises WrongUsage if one is set."""
    if other := next((name for name, value in others.items() if value), None):
        raise WrongUsage(f"{other} and --twins exclude each other: twins are played in one process, and write {JSON} alone")
    limit = None if timeout is None else interruption.seconds(timeout)
    asked = TwinOptions(tuple(names), 1 if seed is None else seed, per_scenario, limit, max_failures)
    with contextlib.closing(Screen()) as screen:
        return run(pytest_session.options_of(list(arguments)), asked, screen)


def run(options: RunOptions, asked: TwinOptions, screen: Screen) -> Exit:
    """Play, show and write. Raises WrongUsage, UnknownName, SystemUnreachable, DataFileError."""
    rows = register.bundled()
    options = options.about_system(rows)
    chosen = disturbances.bundled().named(asked.names, options.selection.specs, options.protocols())
    where = options.results or Path("results/twins") / options.system
    claimed = folder.claim(where, LAYOUT, {JSON: "{}"})
    reported, began = TwinFindings(), time.monotonic()
    with Plays(options, more_needs=[frozenset(one.needs) for one in chosen]) as plays:
        is_prompt = all("virtual-time" in said.capabilities for said in plays.systems.handshakes.values())
        most = asked.per_scenario or (None if is_prompt else PER_SCENARIO)
        at_once = max(map(most_at_once, plays.systems.by_protocol.values()))
        screen.write_line(f"  twins of {counted(len(plays.all), 'scenario')} with {', '.join(one.name for one in chosen)}")
        try:
            played = _Run(plays, chosen, asked, most, reported, began)
            for line in played.at_once(at_once, screen) if at_once > 1 else played.one_by_one():
                screen.write_line(line, red=line.startswith("  X"))
        except KeyboardInterrupt:
            reported.stopped = "interrupted"
        if options.profile and not options.defect and most is None and not reported.stopped:
            reported.stale = list(_stale(reported, [one.name for one in chosen], options.profile))
    seconds = time.monotonic() - began
    claimed.put(JSON, json.dumps(as_json(reported, chosen, asked, seconds, options), indent=1) + "\n")
    claimed.put(PAGE, page(reported, chosen, _title(options)))
    _sum_up(reported, chosen, seconds, screen)
    screen.write_line(f"  results: {os.path.relpath(where)}/{PAGE}")
    return reported.exit


@dataclass(frozen=True)
class _Run:
    """The scenarios and twins of a run, which put their results into `reported`. `most` is how many twins each scenario has; None for all.

    `began` is when the run began, by the monotonic clock.
    """

    plays: Plays
    chosen: Sequence[Disturbance]
    asked: TwinOptions
    most: int | None
    reported: TwinFindings
    began: float
    shown: set[tuple[str, str]] = field(default_factory=set)
    """The scenarios and disturbances of which a twin that differs was printed."""

    def one_by_one(self) -> Iterator[str]:
        """Play each scenario and then its twins, and yield the lines to print meanwhile."""
        twins, last, reported, count = Twins(self.plays.systems), self.began, self.reported, len(self.plays.all)
        for number, play in enumerate(self.plays.all):
            if self._is_over():
                return
            plain = twins.plain(play)
            yield from self._note_scenario(plain)
            for disturbance, position in self._places(twins, plain):
                result = twins.put(plain, disturbance, position)
                reported.seconds_plain += plain.played.seconds
                reported.seconds_of_twins += result.seconds
                yield from self._note(result)
                if self._is_over():
                    return
            if time.monotonic() - last > _PROGRESS_S:
                last = time.monotonic()
                yield f"  {number + 1} of {count} scenarios, {len(reported.results):,} twins, {len(reported.red)} differ"

    def at_once(self, most_at_once: int, screen: Screen) -> Iterator[str]:
        """The same, many at once: first all scenarios, then the twins of those that are met."""

        def goes_on(over: int) -> bool:
            screen.write_line(f"  {over:,} of {len(twins) or len(self.plays.all):,} {'twins' if twins else 'scenarios'} are over")
            return not self._is_over()

        twins, reported, systems = list[Twin](), self.reported, self.plays.systems
        several, started = ConcurrentTwins(systems, most_at_once, goes_on), time.monotonic()
        for plain in several.plain(self.plays.all):
            yield from self._note_scenario(plain)
            if self._is_over():
                return
        each_s, of = (time.monotonic() - started) / len(self.plays.all), Twins(systems)
        twins += [Twin.of(plain, *place) for plain in reported.plain for place in self._places(of, plain)]
        started = time.monotonic()
        for result in several.results(twins):
            yield from self._note(result)
            reported.seconds_of_twins, reported.kills = time.monotonic() - started, several.kills
            reported.seconds_plain = each_s * len(reported.results)
            if self._is_over():
                return

    def _note_scenario(self, plain: UndisturbedScenario) -> Iterator[str]:
        """Note a scenario without a disturbance, and yield a line if it is red."""
        self.reported.plain.append(plain)
        if plain.verdict.is_red:
            play = plain.play
            yield f"  X {play.requirement} {play.name}: {plain.verdict.words} without a disturbance, so it has no twins"

    def _note(self, result: TwinResult) -> Iterator[str]:
        """Note a result, and yield a line for the first twin of a scenario and a disturbance that differs; the page has the others."""
        if result.verdict is TwinVerdict.NOT_REACHED:
            return  # the system has not been asked anything at that position yet
        self.reported.results.append(result)
        if result.verdict is TwinVerdict.NOT_OFFERED:
            self.reported.not_offered[f"{result.disturbance}: {result.difference}"] += 1
        of = result.play.run, result.disturbance
        if result.verdict is TwinVerdict.DIFFERS and of not in self.shown:
            self.shown.add(of)
            yield shortened(f"  X {_head(result)}: {result.difference}", _LINE)

    def _is_over(self) -> bool:
        """Whether the run stops here, with the reason noted."""
        asked, reported = self.asked, self.reported
        if asked.most_red is not None and len(reported.red) >= asked.most_red:
            reported.stopped = f"{counted(len(reported.red), 'twin')} differed"
        elif asked.seconds is not None and time.monotonic() - self.began > asked.seconds:
            reported.stopped = f"the time of {asked.seconds:g} s was up"
        return reported.stopped is not None

    def _places(self, twins: Twins, plain: UndisturbedScenario) -> Sequence[tuple[Disturbance, int | None]]:
        """The disturbances of a scenario, each with its position; none if the scenario is not met."""
        return drawn(self._fitting(twins, plain.play), self.most, self.asked.seed, plain.play) if plain.verdict is Verdict.MET else ()

    def _fitting(self, twins: Twins, play: Play) -> Iterator[tuple[Disturbance, int | None]]:
        for disturbance in self.chosen:
            if not disturbance.fits(play.feature.spec, play.protocol):
                continue
            if why := twins.lacks(play, disturbance):
                self.reported.not_offered[f"{disturbance.name}: {why}"] += 1
                continue
            for position in disturbance.positions(play.steps, play.needs, play.protocol):
                yield disturbance, position


def drawn(
    places: Iterable[tuple[Disturbance, int | None]], most: int | None, seed: int, play: Play
) -> list[tuple[Disturbance, int | None]]:
    """All of them, or `most`: a disturbance is drawn first and then its position, so a disturbance with many positions is not preferred."""
    everywhere = list(places)
    if most is None or len(everywhere) <= most:
        return everywhere
    lot = random.Random(f"{seed} {play.run}")  # noqa: S311 - a position is no secret
    by_name: dict[str, list[tuple[Disturbance, int | None]]] = {}
    for one in everywhere:
        by_name.setdefault(one[0].name, []).append(one)
    found: list[tuple[Disturbance, int | None]] = []
    while len(found) < most:
        name = lot.choice(sorted(name for name, left in by_name.items() if left))
        found.append(by_name[name].pop(lot.randrange(len(by_name[name]))))
    return found


def _stale(reported: TwinFindings, names: Sequence[str], profile: str) -> Iterator[TwinException]:
    """The exceptions for this profile all of whose twins were played, and that no twin needed."""
    asked = {one.play.requirement for one in reported.plain}
    needed = {id(one.exception) for one in reported.results if one.exception}
    for one in allowed_differences.bundled():
        is_asked = not one.variants and profile in (one.profiles or (TEXT,)) and one.requirement in (None, *asked)
        if is_asked and set(one.disturbances) <= set(names) and id(one) not in needed:
            yield one


def as_json(
    reported: TwinFindings, chosen: Sequence[Disturbance], asked: TwinOptions, seconds: float, options: RunOptions
) -> dict[str, Any]:
    """The result for other programs: `requirements` has each with each disturbance, `noticed` each twin that differs or is excepted."""
    counts = Counter(one.verdict.value for one in reported.results)
    return {
        "schema_version": 1,
        "fencepost": VERSION,
        "complete": reported.stopped is None,
        "stopped": reported.stopped,
        "system": _title(options),
        "disturbances": [one.name for one in chosen],
        "seed": asked.seed,
        "per_scenario": asked.per_scenario,
        "seconds": round(seconds, 1),
        "scenarios": dict(Counter(one.verdict.value for one in reported.plain)),
        "twins": dict(counts),
        "cost": reported.cost,
        "kills": reported.kills,
        "not_offered": dict(reported.not_offered),
        "stale_exceptions": [str(one) for one in reported.stale],
        "requirements": [
            {"id": requirement, "disturbance": name, "verdict": verdict.value}
            for (requirement, name), verdict in reported.verdicts().items()
        ],
        "noticed": [
            {
                "requirement": one.play.requirement,
                "scenario": one.play.name,
                "example": one.play.example,
                "disturbance": one.disturbance,
                "where": one.where,
                "verdict": one.verdict.value,
                "difference": one.difference,
                "reason": one.exception.reason if one.exception else None,
            }
            for one in reported.results
            if one.verdict in (TwinVerdict.DIFFERS, TwinVerdict.EXCEPTED)
        ],
    }


def _title(options: RunOptions) -> str:
    parts = [
        options.system,
        f"profile {options.asked.profile}" if options.asked.profile else "",
        f"defect {options.defect}" if options.defect else "",
    ]
    return ", ".join(filter(None, parts))


def _head(one: TwinResult) -> str:
    example = f", example {one.play.example}" if one.play.example is not None else ""
    return f"{one.play.requirement} {one.play.name}{example}: {one.disturbance} {one.where}"


def _sum_up(reported: TwinFindings, chosen: Sequence[Disturbance], seconds: float, screen: Screen) -> None:
    screen.write_line()
    verdicts = reported.verdicts()
    for disturbance in chosen:
        of = [one for one in reported.results if one.disturbance == disturbance.name]
        counts = Counter(one.verdict for one in of)
        red = sorted({one.play.requirement for one in of if one.verdict is TwinVerdict.DIFFERS})
        said = ", ".join(f"{counts[verdict]:,} {verdict.value}" for verdict in TwinVerdict if counts[verdict]) or "none"
        rows = sum(name == disturbance.name for _, name in verdicts)
        line = f"  {disturbance.name}: twins of {counted(rows, 'requirement')}: {said}"
        screen.write_line(line + (f"; red: {', '.join(red)}" if red else ""), red=bool(red))
    for why, count in reported.not_offered.items():
        screen.write_line(f"  not offered in {counted(count, 'scenario')}: {shortened(why, _LINE)}")
    others = Counter(one.verdict for one in reported.plain if one.verdict is not Verdict.MET)
    if others:
        line = ", ".join(f"{count} {verdict.words}" for verdict, count in others.items())
        screen.write_line(f"  scenarios without twins, for they are not met themselves: {line}")
    for one in reported.stale:
        screen.write_line(f"  X stale exception: {one}: no twin needs it any more; remove it from fixtures/twin_exceptions.yaml", red=True)
    if reported.stopped:
        screen.write_line(f"  not finished: {reported.stopped}")
    if not reported.played:
        screen.write_line("  no twin was played, so nothing is known", red=True)
    cost = reported.cost
    screen.write_line(
        f"  {len(reported.played):,} twins of {counted(len({one.play.run for one in reported.played}), 'scenario')} in {seconds:.0f} s"
        + (f", {cost} times the time of their scenarios" if cost else "")
        + (f", {counted(reported.kills, 'kill')}" if reported.kills is not None else "")
        + f": {len(reported.red)} differ, {sum(one.verdict is TwinVerdict.EXCEPTED for one in reported.results)} excepted"
    )
