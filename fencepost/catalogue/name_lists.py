"""The names besides requirements: systems, profiles, defects, decisions, capabilities and themes, each with a line that describes it."""

import json
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fencepost.adapters import registry
from fencepost.contract import register
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.themes import THEMES, requirements_of
from fencepost.reference.defects import CONFORMING, DEFECTS, overriding

FORMS = ("table", "json")
_TEXT = "seed"
_OURS = {
    registry.REFERENCE: "the reference implementation, in this process",
    "kafka": "an Apache Kafka broker, or any other that speaks its protocol",
    "pulsar": "an Apache Pulsar broker, or any other that speaks its protocol",
}


def systems() -> list[dict[str, str]]:
    """What `fencepost run` can judge, the bundled systems first; a package's system that cannot be used has the reason."""
    ours = [
        {"name": name, "speaks": ", ".join(registry.protocols_of(name, SpecifiedSystem())), "options": _options(name), "what": what}
        for name, what in _OURS.items()
    ]
    return ours + [{"name": one.name} | _foreign(one) for one in registry.foreign()]


def profiles() -> list[dict[str, str]]:
    """The values of --profile, with the systems that know them."""
    whose: dict[str, list[str]] = {}
    for name in registry.names():
        try:
            known = registry.find(name).profiles()
        except WrongUsage:  # `--systems` has the reason
            continue
        for profile in known:
            whose.setdefault(profile, []).append(name)
    return [{"name": profile, "of": ", ".join(names), "what": _profile(profile)} for profile, names in whose.items()]


def defects() -> list[dict[str, str]]:
    """The values of --defect: broken variants with the requirements that they break, then conforming variants."""
    return [
        {"name": name, "protocol": one.protocol, "breaks": ", ".join(one.breaks) or "nothing", "what": one.story}
        for name, one in (DEFECTS | CONFORMING).items()
    ]


def decisions() -> list[dict[str, str]]:
    """The values of `fencepost new defect --overrides`: what the reference decides, and a defect may decide otherwise."""
    return [
        {"name": f"{part}.{name}", "protocol": protocol, "what": overriding.what_it_decides(base, name)}
        for protocol, parts in overriding.PARTS.items()
        for part, base in overriding.classes_of(parts).items()
        for name in overriding.decisions_of(base)
    ]


def capabilities() -> list[dict[str, str]]:
    """The capabilities that a scenario may need with `@needs:...`."""
    return [{"name": name, "what": what} for name, what in CAPABILITIES.items()]


def themes() -> list[dict[str, str]]:
    """The values of --theme, with the proposals that have rows of it."""
    found = []
    for name, what in THEMES.items():
        rows = requirements_of(name)
        specs = [spec for spec, members in register.bundled().by_spec.items() if any(row.id in rows for row in members)]
        found.append({"name": name, "rows": str(len(rows)), "in": ", ".join(specs), "what": what})
    return found


KINDS: Mapping[str, Callable[[], list[dict[str, str]]]] = {
    "systems": systems,
    "profiles": profiles,
    "defects": defects,
    "decisions": decisions,
    "capabilities": capabilities,
    "themes": themes,
}


def show(kind: str, form: str) -> int:
    """Print the names of one of `KINDS`."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    rows = KINDS[kind]()
    if form == "json":
        print(json.dumps(rows, indent=1))
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in rows[0]:
        table.add_column(column, no_wrap=column == "name", overflow="fold")
    for row in rows:
        table.add_row(*(Text(row[column]) for column in rows[0]))
    Console().print(table)
    return 0


def _options(name: str) -> str:
    return ", ".join(f"--{option}" for option in registry.find(name).options)


def _foreign(one: registry.Foreign) -> dict[str, str]:
    try:
        registration = one.load()
        speaks = ", ".join(registration.protocols(SpecifiedSystem()))
        options = ", ".join(f"--set-system {option}=" for option in registration.options)
    except WrongUsage as error:
        return {"speaks": "", "options": "", "what": f"cannot be used: {error}"}
    package = f"{one.entry.dist.name} {one.entry.dist.version}: " if one.entry.dist else ""
    return {"speaks": speaks, "options": options, "what": f"{package}{registration.usage}"}


def _profile(name: str) -> str:
    if name == _TEXT:
        return "the proposals as they are written"
    system, _, version = name.partition("-")
    if not version:
        return "Kafka's transactions as they were before KIP-890" if name == "kip98" else name
    return f"as {system.capitalize()} {version} does it, where that differs from the text"
