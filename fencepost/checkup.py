"""`fencepost doctor`: what a system says of itself, before anything is judged."""

from rich.console import Console
from rich.text import Text

from fencepost.adapters import registry
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import Exit
from fencepost.contract.ports import Handshake
from fencepost.contract.trials import Trial

from . import expectations
from .contract import gherkin, proposals, register
from .known_as import settled
from .options import Options


def show(options: Options) -> int:
    """Open the system, print its handshake and what will not be offered, and give it back."""
    registry.check_proposals()
    if options.named.known_as:
        options.named.known_as.check(options.system, options.protocols())
    console = Console(highlight=False)
    works = True
    for protocol, system in options.build_systems().items():
        try:
            if isinstance(system, Trial):
                works &= _show_trial(console, system)
                if not works:
                    continue
            system.prepare()
            handshake = system.open()
            registry.check_opened(options.system, system, handshake)
        finally:
            system.close()
        _show_system(console, options, protocol, system.name, settled(options.system, handshake, options.named.known_as))
    for told in registry.broken():
        console.print(Text(f"\nnote: {told}"))
    return Exit.CONFORMS if works else Exit.USAGE


def _show_trial(console: Console, trial: Trial) -> bool:
    """Try each line by which the system is started, and say so at once; whether all work."""
    works = True
    console.print(Text("what the launcher says, tried", style="bold"))
    for one in trial.tried():
        console.print(Text(f"  {'works' if one.works else 'FAILS'}  {one.line}: {one.told}"), soft_wrap=True)
        works &= one.works
    console.print()
    return works


def _show_system(console: Console, options: Options, protocol: str, name: str, handshake: Handshake) -> None:
    exactly = "" if handshake.version_is_exact else " (the release line; the patch level is not told on the wire)"
    console.print(Text(f"{name} {handshake.version}{exactly}, which speaks {protocol}", style="bold"))
    clock = "virtual" if "virtual-time" in handshake.capabilities else f"its own; waited for up to {options.asked.patience_s:g} s"
    lines = [f"profile {handshake.profile}", f"clock: {clock}", *handshake.notes]
    lines += [f"image: {handshake.image}"] if handshake.image else []
    lines += [handshake.deviations] if handshake.deviations else []
    lines += [f"offers {name}: {CAPABILITIES[name]}" for name in sorted(handshake.capabilities)]
    for line in lines:
        console.print(Text(f"  {line}"))
    _show_not_offered(console, protocol, handshake)
    _show_deviations(console, handshake)


def _show_not_offered(console: Console, protocol: str, handshake: Handshake) -> None:
    console.print(Text("\nwill not be offered", style="bold"))
    lines = list(handshake.not_offered)
    for feature in [feature for feature in gherkin.bundled() if feature.spec in proposals.bundled().binding(protocol)]:
        for rule in feature.rules:
            for scenario in rule.scenarios:
                missing = [need for need in gherkin.needs_in(scenario.tags) if need not in handshake.capabilities]
                if missing:
                    lines.append(f"{gherkin.requirement_of(rule.tags)} {scenario.name}: needs {', '.join(missing)}")
    for line in lines or ["nothing: every scenario can be asked"]:
        console.print(Text(f"  {line}"))


def _show_deviations(console: Console, handshake: Handshake) -> None:
    if handshake.judged_as is None:
        return
    known = expectations.load_for(*handshake.judged_as, handshake.version_is_exact, register.bundled()).known
    if known:
        console.print(Text("\nknown deviations of this release", style="bold"))
    for entry in (one.entry for one in known):
        console.print(Text(f"  {entry.requirement}{f' ({entry.intermittent})' if entry.intermittent else ''}: {entry.reason} {entry.link}"))
