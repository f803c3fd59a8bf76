"""`fencepost doctor`: what a system reports about itself, and how much of the suite can run on it, before anything is judged."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from fencepost.adapters import registry
from fencepost.console.phrases import counted
from fencepost.contract import register
from fencepost.contract.brokers import stand_in_of
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import Exit, UnknownName
from fencepost.contract.ports import Handshake
from fencepost.contract.trials import SystemTrial
from fencepost.deviations import known_deviations
from fencepost.deviations.known_as import settled
from fencepost.deviations.known_deviations import DeviationEntry
from fencepost.run.options import RunOptions

from .offered_scenarios import OfProposal, offering_of

FORMS = ("table", "json")
_MOST_NAMED = 3
"""At most this many of a proposal's missing needs are named next to its count; the list below names all."""


@dataclass(frozen=True)
class CheckupResult:
    """What was found out about a system under one protocol."""

    name: str
    protocol: str
    handshake: Handshake
    clock: str
    proposals: tuple[OfProposal, ...]
    known: tuple[DeviationEntry, ...]

    def as_json(self) -> dict[str, Any]:
        said = self.handshake
        return {
            "system": self.name,
            "version": said.version,
            "version_is_exact": said.version_is_exact,
            "protocol": self.protocol,
            "profile": said.profile,
            "clock": self.clock,
            "image": said.image and asdict(said.image),
            "notes": list(said.notes),
            "deviations": said.deviations,
            "offers": sorted(said.capabilities),
            "proposals": [asdict(one) for one in self.proposals],
            "known_deviations": [one.model_dump(mode="json", exclude_none=True) for one in self.known],
        }


def show(options: RunOptions, form: str = "table") -> int:
    """Open the system, print its handshake and what can run on it, and release it. Raises UnknownName for an unknown form."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    registry.check_proposals()
    if options.named.known_as:
        options.named.known_as.check(options.system, options.protocols())
    console, all_found, notes = Console(highlight=False, soft_wrap=True), [], []
    failed: list[str] = []
    for found in _examined(options, console if form == "table" else None, failed):
        all_found.append(found)
        if form == "table":
            for line, style in _reported(found):
                console.print(Text(line, style=style))
    code = Exit.USAGE if failed else Exit.CONFORMS
    notes = list(registry.broken())
    if form == "json":
        print(json.dumps({"systems": [one.as_json() for one in all_found], "failed": failed, "notes": notes}, indent=1))
        return code
    for reported in notes:
        console.print(Text(f"\nnote: {reported}"))
    return code


def _examined(options: RunOptions, console: Console | None, failed: list[str]) -> Iterator[CheckupResult]:
    """What each system reports; lines of a launcher that fail are added to `failed`, and what they start is not asked."""
    rows = register.bundled()
    for protocol, system in options.build_systems().items():
        try:
            if isinstance(system, SystemTrial):
                failed += _failures(console, system)
                if failed:
                    continue
            system.prepare()
            handshake = system.open()
            registry.check_opened(options.system, system, handshake)
            stand_in = stand_in_of(system)
        finally:
            system.close()
        handshake = settled(options.system, handshake, options.named.known_as)
        clock = "virtual" if "virtual-time" in handshake.capabilities else f"real; Fencepost waits for up to {options.asked.patience_s:g} s"
        known = known_deviations.load_for(*handshake.judged_as, handshake.version_is_exact, rows).known if handshake.judged_as else ()
        offered = offering_of(protocol, handshake, stand_in, rows)
        yield CheckupResult(system.name, protocol, handshake, clock, tuple(offered), tuple(one.entry for one in known))


def _failures(console: Console | None, trial: SystemTrial) -> list[str]:
    """Try each line that starts the system, and print the result at once; returns those that fail."""
    if console:
        console.print(Text("each line of the launcher file, tried", style="bold"))
    failed = []
    for one in trial.tried():
        reported = f"{one.line}: {one.reported}"
        if console:
            console.print(Text(f"  {'works' if one.works else 'FAILS'}  {reported}"))
        failed += [] if one.works else [reported]
    return failed


# --- for people ---------------------------------------------------------------------------------------------------------


def _reported(found: CheckupResult) -> Iterator[tuple[str, str]]:
    """The lines to print, each with its style."""
    said = found.handshake
    exactly = "" if said.version_is_exact else " (the release line; the protocol does not report the patch level)"
    yield f"{found.name} {said.version}{exactly}, which speaks {found.protocol}", "bold"
    lines = [f"profile {said.profile}", f"clock: {found.clock}", *said.notes]
    lines += [f"image: {said.image}"] if said.image else []
    lines += [said.deviations] if said.deviations else []
    lines += [f"offers {name}: {CAPABILITIES[name]}" for name in sorted(said.capabilities)]
    for line in lines:
        yield f"  {line}", ""
    yield "\nwhat can be tested", "bold"
    for proposal in found.proposals:
        yield f"  {_counts(proposal)}", ""
    yield "\nwhat would allow more tests", "bold"
    for line in _openings(found.proposals) or ["nothing: every scenario can be tested"]:
        yield f"  {line}", ""
    if found.known:
        yield "\nknown deviations of this release", "bold"
    for entry in found.known:
        yield f"  {entry.requirement}{f' ({entry.intermittent})' if entry.intermittent else ''}: {entry.reason} {entry.link}", ""


def _counts(proposal: OfProposal) -> str:
    """Such as `core: 0 of 45 requirements: needs Produce v12, crash`."""
    part = f", {proposal.in_part} more in part" if proposal.in_part else ""
    reported = f"{proposal.title}: {proposal.in_full} of {counted(proposal.requirements, 'requirement')}{part}"
    reported += f" ({proposal.scenarios_asked} of {counted(proposal.scenarios, 'scenario')})"
    first = list(dict.fromkeys(needs for lack in proposal.lacks for needs in lack.needs))
    more = ", ..." if len(first) > _MOST_NAMED else ""
    return reported + (f"; the rest needs {', '.join(first[:_MOST_NAMED])}{more}" if first else "")


def _openings(offered: Sequence[OfProposal]) -> list[str]:
    """A line for each missing need of scenarios, the most frequent one first."""
    lacks = [lack for proposal in offered for lack in proposal.lacks]
    waiting, alone, of, why = Counter[str](), Counter[str](), dict[str, set[str]](), dict[str, str]()
    for lack in lacks:
        for needs in lack.needs:
            waiting[needs] += lack.scenarios
            alone[needs] += lack.scenarios if len(lack.needs) == 1 else 0
            of.setdefault(needs, set()).update(lack.requirements)
            why[needs] = lack.why.get(needs, "")
    return [
        f"{needs}: {counted(number, 'scenario')} of {counted(len(of[needs]), 'requirement')}"
        + (f" ({why[needs]})" if why[needs] else "")
        + (f"; {'all' if alone[needs] == number else alone[needs]} of them need nothing else" if alone[needs] else "")
        for needs, number in waiting.most_common()
    ]
