"""`fencepost run --plan`: what a run would do and take, printed before anything is started.

Memory is estimated from the measurements in `fixtures/costs.yaml`. So are seconds, if no earlier run of the system shows how long it took;
a run uses the same estimate to show how long it will take.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain

from rich.console import Console
from rich.text import Text

from fencepost.adapters import registry
from fencepost.console.phrases import counted, plural
from fencepost.contract import proposals
from fencepost.contract.brokers import (
    Brokers,
    ScheduledScenario,
    brokers_of,
    deal,
    may_offer,
    most_at_once,
    seconds_together,
    share_machine,
    turn_of,
    where_of,
)
from fencepost.contract.errors import UnknownName
from fencepost.contract.ports import System
from fencepost.contract.register import Register

from .concurrency import waves_of_brokers
from .judged_systems import JudgedSystems
from .options import RunOptions
from .plays import Play, plays_of
from .previous_run import PreviousRun, previous_run
from .selection import Selection

Scheduled = tuple[Play, ScheduledScenario]

FORMS = ("table", "json")
_MINUTE = 60.0


@dataclass(frozen=True)
class UnofferedScenarios:
    """Scenarios whose needs the system is known beforehand not to offer."""

    needs: str
    requirements: tuple[str, ...]
    scenarios: int


@dataclass(frozen=True)
class OfProtocol:
    """What would be asked under one protocol. `requirements` and `scenarios` are counted by proposal."""

    protocol: str
    requirements: Mapping[str, int]
    scenarios: Mapping[str, int]
    not_offered: tuple[UnofferedScenarios, ...]
    is_notified_ahead: bool
    brokers: Brokers | None


@dataclass(frozen=True)
class RunPlan:
    """What a run would do. `containers_at_once`, memory and seconds are those of all workers together; None if unknown.

    `previous` is the earlier run from which the seconds are estimated, in words.
    """

    system: str
    results: str | None
    workers: int
    processors: int
    protocols: tuple[OfProtocol, ...]
    containers_at_once: int
    memory_mb: int
    seconds: float | None
    previous: str | None = None


def show(options: RunOptions, register: Register, workers: int | None, form: str) -> int:
    """Print the plan of a run with these options. Raises WrongUsage if there would be no run."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    options = options.about_system(register)
    options.selection.check(register)
    plan = plan_of(options, register, workers or 1, previous_run(options))
    if form == "json":
        print(json.dumps(asdict(plan), indent=1))
    else:
        console = Console(highlight=False)
        for line in reported(plan):
            console.print(Text(line), soft_wrap=True)
    return 0


def plan_of(options: RunOptions, register: Register, workers: int = 1, previous: PreviousRun | None = None) -> RunPlan:
    """The plan of a run with these options, whose selection names the proposals. Nothing is started."""
    judged = JudgedSystems(options, register)
    systems = judged.by_protocol
    for system in systems.values():
        share_machine(system, workers)
    scenarios = _scenarios(judged, options.selection, register, workers)
    parts = tuple(_of_protocol(protocol, systems[protocol], asked, workers) for protocol, asked in scenarios.items() if asked)
    brokers = [part.brokers for part in parts if part.brokers]
    seconds = expected_seconds(systems, _asked(scenarios), workers)
    if previous and (workers > 1 or previous.most_at_once != max(map(most_at_once, systems.values()))):
        previous = None  # it ran another number of scenarios at once, so its seconds do not apply
    if previous:
        seconds = _seconds_after(previous, judged, scenarios, register, seconds)
    return RunPlan(
        options.system,
        os.path.relpath(options.results) if options.results else None,
        workers,
        os.cpu_count() or 1,
        parts,
        sum(one.containers_at_once for one in brokers),
        sum(one.memory_mb for one in brokers),
        seconds,
        str(previous) if previous else None,
    )


def _seconds_after(
    previous: PreviousRun,
    judged: JudgedSystems,
    scenarios: Mapping[str, Sequence[Scheduled]],
    register: Register,
    measured: float | None,
) -> float:
    """How long these scenarios take, by an earlier run; `measured` is how many seconds they take on a conforming broker."""
    before = _scenarios(judged, Selection(only=tuple(previous.asked)), register)
    measured_before = expected_seconds(judged.by_protocol, _asked(before))
    share = measured / measured_before if measured and measured_before else _count(scenarios) / max(1, _count(before))
    return previous.seconds({play.requirement for those in scenarios.values() for play, _ in those}, share)


