"""One exploration: the systems that are asked, how they are gone through, and what it reports and leaves.

A finding is played again until it is small, printed as a scenario, and kept as a feature file. What was gone through without one is a
certificate: how many sequences of which acts.
"""

import contextlib
import json
import shlex
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis.database import DirectoryBasedExampleDatabase

from fencepost.adapters import registry
from fencepost.console.phrases import counted
from fencepost.console.terminal import Screen
from fencepost.contract import folder, register
from fencepost.contract.brokers import MOST_AT_ONCE
from fencepost.contract.capabilities import DISTURBING
from fencepost.contract.errors import Exit, SystemUnreachable, WrongUsage, first_of
from fencepost.contract.folder import Folder, FolderLayout
from fencepost.contract.ports import Answers
from fencepost.contract.register import Register
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.transitions import HasTransitions, watched
from fencepost.contract.version import VERSION
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions
from fencepost.run.plays import seldom_collected
from fencepost.steps.acts.act import Table, act_title
from fencepost.steps.acts.tables import table_of

from .against import Comparison, Differs
from .coverage import Coverage
from .deadline import Deadline
from .disturbed import DisturbedTable
from .kept_finding import FOUND, PROGRESS_S, FindingKeeper, KeptFinding
from .named_requirement import named
from .search import GoesOn, Plays, SearchProgress, at_once, drawn, exhaustive
from .shared_crash_search import sharing_crashes
from .trial import Trials

EXPLORED, EXAMPLES = "explored.json", "examples"
_NAMED = ("profile", "defect", "writers", "metadata", "container", "launcher", "bootstrap", "service-url", "admin-url")
"""The options that say which system it was, and are no secret."""
LAYOUT = FolderLayout("explore", "--results", (EXPLORED,), (FOUND, EXAMPLES))


@dataclass(frozen=True)
class Bounds:
    """How far is gone: every sequence up to a `depth`, or random ones, `examples` of `length` acts; at most `seconds` in all."""

    depth: int | None = None
    examples: int = 1_000
    length: int = 10
    seed: int = 1
    seconds: float | None = None

    def __str__(self) -> str:
        if self.depth is not None:
            return f"every sequence of at most {counted(self.depth, 'act')}"
        return f"random sequences of {counted(self.length, 'act')}, seed {self.seed}"


@dataclass(frozen=True)
class Explored:
    """What came of one proposal on one protocol of the system."""

    spec: str
    protocol: str
    system: str
    version: str | None
    against: str | None
    bounds: Bounds
    acts: tuple[str, ...]
    progress: SearchProgress
    seconds: float
    finding: KeptFinding | None = None
    coverage: Coverage | None = None
    """What the reference's coordinator has taken; None of a broker, whose coordinator does not show them."""

    @property
    def never_fired(self) -> list[str]:
        """The acts that came in no sequence."""
        return [name for name in self.acts if name not in self.progress.fired]

    @property
    def is_hollow(self) -> bool:
        """Whether all sequences were without acts: no act of the table was possible in them."""
        return self.progress.is_whole and not self.progress.fired

    def as_json(self) -> dict[str, Any]:
        return {
            "spec": self.spec,
            "protocol": self.protocol,
            "system": self.system,
            "version": self.version,
            "against": self.against,
            "bounds": str(self.bounds),
            "whole": self.progress.is_whole,
            "acts": len(self.acts),
            "acts_never_fired": self.never_fired,
            "transitions": self.coverage.as_json() if self.coverage else None,
            "sequences": self.progress.count,
            "asked": dict(sorted(self.progress.asked.items())),
            "known_deviations": dict(sorted(self.progress.known.items())),
            "unanswered": self.progress.unanswered,
            "seconds": round(self.seconds, 1),
            "finding": self.finding.as_json() if self.finding else None,
        }


