"""`fencepost prove`: is each check able to fail, and for the right reason; and does nothing fail that is lawful?

The suite is run on every defect of the reference. A requirement is *proved* when a defect that breaks it turns its own scenario
red with the defect's symptom. One that nothing turns red is a hole: its green is not known to mean anything. A requirement of the
core is asked under several protocols, and proved under each or a hole there: what one probe can see says nothing of another.
A lawful oddity that turns anything red is a false red. A variant that does not apply, since its row is not tested, nothing calls it
or it breaks down, proves nothing and is named with its reason.

Each variant is a broker of one protocol, and is asked what binds that. It is run in a process of its own, a defect on the scenarios of
the feature that its requirement stands in; `--all` runs everything on each.
"""

import io
import multiprocessing
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from fencepost.contract.errors import Exit
from fencepost.contract.register import Register
from fencepost.contract.verdict import Verdict
from fencepost.reference.defects import DEFECTS, ODDITIES, Defect
from fencepost.reference.defects.watch import Watch

from . import suite
from .contract import gherkin, proposals
from .suite import PLUGINS


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


class Hole(NamedTuple):
    """A requirement that nothing proves under one of the protocols that it is asked of."""

    requirement: str
    protocol: str


@dataclass(frozen=True)
class Proof:
    """The kill matrix: every tested requirement with the protocols that it is asked of, and what every variant did."""

    protocols: Mapping[str, tuple[str, ...]]
    seen: tuple[Seen, ...]

    @property
    def requirements(self) -> tuple[str, ...]:
        return tuple(self.protocols)

    @cached_property
    def proved(self) -> dict[str, list[str]]:
        """For each requirement the defects that prove it."""
        return {row: [one.defect.name for one in self.seen if one.defect.breaks == row and one.is_caught] for row in self.requirements}

    @cached_property
    def holes(self) -> list[Hole]:
        """Where no defect proves a requirement."""
        proved = {(one.defect.breaks, one.defect.protocol) for one in self.seen if one.is_caught}
        asked = [Hole(row, protocol) for row, protocols in self.protocols.items() for protocol in protocols]
        return [place for place in asked if place not in proved]

    @cached_property
    def unproved(self) -> list[str]:
        """The requirements with a hole."""
        return list(dict.fromkeys(hole.requirement for hole in self.holes))

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
    protocols = {row.id: proposals.bundled().protocols_of(register.spec_of(row.id)) for row in register.rows(specs) if row.is_tested}
    defects = [defect for row in protocols for defect in DEFECTS.values() if defect.breaks == row and defect.protocol in protocols[row]]
    spoken = {protocol for each in protocols.values() for protocol in each}
    variants = [*defects, *(oddity for oddity in ODDITIES.values() if oddity.protocol in spoken)]
    found: dict[str, Seen] = {}
    unasked = [Seen(defect, {}, {}, why) for defect in DEFECTS.values() if (why := _cannot_be_asked(defect, register, specs))]
    # A server process that has imported everything is forked for each run; a new interpreter would take longer than the run.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fencepost.suite", "fencepost.adapters.engines", *PLUGINS])
    with context.Pool(workers, maxtasksperchild=1) as pool:
        tasks = [(defect, _asked_of(defect, protocols, everything)) for defect in variants]
        for number, one in enumerate(pool.imap_unordered(_run, tasks), 1):
            found[one.defect.name] = one
            tell(one, number, len(variants))
    return Proof(protocols, (*(found[defect.name] for defect in variants), *unasked))


def _cannot_be_asked(defect: Defect, register: Register, specs: tuple[str, ...]) -> str | None:
    """Why no scenario can catch a defect; None where one can, and for a proposal that is not asked about."""
    row = register.by_id.get(defect.breaks or "")
    if row is None:
        return f"it breaks {defect.breaks}, which is in no register"
    spec = register.spec_of(row.id)
    if specs and spec not in specs:
        return None
    bound = proposals.bundled().protocols_of(spec)
    if defect.protocol not in bound:
        return f"it breaks {row.id}, which is asked of {' and '.join(bound)}, and it is a broker of {defect.protocol}"
    if row.is_tested:
        return None
    return f"it breaks {row.id}, which is {'planned' if row.planned else 'excluded'} and has no scenario"


def _asked_of(defect: Defect, protocols: Mapping[str, tuple[str, ...]], everything: bool) -> tuple[str, ...]:
    """What a variant is asked: all that binds its protocol, or what stands in the feature of the requirement that it breaks."""
    requirements = tuple(row for row, bound in protocols.items() if defect.protocol in bound)
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
