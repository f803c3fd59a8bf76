"""`fencepost prove`: can each check fail, and for the right reason? And does no conforming variant fail?

The suite is run on every defect of the reference. A requirement is *proved* when a defect that breaks it turns its own scenario
red with the symptom that the defect has there. A requirement that no defect turns red is a hole: its green may mean nothing.
A requirement of the core is asked under several protocols, and is proved or a hole under each: what one probe can see does not show what
another can. It is not asked where the protocol's reference does not offer what the scenarios need.
A conforming variant that turns anything red is a false red. A variant that does not apply, since its row is not tested, its code is never
called or it breaks down, proves nothing and is listed with the reason.

Each variant is a broker of one protocol, and is judged by what binds that protocol. It runs in a separate process: a defect with the
scenarios of the feature that has its requirement; conforming variants that change different functions as one broker, and each alone if that
broker is caught. `--all` runs everything on each.
"""

import functools
import gc
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from fencepost.adapters import registry
from fencepost.contract import gherkin, proposals
from fencepost.contract.evidence import Mismatch
from fencepost.contract.register import Register
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import RequirementResult, ScenarioResult, Verdict, judge
from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.reference.defects.watch import DecisionWatch
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection

from . import conforming_groups, forkserver

_ONE_AFTER_ANOTHER = 16
"""How many brokers one process plays if each has few scenarios: starting a process takes half as long as playing one broker."""


class Breadth(Enum):
    """Which requirements a defect is judged by. A conforming variant is always judged by all."""

    UNTIL_SHOWN = "the scenarios of the requirements that it breaks, of each until one is violated"
    ITS_OWN = "the scenarios of the requirements that it breaks"
    ITS_FEATURES = "all scenarios of their features, so that the matrix shows what else it turns red nearby"
    EVERYTHING = "every scenario; and each conforming variant is a separate broker"


_NARROW = (Breadth.UNTIL_SHOWN, Breadth.ITS_OWN)


@dataclass(frozen=True)
class Seen:
    """The suite's result for one variant: the verdict of each requirement that was judged, and the reason and violation of a red one.

    `trouble` is why the variant does not apply, whatever the verdicts are.
    """

    defect: Defect
    verdicts: dict[str, str]
    reasons: dict[str, str]
    violations: dict[str, Mismatch]
    trouble: str | None = None
    is_unmet: bool = False
    """Whether no scenario that it was given calls the code that the variant changes."""

    @property
    def reds(self) -> list[str]:
        return [requirement for requirement, verdict in self.verdicts.items() if verdict in ("violated", "inconclusive", "harness_error")]

    def proves(self, requirement: str) -> bool:
        """Whether the defect breaks this requirement, and the requirement's scenario is violated with the expected symptom."""
        symptom = self.defect.breaks.get(requirement)
        shows = symptom is not None and symptom.shows_in(self.violations.get(requirement))
        return shows and self.verdicts.get(requirement) == "violated" and not self.trouble

    @property
    def unproved(self) -> list[str]:
        """The requirements that the defect breaks, but whose scenarios do not show it."""
        return [requirement for requirement in self.defect.breaks if not self.proves(requirement)]

    @property
    def is_caught(self) -> bool:
        """Whether it is caught by each requirement that it breaks; a conforming variant never is."""
        return not self.defect.is_conforming and not self.unproved


class _Task(NamedTuple):
    """Variants to be judged as one broker, by these requirements."""

    variants: tuple[Defect, ...]
    asked: tuple[str, ...]
    until_shown: bool


class Hole(NamedTuple):
    """A requirement that no defect proves under one of the protocols under which it is asked."""

    requirement: str
    protocol: str


