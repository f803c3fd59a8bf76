"""The HTML page of a check: the counts, and for each anomaly its first witnesses with a time line. All text is escaped.

A picture of a layout is inserted as SVG; the module that draws it escapes its texts.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fencepost.contract.page_style import page_style
from fencepost.contract.version import VERSION

from .anomalies import ANOMALIES, Anomaly
from .timeline import picture
from .verdicts import Total
from .witnesses import RankedWitness

_HERE = Path(__file__).parent


def render(
    verdict: dict[str, Any],
    totals: Sequence[Total],
    shown: Sequence[RankedWitness],
    looked_for: Sequence[Anomaly],
    systems: Sequence[str],
    made: datetime,
) -> str:
    """The page of this verdict; `looked_for` are the anomalies that were searched for, and `systems` names what recorded the histories."""
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
    return templates.get_template("page.html.j2").render(
        verdict=verdict,
        totals=sections,
        invalid=invalid,
        valid=invalid == 0,
        looked_for=[(one, next((total.runs for total in totals if total.anomaly is one), 0)) for one in looked_for],
        leftout=[one.name for one in ANOMALIES if one not in looked_for],
        systems=systems,
        made=made,
        version=VERSION,
        style=Markup(page_style()),  # noqa: S704 - it is ours
    )
