"""`fencepost prove`: is each check able to fail, and for the right reason; and does nothing fail that is lawful?

The suite is run on every defect of the reference. A requirement is *proved* when a defect that breaks it turns its own scenario
red with the defect's symptom. One that nothing turns red is a hole: its green is not known to mean anything. A lawful oddity that
turns anything red is a false red. A variant that does not apply, since its row is not tested, nothing calls it or it breaks down, proves
nothing and is named with its reason.

Each defect is run in a process of its own, on the scenarios of the feature that its requirement stands in; `--all` runs everything
on each.
"""

import io
import multiprocessing
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property

from fencepost.reference.defects import DEFECTS, ODDITIES, Defect
from fencepost.reference.defects.watch import Watch

from . import gherkin, suite
from .cli import Exit
from .register import Register
from .suite import PLUGINS
from .verdict import Verdict


@dataclass(frozen=True)
class Seen:
    """What the suite said of one variant: for each requirement that was judged its verdict, and the reason of a red one.

    `trouble` says why it does not apply, whatever the verdicts are.
    """

    defect: Defect
    verdicts: dict[str, str]
    reasons: dict[str, str]
    trouble: str | None = None

    @property
    def reds(self) -> list[str]:
        return [requirement for requirement, verdict in self.verdicts.items() if verdict in ("violated", "inconclusive", "harness_error")]

    @property
    def is_caught(self) -> bool:
        """The scenario of the broken requirement is violated, and says why."""
        broken = self.defect.breaks or ""
        shows = self.verdicts.get(broken) == "violated" and self.defect.shows_in(self.reasons.get(broken, ""))
        return shows and not self.trouble


@dataclass(frozen=True)
class Proof:
    """The kill matrix: every tested requirement, and what every variant did."""

    requirements: tuple[str, ...]
    seen: tuple[Seen, ...]

    @cached_property
    def proved(self) -> dict[str, list[str]]:
        """For each requirement the defects that prove it."""
        return {row: [one.defect.name for one in self.seen if one.defect.breaks == row and one.is_caught] for row in self.requirements}

    @cached_property
    def holes(self) -> list[str]:
        """The requirements that no defect proves."""
        return [row for row, defects in self.proved.items() if not defects]

    @cached_property
    def missed(self) -> list[Seen]:
        """The defects that apply and were not caught, or not for their reason."""
        return [one for one in self.seen if one.defect.breaks and not one.is_caught and not one.trouble]

    @cached_property
    def false_reds(self) -> list[Seen]:
        """The lawful oddities at which something was red."""
        return [one for one in self.seen if not one.defect.breaks and one.reds and not one.trouble]

    @cached_property
    def inapplicable(self) -> list[Seen]:
        """The variants that say nothing, with their trouble."""
        return [one for one in self.seen if one.trouble]

    @property
    def holds(self) -> bool:
        return not (self.holes or self.missed or self.false_reds or self.inapplicable)


def prove(register: Register, specs: Iterable[str], everything: bool, workers: int, tell: Callable[[Seen, int, int], None]) -> Proof:
    """Run the suite on every variant that concerns these proposals. `tell` hears of each as it ends, with its number and the count."""
    specs = tuple(specs)
    requirements = tuple(row.id for row in register.rows(specs) if row.is_tested)
    defects = [defect for row in requirements for defect in DEFECTS.values() if defect.breaks == row]
    variants = [*defects, *ODDITIES.values()]
    found: dict[str, Seen] = {}
    unasked = [Seen(defect, {}, {}, why) for defect in DEFECTS.values() if (why := _cannot_be_asked(defect, register, specs))]
    # A server process that has imported everything is forked for each run; a new interpreter would take longer than the run.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fencepost.suite", "fencepost.adapters.reference", *PLUGINS])
    with context.Pool(workers, maxtasksperchild=1) as pool:
        tasks = [(defect, _asked_of(defect, requirements, everything)) for defect in variants]
        for number, one in enumerate(pool.imap_unordered(_run, tasks), 1):
            found[one.defect.name] = one
            tell(one, number, len(variants))
    return Proof(requirements, (*(found[defect.name] for defect in variants), *unasked))


def _cannot_be_asked(defect: Defect, register: Register, specs: tuple[str, ...]) -> str | None:
    """Why no scenario can catch a defect; None where one can, and for a proposal that is not asked about."""
    row = register.by_id.get(defect.breaks or "")
    if row is None:
        return f"it breaks {defect.breaks}, which is in no register"
    if row.is_tested or (specs and register.spec_of(row.id) not in specs):
        return None
    return f"it breaks {row.id}, which is {'planned' if row.planned else 'excluded'} and has no scenario"


def _asked_of(defect: Defect, requirements: tuple[str, ...], everything: bool) -> tuple[str, ...]:
    """What a variant is asked: all, or what stands in the feature of the requirement that it breaks."""
    if everything or defect.breaks is None:
        return requirements
    beside = {
        gherkin.requirement_of(rule.tags)
        for feature in gherkin.bundled()
        if defect.breaks in {gherkin.requirement_of(rule.tags) for rule in feature.rules}
        for rule in feature.rules
    }
    return tuple(row for row in requirements if row in beside)


def _run(task: tuple[Defect, tuple[str, ...]]) -> Seen:
    defect, asked = task
    (DEFECTS if defect.breaks else ODDITIES)[defect.name] = defect  # this process has imported the bundled ones, and runs only this one
    watch = Watch(defect)
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        ended = suite.judge([f"--defect={defect.name}", "--tb=no", *(f"--only={requirement}" for requirement in asked)], workers=1)
    printed = output.getvalue().strip()
    if ended.exit == Exit.USAGE or ended.results is None:
        return Seen(defect, {}, {}, f"the run ended with {int(ended.exit)}: {printed[-300:]}")
    judged = [row for row in ended.results.requirements() if row.verdict not in (Verdict.NOT_RUN, Verdict.EXCLUDED)]
    verdicts = {row.requirement: row.verdict.value for row in judged}
    reasons = {row.requirement: row.reason or "" for row in judged}
    return Seen(defect, verdicts, reasons, _trouble(defect, verdicts, reasons, printed) or watch.trouble())


def _trouble(defect: Defect, verdicts: dict[str, str], reasons: dict[str, str], printed: str) -> str | None:
    """Why the verdicts say nothing of a variant."""
    if not verdicts:
        return f"nothing could be judged: {printed[-300:]}"
    broken = next((row for row, verdict in verdicts.items() if verdict == "harness_error" and defect.breaks in (row, None)), None)
    return None if broken is None else f"the reference breaks down with it: {reasons[broken]}"