def expected_seconds(systems: Mapping[str, System], scenarios: Mapping[str, Sequence[ScheduledScenario]], workers: int = 1) -> float | None:
    """The seconds that these scenarios of each protocol will take, in this order, including the starts of brokers that they wait for.

    None for a system without measurements. With several workers it is the best that their processors can do together.
    """
    processors = min(workers, os.cpu_count() or 1)
    seconds = 0.0
    for protocol, all_asked in scenarios.items():
        system = systems[protocol]
        offered = may_offer(system)
        asked = [one for one in all_asked if offered is None or one.needs <= offered]
        if brokers := _brokers(system, asked, workers):
            seconds += brokers.seconds
            continue
        if any(registry.seconds_of(system, one) is None for one in asked):
            return None
        seconds += seconds_together(asked, partial(about_seconds, system), processors)
    return seconds


def about_seconds(system: System, scenario: ScheduledScenario) -> float:
    """The measured seconds of a scenario, roughly; 1 without a measurement, 0 if it is known to be not offered."""
    offered = may_offer(system)
    if offered is not None and not scenario.needs <= offered:
        return 0.0
    return registry.seconds_of(system, scenario) or 1.0


def weights(system: System, plays: Iterable[Play]) -> dict[str, float]:
    """The seconds that each of these plays adds to a run, roughly, by its name: those that share a crash add a part of it each."""
    found = scheduled(system, plays)
    together = dict(Counter(one.wave for _, one in found)) | {None: most_at_once(system)}
    return {play.run: about_seconds(system, one) * max(1, one.falls) / together[one.wave] for play, one in found}


def _brokers(system: System, asked: Sequence[ScheduledScenario], workers: int) -> Brokers | None:
    """The brokers that all workers together start for these scenarios."""
    if workers == 1 or (whole := brokers_of(system, asked)) is None:
        return brokers_of(system, asked)
    dealt = deal(system, asked, workers)
    parts = [
        part
        for worker in range(workers)
        if (part := brokers_of(system, [one for one, its in zip(asked, dealt or (), strict=False) if its == worker] if dealt else asked))
    ]
    count = Counter[str]()
    for part in parts:
        count.update({one.configuration: one.brokers for one in part.started})
    return Brokers(
        whole.image,
        tuple(replace(one, brokers=count[one.configuration]) for one in whole.started),
        sum(part.containers_at_once for part in parts),
        sum(part.memory_mb for part in parts),
        max(*(part.seconds for part in parts), sum(part.seconds for part in parts) / (os.cpu_count() or 1)),
        whole.unit,
    )


# --- what is asked ------------------------------------------------------------------------------------------------------


def scheduled(system: System, plays: Iterable[Play], workers: int = 1) -> list[Scheduled]:
    """These plays in the order in which the system runs them, with their waves if one process plays several at once."""
    in_turn = sorted(plays, key=lambda play: turn_of(system, play.needs))
    if workers > 1 or most_at_once(system) == 1:
        return [(play, ScheduledScenario(play.feature.path, play.needs)) for play in in_turn]
    waves = chain.from_iterable(waves_of_brokers(in_turn, lambda play: where_of(system, play.needs)))
    return [
        (play, ScheduledScenario(play.feature.path, play.needs, number if wave.shares else None, len(play.falls)))
        for number, wave in enumerate(waves)
        for play in wave.plays
    ]


def _scenarios(judged: JudgedSystems, selection: Selection, register: Register, workers: int = 1) -> dict[str, list[Scheduled]]:
    """What is selected, by protocol."""
    plays = list(plays_of(register, selection, judged.protocols))
    return {
        protocol: scheduled(system, (play for play in plays if play.protocol == protocol), workers)
        for protocol, system in judged.by_protocol.items()
    }