@dataclass(frozen=True)
class Proof:
    """The kill matrix: each tested requirement with the protocols under which it is asked, and what each variant did."""

    protocols: Mapping[str, tuple[str, ...]]
    seen: tuple[Seen, ...]
    not_run: tuple[Defect, ...] = ()
    """The variants that were not tried, because the proof was stopped."""

    @property
    def stopped(self) -> str | None:
        """Why the proof is incomplete, in words; None if every variant was run."""
        count = len(self.seen) + len(self.not_run)
        return f"stopped after {len(self.seen)} of {count} variants" if self.not_run else None

    @cached_property
    def undecided(self) -> list[str]:
        """The requirements that are not proved, but that a variant that was not run may prove."""
        waiting = {(row, defect.protocol) for defect in self.not_run for row in defect.breaks}
        proved = self._proved
        return [
            row
            for row, protocols in self.protocols.items()
            if any((row, protocol) in waiting and (row, protocol) not in proved for protocol in protocols)
        ]

    @cached_property
    def _proved(self) -> set[tuple[str, str]]:
        return {(row, one.defect.protocol) for one in self.seen for row in one.defect.breaks if one.proves(row)}

    def holes_of(self, requirement: str) -> list[str]:
        """The protocols under which a requirement is not proved."""
        return [hole.protocol for hole in self.holes if hole.requirement == requirement]

    @property
    def requirements(self) -> tuple[str, ...]:
        return tuple(self.protocols)

    @cached_property
    def proved(self) -> dict[str, list[str]]:
        """For each requirement the defects that prove it."""
        return {row: [one.defect.name for one in self.seen if one.proves(row)] for row in self.requirements}

    @cached_property
    def holes(self) -> list[Hole]:
        """Each requirement and protocol that no defect proves, of those that were decided."""
        asked = [Hole(row, protocol) for row, protocols in self.protocols.items() for protocol in protocols]
        waiting = set(self.undecided)
        return [place for place in asked if place not in self._proved and place.requirement not in waiting]

    @cached_property
    def unproved(self) -> list[str]:
        """The requirements with a hole."""
        return list(dict.fromkeys(hole.requirement for hole in self.holes))

    @property
    def proved_count(self) -> int:
        """How many requirements are proved under every protocol under which they are asked."""
        return len(self.requirements) - len({*self.unproved, *self.undecided})

    @cached_property
    def missed(self) -> list[Seen]:
        """The defects that apply, but were not caught by each requirement that they break, or were caught for another reason."""
        return [one for one in self.seen if one.unproved and not one.trouble]

    @cached_property
    def false_reds(self) -> list[Seen]:
        """The conforming variants on which a scenario was red."""
        return [one for one in self.seen if one.defect.is_conforming and one.reds and not one.trouble]

    @cached_property
    def inapplicable(self) -> list[Seen]:
        """The variants that could not be judged, with the reason."""
        return [one for one in self.seen if one.trouble]

    @property
    def holds(self) -> bool:
        return not (self.not_run or self.holes or self.missed or self.false_reds or self.inapplicable)


def prove(register: Register, specs: Iterable[str], breadth: Breadth, workers: int, report: Callable[[Seen, int, int], None]) -> Proof:
    """Run the suite on every variant that concerns these proposals. `report` is called for each as it ends, with its number and the count.

    If only some proposals are selected, a conforming variant that none of them reaches does not concern them. An interrupt, or the
    death of a process, ends the proof early: it then names what was not run.
    """
    specs = tuple(specs)
    protocols = {row.id: protocols_asked(row.id, register) for row in register.rows(specs) if row.is_tested}
    unasked = {name: why for name, defect in DEFECTS.items() if (why := _cannot_be_asked(defect, register, specs))}
    defects = {name: defect for row in protocols for name, defect in DEFECTS.items() if row in defect.breaks and name not in unasked}
    spoken = {protocol for each in protocols.values() for protocol in each}
    conforming = [variant for variant in CONFORMING.values() if variant.protocol in spoken]
    variants = [*defects.values(), *conforming]
    found: dict[str, Seen] = {}
    alone, grouped = (variants, []) if breadth is Breadth.EVERYTHING else (defects.values(), conforming_groups.groups(conforming))
    brokers = [*((variant,) for variant in alone), *grouped]
    tasks = _ONE_AFTER_ANOTHER if breadth in _NARROW else 1
    with forkserver.keeping_results(), forkserver.pool(workers, tasks) as pool:
        for one in _tried(pool, brokers, lambda variant: _asked_of(variant, protocols, breadth), breadth is Breadth.UNTIL_SHOWN):
            found[one.defect.name] = one
            report(one, len(found), len(variants))
    unmet = {name for name, one in found.items() if specs and one.defect.is_conforming and one.is_unmet}
    seen = [found[variant.name] for variant in variants if variant.name in found and variant.name not in unmet]
    return Proof(
        protocols,
        (*seen, *(Seen(DEFECTS[name], {}, {}, {}, why) for name, why in unasked.items())),
        tuple(variant for variant in variants if variant.name not in found),
    )


