"""A badge for a system in a version: an SVG file that needs nothing else, and says its state in words as well as in a colour.

Its name depends on the system only, so that a link to it stays good.
"""

import hashlib
import re
import unicodedata
from dataclasses import replace

from fencepost.pipeline.compliance.facts import ConformanceState, JudgedSystem, SystemStanding

from .templates import TEMPLATES
from .view import STATES, WORDS

COLOURS = {
    ConformanceState.CONFORMS: "#2f6f3e",
    ConformanceState.DOES_NOT: "#a3161b",
    ConformanceState.NO_VERDICT: "#6b5300",
    ConformanceState.INCOMPLETE: "#6b5300",
    ConformanceState.PARTIAL: "#3d5a80",
}
_NARROW, _WIDE = frozenset(" .,:;|'!()[]fijlrtI-"), frozenset("mwMWQO@%")
_LONGEST = 60
_PADDING = 10
_PLAIN = re.compile(r"[a-z0-9][a-z0-9.]*")


def badge(standing: SystemStanding) -> str:
    """The SVG."""
    left, right = f"fencepost: {_short(standing.system)}", message(standing)
    parts = {"left": left, "left_width": _width(left), "right": right, "right_width": _width(right)}
    return TEMPLATES.get_template("badge.svg.j2").render(parts, padding=_PADDING, colour=COLOURS[standing.state])


def message(standing: SystemStanding) -> str:
    """The state, by which edition, and the number that it rests on: what is red, else how much is met."""
    red = next(iter(standing.reds), None)
    state = STATES[standing.state] + (f" (edition {standing.edition})" if standing.edition else "")
    if standing.anomalies:
        return f"{state}, anomalies in {standing.anomalies}"
    if red is not None:
        return f"{state}, {standing.reds[red]} {WORDS[red]}"
    odd = f"; {standing.parity}" if str(standing.parity) else ""
    return f"{state}, {standing.totals['met']} of {standing.due} met{odd}"


def _short(system: JudgedSystem) -> str:
    """The system in not too many words; that it is a broken one is never cut off."""
    honest = str(replace(system, defect=None))
    most = _LONGEST - len("fencepost: ")
    honest = honest if len(honest) <= most else honest[: most - 3] + "..."
    return honest if system.defect is None else f"{honest} with the defect {system.defect[:_LONGEST]}"


def file_name(system: JudgedSystem) -> str:
    """The badge's file: the system's own words where only it has them, else with a digest that distinguishes it."""
    words = str(system).replace(", with the defect ", "-").replace(" as ", "-").replace(" ", "-")
    plain = re.sub(r"^\.|[^A-Za-z0-9._+-]+", "_", words)[:80]
    digest = "" if _is_ordinary(system) else "-" + hashlib.sha256(_distinguished(system).encode()).hexdigest()[:8]
    return f"{plain}{digest}.svg"


def _distinguished(system: JudgedSystem) -> str:
    """What differs for any two systems; of one without a defect as ever, so that links stay good."""
    parts = {"name": system.name, "version": system.version, "profile": system.profile}
    reported = parts if system.defect is None else parts | {"defect": system.defect}
    return f"System({', '.join(f'{name}={value!r}' for name, value in reported.items())})"


def _is_ordinary(system: JudgedSystem) -> bool:
    """Whether no other system makes the same file's name, capitals aside: as `kafka 4.3.1` and `reference 0.1.0 as seed`."""
    name, version, profile = system.name, system.version or "", system.profile or ""
    usual = f"{name}-{'.'.join(version.split('.')[:2])}"
    is_shown = system.defect is None and (profile == usual or str(system) == f"{name} {version} as {profile}")
    return is_shown and len(str(system)) < _LONGEST and all(map(_PLAIN.fullmatch, (name, version, profile.replace("-", "."))))


def _width(text: str) -> int:
    """About how wide a text is at 11 px; the picture fits it to exactly that."""
    return round(sum(_of_letter(letter) for letter in text))


def _of_letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 11.0
    return 4.2 if letter in _NARROW else 9.5 if letter in _WIDE else 7.4 if letter.isupper() else 6.7
