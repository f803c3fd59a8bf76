"""The page of `fencepost run --twins`: a map of scenarios and disturbances, and what was noticed."""

from collections.abc import Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment

from fencepost.contract import register
from fencepost.contract.verdict import Verdict
from fencepost.contract.version import VERSION

from .disturbances import Disturbance
from .twin import TwinResult, TwinVerdict
from .twin_findings import TwinFindings

_MARKS = {
    TwinVerdict.DIFFERS: "✗",
    TwinVerdict.EXCEPTED: "≈",
    TwinVerdict.ALIKE: "=",
    TwinVerdict.NOT_TRIED: "∅",
    TwinVerdict.NOT_OFFERED: "·",
    TwinVerdict.NOT_REACHED: "·",
}


def page(reported: TwinFindings, chosen: Sequence[Disturbance], system: str) -> str:
    """One page that runs no script; what systems have said is escaped."""
    cells: dict[tuple[str, str], list[TwinResult]] = {}
    for one in reported.results:
        cells.setdefault((one.play.run, one.disturbance), []).append(one)
    template = resources.files("fencepost.fixtures").joinpath("twins.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        reported=reported,
        system=system,
        version=VERSION,
        chosen=chosen,
        scenarios=[
            {
                "requirement": plain.play.requirement,
                "name": plain.play.name,
                "example": plain.play.example,
                "verdict": plain.verdict,
                "cells": [_cell(cells.get((plain.play.run, one.name), [])) for one in chosen],
            }
            for plain in reported.plain
            if plain.verdict is Verdict.MET or plain.verdict.is_red
        ],
        rows=register.bundled(),
        noticed=[one for one in reported.results if one.verdict in (TwinVerdict.DIFFERS, TwinVerdict.EXCEPTED)],
        differs=TwinVerdict.DIFFERS,
        marks=_MARKS,
    )


def _cell(results: Sequence[TwinResult]) -> dict[str, Any]:
    order = list(TwinVerdict)
    worst = min((one.verdict for one in results), key=order.index, default=None)
    places = ", ".join(str(one.position + 1) for one in results if one.verdict is worst and one.position is not None)
    title = f"{worst.value}{f', before steps {places}' if places else ''}" if worst else "does not stand here"
    if worst in (TwinVerdict.NOT_TRIED, TwinVerdict.NOT_OFFERED):
        title += f": {next(one.difference for one in results if one.verdict is worst)}"
    return {"mark": _MARKS[worst] if worst else "", "title": title, "is_red": worst is TwinVerdict.DIFFERS, "verdict": worst}