@dataclass
class Exploration:
    """Goes through the sequences of proposals' acts on the systems that the options name."""

    options: RunOptions
    specs: Sequence[str]
    bounds: Bounds
    crashes: bool
    screen: Screen
    against: RunOptions | None = None
    """Another system that the same sequences are played on; what is found then is what differs between the two."""
    acts: Sequence[str] = ()
    """Patterns of the names of the acts to play; all if there is none."""
    _rows: Register = field(init=False, default_factory=register.bundled)

    def run(self) -> Exit:
        """Explore, and write the results folder. Raises WrongUsage, SystemUnreachable, BrokeOff and what opening a system raises."""
        tables = [table_of(spec).only(self.acts) for spec in self.specs]
        asked = [self._about(one) for one in filter(None, (self.options, self.against))]
        folder_of_results = self.options.results or Path("results/explore") / self.options.system
        done: list[Explored] = []
        claimed = folder.claim(folder_of_results, LAYOUT, {EXPLORED: _reported(done)})
        systems = [JudgedSystems(options, self._rows) for options in asked]
        deadline = Deadline(None if self.bounds.seconds is None else time.monotonic() + self.bounds.seconds)
        try:
            spoken = {table.spec: _protocols_of_all(table.spec, systems) for table in tables}
            for one in systems:
                one.open({protocol: [] for protocols in spoken.values() for protocol in protocols})
            asked_for = [(table, protocol) for table in tables for protocol in spoken[table.spec]]
            for left, (table, protocol) in zip(range(len(asked_for), 0, -1), asked_for, strict=True):
                done.append(self._explored(table, protocol, systems, claimed, deadline.share(left)))
                claimed.put(EXPLORED, _reported(done))
                progress = done[-1].progress
                if (ended := progress.stopped or progress.broke_off) is not None:
                    raise ended
                if progress.gone is not None:
                    raise SystemUnreachable(f"{done[-1].system} stopped answering after {progress.count} sequences: {progress.gone}")
        finally:
            for one in systems:
                one.close()
        if self.acts and all(one.is_hollow for one in done):
            raise WrongUsage(
                f"--acts {'; '.join(self.acts)}: none of these acts can come first, so nothing was tried; expected also what they need "
                "before them, such as a write before a commit"
            )
        self.screen.write_line(f"  results: {folder_of_results}")
        return Exit.DOES_NOT if any(one.finding for one in done) else Exit.CONFORMS

    def _about(self, options: RunOptions) -> RunOptions:
        """The options of a system with the proposals that are explored, on which it depends which protocols the system speaks."""
        specs = tuple(self.specs)
        named = replace(options, asked=replace(options.asked, specs=frozenset(specs)), selection=replace(options.selection, specs=specs))
        return named.about_system(self._rows)

    def _explored(
        self, table: Table[Any], protocol: str, systems: Sequence[JudgedSystems], claimed: Folder, deadline: Deadline
    ) -> Explored:
        each = [self._trials(table, protocol, one, deadline) for one in systems]
        names = [_name_of(options, protocol, one) for options, one in zip(filter(None, (self.options, self.against)), systems, strict=True)]
        trials = each[0] if len(each) == 1 else Comparison(each[0], each[1], (names[0], names[1]))
        is_virtual = all(one.is_prompt for one in each)
        acts = tuple(act.name for act in trials.table.acts)
        if not trials.table.acts:
            raise WrongUsage(f"--spec {table.spec}: {' and '.join(names)} {'offers' if len(names) == 1 else 'offer'} none of its acts")
        title = f"{table.spec} on {' against '.join(names)}"
        self.screen.write_line(f"  {title}: {counted(len(acts), 'act')}, {self.bounds}")
        start = time.monotonic()
        with contextlib.ExitStack() as held:
            held.enter_context(seldom_collected())
            system, coverage = systems[0].by_protocol[protocol], None
            if len(each) == 1 and isinstance(system, HasTransitions):
                coverage = Coverage(system.transitions, held.enter_context(watched()))
            goes_on = self._watch(title, deadline, acts, coverage)
            progress = self._gone_through(trials, is_virtual, goes_on, claimed)
            seconds, found = time.monotonic() - start, None
            if progress.finding:
                say = None if is_virtual else partial(self._say, title)
                found = self._keeper(trials, protocol, systems[0], claimed, say).keep(progress.finding, progress)
        name, version = systems[0].by_protocol[protocol].name, systems[0].handshakes[protocol].version
        against = names[1] if len(names) > 1 else None
        explored = Explored(table.spec, protocol, name, version, against, self.bounds, acts, progress, seconds, found, coverage)
        self._tell(explored)
        return explored

    def _trials(self, table: Table[Any], protocol: str, systems: JudgedSystems, deadline: Deadline) -> Trials:
        offers, is_virtual = systems.handshakes[protocol].capabilities, _is_virtual(systems, protocol)
        kept = offers if is_virtual or self.crashes else offers - DISTURBING
        system, known = systems.by_protocol[protocol], systems.expectations[protocol]
        is_there = system.answers if isinstance(system, Answers) else lambda: True
        variants = [systems.defect] if systems.defect else []
        disturbed = DisturbedTable.of(table, protocol, kept, systems.profile_of(protocol), variants, on_broker=systems.profile is None)
        is_disturbed = self.against is None and self.bounds.depth is None
        return Trials(
            disturbed.table if is_disturbed else replace(disturbed.table, disturbances=()),
            system.session,
            is_prompt=is_virtual,
            known=known,
            deadline=deadline,
            is_there=is_there,
            disturbed=disturbed,
            system=system,
        )

    def _keeper(
        self, trials: Plays, protocol: str, judged: JudgedSystems, claimed: Folder, say: Callable[[str], None] | None
    ) -> FindingKeeper:
        keeper = partial(FindingKeeper, trials, claimed, protocol, self._rows, say)
        if isinstance(trials, Comparison):
            return keeper()
        names = partial(named, table=trials.table, protocol=protocol, options=self.options) if self.options.profile else None
        return keeper(conforming=self._conforming(trials.table, protocol, judged), names=names)

    def _conforming(self, table: Table[Any], protocol: str, judged: JudgedSystems) -> Trials:
        """The reference, as the release that is explored where it has a profile of it."""
        profile = judged.profile_of(protocol)
        known = registry.find(registry.REFERENCE).profiles()
        systems = JudgedSystems(RunOptions(asked=SpecifiedSystem({}, profile if profile in known else None)), self._rows)
        systems.open({protocol: []})
        return self._trials(table, protocol, systems, Deadline())

    def _gone_through(self, trials: Plays, is_virtual: bool, goes_on: GoesOn, claimed: Folder) -> SearchProgress:
        bounds = self.bounds
        if bounds.depth is not None:
            return exhaustive(trials, bounds.depth, goes_on)
        if is_virtual:
            database = DirectoryBasedExampleDatabase(self._examples(claimed.path / EXAMPLES, trials.table))
            return drawn(trials, bounds.examples, bounds.length, bounds.seed, goes_on, database)
        if self.crashes and isinstance(trials, Trials):
            return sharing_crashes(trials, bounds.examples, bounds.length, bounds.seed, MOST_AT_ONCE, goes_on)
        return at_once(trials, bounds.examples, bounds.length, bounds.seed, 1 if self.crashes else MOST_AT_ONCE, goes_on)

    def _examples(self, where: Path, table: Table[Any]) -> Path:
        """Where sequences are kept that found something. What an example means depends on the table of acts, so each has its own."""
        names = "\n".join((table.spec, *table.by_name))
        own = where / f"{VERSION}-{zlib.crc32(names.encode()):08x}"
        ours = {one.name.partition("-")[0] for one in where.glob("*") if one.name != own.name}
        if others := sorted(ours - {VERSION}):
            self.screen.write_line(f"  {where} has examples of another version, which are left alone: {', '.join(others)}")
        return own

    def _watch(self, title: str, deadline: Deadline, acts: Sequence[str], coverage: Coverage | None) -> GoesOn:
        reported_at = start = time.monotonic()

        def goes_on(progress: SearchProgress) -> bool:
            nonlocal reported_at
            now = time.monotonic()
            if now - reported_at >= PROGRESS_S:
                reported_at = now
                rate = progress.count / (now - start)
                came = len(progress.fired.intersection(acts))
                reached = f"{came} of {counted(len(acts), 'act')}{f', {coverage}' if coverage else ''}"
                self._say(title, f"{progress.count:,} sequences, {_rate(rate)}, {reached}, nothing found yet")
            return deadline.left_s > 0

        return goes_on

    def _say(self, title: str, what: str) -> None:
        self.screen.write_line(f"  {title}: {what}")

    def _tell(self, explored: Explored) -> None:
        progress, screen = explored.progress, self.screen
        gone = f"{progress.count:,} sequences in {explored.seconds:.1f} s"
        if progress.known:
            seen = ", ".join(f"{name} {count} times" for name, count in sorted(progress.known.items()))
            gone += f"; requirements that it is known to break were seen broken: {seen}"
        if progress.unanswered:
            gone += f", {progress.unanswered} of them without an answer, so that their outcome is unknown"
        if explored.finding is None:
            whole = "" if progress.is_whole else f" ({'it was stopped' if progress.stopped else 'the time was up'} before the end)"
            screen.write_line(f"  nothing found: {gone}{whole}", green=True)
        else:
            found = explored.finding.finding
            said = str(found.error)
            if isinstance(found.error, Differs):
                said = f"{found.error.line.kind} {found.error.line.text}"
            screen.write_line(f"  FOUND {found.requirement} {found.how} after {gone}: {said}", red=True)
            if isinstance(found.error, Differs):
                for line in found.error.side_by_side:
                    screen.write_line(f"    {line}")
            screen.write_line()
            for line in explored.finding.scenario.rstrip().split("\n"):
                screen.write_line(f"    {line}")
            screen.write_line()
            twins = f" --twins {found.disturbance}" if found.disturbance else ""
            is_provisional = self.options.counting.is_provisional(self._rows[found.requirement], explored.spec)
            edition = " --edition next" if is_provisional else ""
            again = f"fencepost run{_how_again(self.options)} --feature {explored.finding.file}{twins}{edition}"
            screen.write_line(f"  played again by: {again}")
        if coverage := explored.coverage:
            left = ", ".join(map(str, coverage.never))
            screen.write_line(f"  {coverage} were taken{f'; never: {left}' if left else ''}")
        if never := explored.never_fired:
            screen.write_line(f"  never came: {first_of([*map(act_title, never)], 6)}")


