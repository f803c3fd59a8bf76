"""`fencepost run --twins`: plays scenarios and their twins, reports what they noticed, and writes `twins.json` and `twins.html`.

Each scenario that is met is played again with each disturbance that fits it, at each position where that disturbance may be. With a limit,
so many of these are drawn by the seed and the scenario's name: a run of one scenario draws the same twins as a run of all. Each pair of a
requirement and a disturbance has one verdict.
"""

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fencepost.console.phrases import counted, shortened
from fencepost.console.terminal import Screen
from fencepost.contract import folder, register
from fencepost.contract.brokers import most_at_once
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.folder import FolderLayout
from fencepost.contract.gherkin import Feature
from fencepost.contract.verdict import Verdict
from fencepost.contract.version import VERSION
from fencepost.run import interruption, pytest_session, user_features
from fencepost.run.options import TEXT, RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection

from . import allowed_differences, disturbances
from .allowed_differences import TwinException
from .concurrent_twins import ConcurrentTwins
from .disturbances import Disturbance
from .drawn_twins import DrawnTwins, places
from .twin import Twin, TwinResult, Twins, TwinVerdict, UndisturbedScenario
from .twin_findings import TwinFindings
from .twin_map import page

JSON, PAGE = "twins.json", "twins.html"
LAYOUT = FolderLayout("run --twins", "--results", (JSON, PAGE))
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
    files: Sequence[Path] = (),
) -> int:
    """Run the twins that these options ask for, of the scenarios in these files or of the bundled ones.

    `others` are options that a run of twins cannot use. Raises WrongUsage if one is set.
    """
    if other := next((name for name, value in others.items() if value), None):
        raise WrongUsage(f"{other} and --twins exclude each other: twins are played in one process, and write {JSON} alone")
    limit = None if timeout is None else interruption.seconds(timeout)
    asked = TwinOptions(tuple(names), 1 if seed is None else seed, per_scenario, limit, max_failures)
    own = [user_features.read(file) for file in files]
    only = [f"--only={identifier}" for one in own for identifier in one.requirements]
    with contextlib.closing(Screen()) as screen:
        return run(pytest_session.options_of([*arguments, *only]), asked, screen, [one.feature for one in own] or None)


def run(options: RunOptions, asked: TwinOptions, screen: Screen, features: Sequence[Feature] | None = None) -> Exit:
    """Play, show and write; without `features`, the bundled ones. Raises WrongUsage, UnknownName, SystemUnreachable, DataFileError."""
    is_whole = options.selection == Selection() and not options.smoke
    options = options.about_system(register.bundled())
    chosen = disturbances.bundled().named(asked.names, options.selection.specs, options.protocols())
    where = options.results or Path("results/twins") / options.system
    claimed = folder.claim(where, LAYOUT, {JSON: "{}"})
    reported, began = TwinFindings(), time.monotonic()
    with Plays(options, [frozenset(one.needs) for one in chosen], features) as plays:
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
        if options.profile and not options.defect and most is None and not reported.stopped and features is None:
            reported.stale = list(_stale(reported, [one.name for one in chosen], options.profile, is_whole=is_whole))
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
            for result in self._drawn(twins, plain).results(partial(twins.put, plain)):
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
        drawn = {plain.play.run: (plain, self._drawn(of, plain)) for plain in reported.plain}
        started = time.monotonic()
        while some := [Twin.of(plain, *place) for plain, those in drawn.values() for place in those.some()]:
            twins[:] = some
            for result in several.results(twins):
                drawn[result.play.run][1].note(result)
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
        if result.verdict is TwinVerdict.NOT_TRIED:
            self.reported.not_tried[f"{result.disturbance}: {result.difference}"] += 1
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

    def _drawn(self, twins: Twins, plain: UndisturbedScenario) -> DrawnTwins:
        """The twins of a scenario; none if it is not met."""
        offered = places(twins, plain.play, self.chosen, self.reported.not_offered) if plain.verdict is Verdict.MET else ()
        return DrawnTwins(offered, self.most, self.asked.seed, plain.play)


def _stale(reported: TwinFindings, names: Sequence[str], profile: str, *, is_whole: bool) -> Iterator[TwinException]:
    """The exceptions for this profile that no twin needed, with those of their disturbances that were played in vain.

    Those for all requirements are judged only by a run of all, which `is_whole` says.
    """
    asked = {one.play.requirement for one in reported.plain} | ({None} if is_whole else set())
    needed = {(id(each), one.disturbance) for one in reported.results for each in one.exceptions}
    for one in allowed_differences.bundled():
        is_asked = one.is_imitated and not one.variants and profile in (one.profiles or (TEXT,)) and one.requirement in asked
        unneeded = tuple(name for name in one.disturbances if name in names and (id(one), name) not in needed)
        if is_asked and unneeded:
            yield one.model_copy(update={"disturbances": unneeded})


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
        "not_tried": dict(reported.not_tried),
        "acts": {one.name: {" ".join(act): count for act, count in reported.acts_of(one.name).items()} for one in chosen},
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
                "reason": "; ".join(each.reason for each in one.exceptions) or None,
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
        line = f"  {disturbance.name}: {counted(len(of), 'twin')} of {counted(rows, 'requirement')}: {said}"
        acts = ", ".join(f"{verb} {counted(count, noun)}" for (verb, noun), count in reported.acts_of(disturbance.name).items())
        screen.write_line(line + (f"; {acts}" if acts else "") + (f"; red: {', '.join(red)}" if red else ""), red=bool(red))
    for why, count in reported.not_offered.items():
        screen.write_line(f"  not offered in {counted(count, 'scenario')}: {shortened(why, _LINE)}")
    for why, count in reported.not_tried.items():
        screen.write_line(f"  not tried in {counted(count, 'twin')}: {shortened(why, _LINE)}")
    others = Counter(one.verdict for one in reported.plain if one.verdict is not Verdict.MET)
    if others:
        line = ", ".join(f"{count} {verdict.words}" for verdict, count in others.items())
        screen.write_line(f"  scenarios without twins, because they are not met themselves: {line}")
    for one in reported.stale:
        screen.write_line(f"  X stale exception: {one}: no twin needs it any more; remove it from fixtures/twin_exceptions.yaml", red=True)
    if reported.stopped:
        screen.write_line(f"  not finished: {reported.stopped}")
    if not reported.played:
        screen.write_line("  no disturbance did anything, so nothing is known", red=True)
    cost = reported.cost
    screen.write_line(
        f"  {len(reported.played):,} twins of {counted(len({one.play.run for one in reported.played}), 'scenario')} in {seconds:.0f} s"
        + (f", {cost} times as long as their scenarios took" if cost else "")
        + (f", {counted(reported.kills, 'kill')}" if reported.kills is not None else "")
        + f": {len(reported.red)} differ, {sum(one.verdict is TwinVerdict.EXCEPTED for one in reported.results)} excepted"
    )
