"""`run --verify-expectations N`: measures again how often the known deviations show.

The scenarios of intermittent entries are run N times, with `--verify-all` those of every entry. How often an entry was seen in how many
tries is printed next to the entry's own counts. Nothing is written: the maintainer of the entries pastes the printed line, or removes one.

* A try is a scenario that was judged. One that was inconclusive, not offered or not run does not count.
* An entry was seen if the violation has its symptom. A violation with another symptom is a try in which it was not seen.
* An entry about any requirement has no scenario, and is not measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from fencepost.console.run_reporter import Loudness, RunReporter
from fencepost.console.terminal import Screen
from fencepost.contract import register
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.items import PROTOCOL, example_of, requirement_of, scenario_of
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.results.verdict_collector import CollectedResult
from fencepost.run.interruption import Stopping
from fencepost.run.options import RunOptions
from fencepost.run.runner import Running

from . import known_deviations, user_deviations
from .known_deviations import ANY, Asking, DeviationEntry, LocatedDeviation
from .user_deviations import asked_by

_JUDGED = (Verdict.MET, Verdict.VIOLATED, Verdict.KNOWN_DEVIATION)


@dataclass(frozen=True)
class MeasuredDeviation:
    """How often an entry was seen in how many tries, and how many scenarios did not count."""

    known: LocatedDeviation
    seen: int
    tried: int
    undecided: int

    def __str__(self) -> str:
        entry = self.known.entry
        said = f"the entry says {entry.intermittent}" if entry.intermittent else "the entry says each time"
        nothing = f"; {self.undecided} said nothing" if self.undecided else ""
        return f"{entry.place}: seen in {self.seen} of {self.tried} tries{nothing}; {said} ({self.known.where})"

    @property
    def remedy(self) -> str | None:
        """The line to paste, including the earlier tries; or that the entry is to be removed. None if nothing is to be done."""
        before = self.known.entry.intermittent
        if self.tried == 0 or (before is None and self.seen == self.tried):
            return None
        seen, tried = self.seen + (before.seen if before else 0), self.tried + (before.tried if before else 0)
        if seen == 0:
            return "was not seen: remove the entry"
        return f"intermittent: {{seen: {seen}, tried: {tried}}}"


@dataclass(eq=False)
class Measuring:
    """The plugin that leaves only the scenarios of some entries, and keeps what they showed."""

    entries: Sequence[DeviationEntry]
    every: bool
    results: list[ScenarioResult] = field(default_factory=list)
    known: tuple[LocatedDeviation, ...] = ()
    """The entries that hold for the system, once its handshake is known."""

    @pytest.hookimpl(trylast=True)  # after the run's own selection, which notes the protocol of each scenario
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left_out = [item for item in items if not (scenario_of(item) and self._wants(item))]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if judged := CollectedResult.of(report):
            self.results.append(judged.result)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        running = session.config.pluginmanager.get_plugin("fencepost-running")
        if isinstance(running, Running):
            found = {one.where: one for known in running.systems.expectations.values() for one in known.known}
            self.known = tuple(found.values()) or self.known

    def measured(self) -> Iterator[MeasuredDeviation]:
        """The result of each entry that holds for the system and is selected."""
        for one in self.known:
            if one.entry.requirement == ANY:
                continue
            about = [result for result in self.results if one.is_about(asked_by(result))]
            if not about or (one.entry.intermittent is None and not self.every):
                continue
            tried = [result for result in about if result.verdict in _JUDGED or result.is_stale]
            seen = sum(one.entry.shows_in(result.violation) for result in tried)
            yield MeasuredDeviation(one, seen, len(tried), len(about) - len(tried))

    def _wants(self, item: pytest.Item) -> bool:
        asked = Asking(requirement_of(item), scenario_of(item).name, item.stash[PROTOCOL], example_of(item))
        return any(entry.requirement != ANY and LocatedDeviation(entry, "", 0, is_own=False).is_about(asked) for entry in self.entries)


def run(arguments: list[str], times: int, every: bool, stopping: Stopping) -> int:
    """Measure, and print the results. Returns the exit code: 0 if all was measured, whatever was seen. Raises WrongUsage."""
    from fencepost.run import pytest_session

    rows = register.bundled()
    measuring = Measuring(_entries(pytest_session.options_of(arguments), every, rows), every)
    screen = Screen(may_live=False)
    with stopping.listening():
        for number in range(1, times + 1):
            screen.write_line(f"try {number} of {times}")
            with RunReporter(screen, Loudness.QUIET) as watching:
                ended = pytest_session.judge(arguments, 1, stopping, watching, [measuring])
            if watching.refused:
                raise watching.refused
            if ended.results is None or not ended.results.complete:
                break
    measured = list(measuring.measured())
    for one in measured:
        screen.write_line(str(one))
        if one.remedy:
            screen.write_line(f"  {one.remedy}")
    if not measured and ended.results and ended.results.complete:
        raise WrongUsage(
            f"--verify-expectations {times}: nothing was measured, because no selected entry holds for this version; select others"
        )
    return int(Exit.CONFORMS if ended.results and ended.results.complete else ended.exit)


def _entries(options: RunOptions, every: bool, rows: Register) -> list[DeviationEntry]:
    """The entries that may be about the system. Its handshake decides which of them hold. Raises WrongUsage."""
    own = user_deviations.read(options.expectations, rows)
    files = {name for name, _, _ in known_deviations.everything()}
    mine = {f"{options.system}.yaml"} & files or files
    bundled = [entry for name, _, entry in known_deviations.everything() if name in mine] if own.with_bundled else []
    entries = [entry for entry in (*bundled, *(one.entry for one in own.known)) if every or entry.intermittent is not None]
    remedy = "" if every else "; use --verify-all to measure every entry"
    kind = "" if every else " intermittent"
    if not entries:
        raise WrongUsage(f"--verify-expectations: there is no{kind} entry about this system{remedy}")
    chosen = options.about_system(rows).selection
    asked = [one for one in entries if one.requirement != ANY and chosen.holds(rows[one.requirement], rows.spec_of(one.requirement))]
    if not asked:
        raise WrongUsage(f"--verify-expectations: no{kind} entry is about what is selected{remedy}, or select more")
    return asked