def play(defects: Iterable[Defect], workers: int) -> tuple[Seen, ...]:
    """Run each of these defects on the scenarios of the requirements that it breaks. An interrupt, or the death of a
    process, leaves out those that were not run."""
    found: list[Seen] = []
    with forkserver.keeping_results(), forkserver.pool(workers, _ONE_AFTER_ANOTHER) as pool:
        for one in _tried(pool, [(defect,) for defect in defects], lambda defect: tuple(defect.breaks)):
            found.append(one)
    return tuple(found)


def _tried(
    pool: forkserver.Workers, brokers: Sequence[tuple[Defect, ...]], asked: Callable[[Defect], tuple[str, ...]], until_shown: bool = False
) -> Iterator[Seen]:
    """The result of each variant as it arrives. If a broker with several variants is caught or fails, each of them is tried alone."""
    alone: list[tuple[Defect, ...]] = []
    tasks = [_Task(broker, asked(broker[0]), until_shown) for broker in brokers]
    for _, several in pool.as_they_end(_run, tasks, lambda task: conforming_groups.named([one.name for one in task.variants])):
        if len(several) > 1 and any(one.reds or (one.trouble and not one.is_unmet) for one in several):
            alone += [(one.defect,) for one in several]
        else:
            yield from several
    if alone:
        yield from _tried(pool, alone, asked, until_shown)


def _cannot_be_asked(defect: Defect, register: Register, specs: tuple[str, ...]) -> str | None:
    """Why no scenario can catch a defect; None if one can, and for a proposal that is not selected."""
    return next((why for broken in defect.breaks if (why := _cannot_show(broken, defect.protocol, register, specs))), None)


def _cannot_show(broken: str, protocol: str, register: Register, specs: tuple[str, ...]) -> str | None:
    row = register.by_id.get(broken)
    if row is None:
        return f"it breaks {broken}, which is in no register"
    spec = register.spec_of(row.id)
    if specs and spec not in specs:
        return None
    bound = protocols_asked(row.id, register)
    if protocol not in bound:
        return f"it breaks {row.id}, which is tested on {' and '.join(bound)}, and it is in a broker of {protocol}"
    if row.is_tested:
        return None
    return f"it breaks {row.id}, which is {'planned' if row.planned else 'excluded'} and has no scenario"


def _asked_of(variant: Defect, protocols: Mapping[str, tuple[str, ...]], breadth: Breadth) -> tuple[str, ...]:
    """The requirements that a variant is judged by, of those that bind its protocol.

    Each requirement that a defect breaks is asked, also of a proposal that is not selected: a defect is caught only if all of them are red.
    """
    requirements = tuple(row for row, bound in protocols.items() if variant.protocol in bound)
    elsewhere = tuple(row for row in variant.breaks if row not in protocols)
    if breadth is Breadth.EVERYTHING or variant.is_conforming:
        return requirements + elsewhere
    if breadth in _NARROW:
        return tuple(variant.breaks)
    of_feature = {
        gherkin.requirement_of(rule.tags)
        for feature in gherkin.bundled()
        if not variant.breaks.keys().isdisjoint(gherkin.requirement_of(rule.tags) or "" for rule in feature.rules)
        for rule in feature.rules
    }
    return tuple(row for row in requirements if row in of_feature) + elsewhere