def _asked(scenarios: Mapping[str, Sequence[Scheduled]]) -> dict[str, list[ScheduledScenario]]:
    return {protocol: [one for _, one in those] for protocol, those in scenarios.items()}


def _count(scenarios: Mapping[str, Sequence[Scheduled]]) -> int:
    return sum(map(len, scenarios.values()))


def _of_protocol(protocol: str, system: System, scenarios: Sequence[Scheduled], workers: int) -> OfProtocol:
    offered = may_offer(system)
    lacking = Counter[str]()
    whose: dict[str, list[str]] = {}
    for play, _ in scenarios:
        if offered is not None and (missing := ", ".join(sorted(play.needs - offered))):
            lacking[missing] += 1
            whose.setdefault(missing, []).append(play.requirement)
    return OfProtocol(
        protocol,
        dict(Counter(spec for spec, _ in dict.fromkeys(sorted((play.feature.spec, play.requirement) for play, _ in scenarios)))),
        dict(Counter(sorted(play.feature.spec for play, _ in scenarios))),
        tuple(UnofferedScenarios(needs, tuple(dict.fromkeys(whose[needs])), count) for needs, count in sorted(lacking.items())),
        offered is not None,
        _brokers(system, [one for _, one in scenarios if offered is None or one.needs <= offered], workers),
    )


# --- for people ---------------------------------------------------------------------------------------------------------


def reported(plan: RunPlan) -> list[str]:
    """The plan, line by line."""
    lines = [f"A run would judge {plan.system}; nothing has been started."]
    for part in plan.protocols:
        lines += ["", *_notified_of(part)]
    return [*lines, "", *_sums(plan)]


def _notified_of(part: OfProtocol) -> list[str]:
    titles = proposals.bundled().title_of
    asked = (
        f"{counted(number, 'requirement')} of {titles(spec)} ({counted(part.scenarios[spec], 'scenario')})"
        for spec, number in part.requirements.items()
    )
    lines = [f"tests on {part.protocol}: {' and '.join(asked)}"]
    for one in part.not_offered:
        lines.append(f"  will not be offered: {one.needs}, {counted(one.scenarios, 'scenario')} of {', '.join(one.requirements)}")
    if not part.is_notified_ahead:
        lines.append("  `fencepost doctor` shows what the system does not offer")
    if part.brokers:
        lines.append(f"brokers, in {plural(part.brokers.unit)} of {part.brokers.image}:")
        for broker in part.brokers.started:
            several = counted(broker.brokers, "broker")
            several += f" of {broker.containers} {plural(part.brokers.unit)}" if broker.containers > 1 else ""
            lines.append(f"  {broker.configuration:<16} {several}: {broker.why}")
    return lines


def _sums(plan: RunPlan) -> list[str]:
    brokers = [part.brokers for part in plan.protocols if part.brokers]
    lines = []
    if brokers:
        all_brokers = sum(one.brokers for reported in brokers for one in reported.started)
        unit = brokers[0].unit
        all_containers = sum(one.brokers * one.containers for reported in brokers for one in reported.started)
        processes = f" by {plan.workers} worker processes" if plan.workers > 1 else ""
        lines.append(
            f"{counted(all_brokers, 'broker')} in {counted(all_containers, unit)}{processes}, "
            f"at most {counted(plan.containers_at_once, unit)} at once, with about {plan.memory_mb / 1024:.1f} GB of memory"
        )
    if plan.seconds is None:
        lines.append("how long it takes is not known, because this system was never measured")
    elif plan.previous:
        lines.append(f"about {in_words(plan.seconds)}, estimated from {plan.previous}")
    else:
        lines.append(
            f"about {in_words(plan.seconds)} on 2 processors or more, if nothing else runs and the broker conforms; "
            f"this machine has {plan.processors}"
        )
    lines.append(f"results: {plan.results or 'none are written; --results DIR says where'}")
    return lines


def in_words(seconds: float) -> str:
    """For people: seconds up to two minutes, in tens from ten on, then minutes."""
    if seconds < 2 * _MINUTE:
        return f"{max(1, round(seconds) if seconds < 10 else round(seconds, -1)):.0f} s"
    return f"{seconds / _MINUTE:.0f} minutes"
