"""The HTML page of a check: the counts, and for each anomaly its first witnesses with a time line. All text is escaped.

A picture of a layout is inserted as SVG; the module that draws it escapes its texts.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .timeline import picture
from .verdicts import Total
from .witnesses import RankedWitness

_HERE = Path(__file__).parent


def render(verdict: dict[str, Any], totals: Sequence[Total], shown: Sequence[RankedWitness]) -> str:
    """The page of this verdict."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
    invalid = sum(not run["valid"] for run in verdict["runs"])
    sections = [
        {
            "anomaly": total.anomaly,
            "definite": total.definite,
            "possible": total.possible,
            "runs": total.runs,
            "shown": [{"witness": one, "picture": picture(one.acts)} for one in shown if one.anomaly is total.anomaly],
        }
        for total in totals
    ]
    return templates.get_template("page.html.j2").render(verdict=verdict, totals=sections, invalid=invalid, valid=invalid == 0)