def _run(task: _Task) -> tuple[Seen, ...]:
    return see(task.variants, task.asked, until_shown=task.until_shown)


def see(variants: tuple[Defect, ...], asked: tuple[str, ...], profile: str | None = None, *, until_shown: bool = False) -> tuple[Seen, ...]:
    """The suite's results for these variants as one broker, in a process that judges only variants. With `until_shown`, a requirement that
    one scenario has found violated is not asked further.
    """
    broker = conforming_groups.as_one(variants)
    (gc.enable if broker.is_conforming else gc.disable)()  # a defect plays few scenarios, and leaves little garbage
    (CONFORMING if broker.is_conforming else DEFECTS)[broker.name] = broker  # this process has imported the bundled ones
    watches = [DecisionWatch(variant) for variant in variants]
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            judged = _judged(broker, asked, profile, until_shown)
    except Exception as error:  # a defect can break whatever opening the reference calls
        return tuple(Seen(variant, {}, {}, {}, f"nothing could be judged: {error!r}") for variant in variants)
    verdicts = {row.requirement: row.verdict.value for row in judged}
    reasons = {row.requirement: row.reason or "" for row in judged}
    violations = {row.requirement: row.violation for row in judged if row.violation}
    broken = _trouble(broker, verdicts, reasons)
    unmet = [watch.trouble() for watch in watches]
    return tuple(
        Seen(variant, verdicts, reasons, violations, broken or why, is_unmet=why is not None and broken is None)
        for variant, why in zip(variants, unmet, strict=True)
    )


def _judged(broker: Defect, asked: tuple[str, ...], profile: str | None, until_shown: bool) -> list[RequirementResult]:
    """The result of each of these requirements on this variant of the reference.

    The violation of a requirement is that of its first violated scenario, so what comes after it could only break down.
    """
    found: dict[str, list[ScenarioResult]] = {}
    shown: set[str] = set()
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": broker.name}, profile), selection=Selection(only=asked))) as plays:
        for play in plays:
            if play.requirement in shown:
                continue
            result = plays.judge(play).result
            found.setdefault(play.requirement, []).append(result)
            if until_shown and result.verdict is Verdict.VIOLATED:
                shown.add(play.requirement)
    return [judge(requirement, sorted(results, key=lambda one: one.number)) for requirement, results in found.items()]


def _trouble(defect: Defect, verdicts: dict[str, str], reasons: dict[str, str]) -> str | None:
    """Why the verdicts do not judge a variant; None if they do."""
    broken = next(
        (row for row, verdict in verdicts.items() if verdict == "harness_error" and (defect.is_conforming or row in defect.breaks)), None
    )
    return None if broken is None else f"the reference breaks down with it: {reasons[broken]}"


def protocols_asked(requirement: str, register: Register) -> tuple[str, ...]:
    """The protocols under which the reference is judged by a requirement: those where it offers what one of the scenarios needs.

    A Kafka log cannot be sealed, so Kafka's reference can neither break nor prove a row about sealed logs. They are in the order of the
    proposal; a requirement without a scenario has all protocols that the proposal binds.
    """
    bound = proposals.bundled().protocols_of(register.spec_of(requirement))
    needs = [frozenset(gherkin.needs_in(scenario.tags)) for _, scenario in gherkin.scenarios_of(requirement)]
    return tuple(protocol for protocol in bound if not needs or any(need <= _offered()[protocol] for need in needs))


@functools.cache
def _offered() -> Mapping[str, frozenset[str]]:
    """What the reference offers, by protocol."""
    systems = registry.build(registry.REFERENCE, SpecifiedSystem())
    try:
        return {protocol: system.open().capabilities for protocol, system in systems.items()}
    finally:
        for system in systems.values():
            system.close()
