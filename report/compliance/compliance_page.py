"""The report as one HTML page: no script, nothing from elsewhere, every word escaped."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

from fencepost.contract.page_style import page_style
from fencepost.contract.version import VERSION
from fencepost.pipeline.compliance.facts import ReportSummary
from fencepost.pipeline.compliance.folders import UnreadableFolder

from . import trend
from .badge import file_name
from .templates import TEMPLATES
from .view import STATES, WORDS, by_system, matrix

MOST_LISTED = 50


def render(summary: ReportSummary, unreadable: Sequence[UnreadableFolder], made: datetime) -> str:
    """The page of this summary."""
    shown = matrix(summary.columns)
    pictures = [
        (name, trend.over_versions(name, columns), trend.over_time(name, columns)) for name, columns in by_system(shown.columns).items()
    ]
    return TEMPLATES.get_template("matrix.html.j2").render(
        summary=summary,
        matrix=shown,
        names=", ".join(by_system(shown.columns)),
        pictures=pictures,
        unreadable=unreadable,
        listed=unreadable[:MOST_LISTED],
        made=made,
        version=VERSION,
        states=STATES,
        words=WORDS,
        badge_of=file_name,
        style=Markup(page_style()),  # noqa: S704 - it is ours
    )