def _protocols_of_all(spec: str, systems: Sequence[JudgedSystems]) -> list[str]:
    """The protocols in which all of these systems can be asked about a proposal. Raises WrongUsage where there is none."""
    first, *others = systems
    found = [protocol for protocol in first.protocols_of(spec) if all(protocol in other.protocols_of(spec) for other in others)]
    if not found:
        raise WrongUsage(f"--against: the two systems have no protocol in common for {spec}")
    return found


def _is_virtual(systems: JudgedSystems, protocol: str) -> bool:
    """Whether a sequence is the same on it each time."""
    return "virtual-time" in systems.handshakes[protocol].capabilities


def _name_of(options: RunOptions, protocol: str, systems: JudgedSystems) -> str:
    """The name of a system, by which people distinguish it from another."""
    system, version = systems.by_protocol[protocol].name, systems.handshakes[protocol].version
    special = options.asked.options.get("defect") or options.asked.profile
    return f"{system} ({', '.join(filter(None, (protocol, version, special)))})"


def _how_again(options: RunOptions) -> str:
    said = "" if options.system == RunOptions().system else f" {options.system}"
    given = {"profile": options.asked.profile, **options.asked.options}
    return said + "".join(f" --{name} {shlex.quote(value)}" for name in _NAMED if (value := given.get(name)))


def _rate(a_second: float) -> str:
    """How fast, by the second or, where that would be hardly any, by the minute."""
    return f"{a_second:.0f} a second" if a_second >= 1 else f"{60 * a_second:.0f} a minute"


def _reported(done: Sequence[Explored]) -> str:
    return json.dumps({"fencepost": VERSION, "explored": [one.as_json() for one in done]}, indent=1) + "\n"
