"""The report as Markdown, for a repository or a wiki: the same matrix, with a coloured square before each word."""

import html
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from fencepost.contract.version import VERSION
from fencepost.pipeline.compliance.facts import ReportSummary, SystemStanding
from fencepost.pipeline.compliance.folders import UnreadableFolder

from .badge import file_name, message
from .compliance_page import MOST_LISTED
from .templates import clean
from .view import STATES, Matrix, MatrixCell, matrix

SQUARES = {
    "met": "🟩",
    "known_deviation": "🟨",
    "not_offered": "⬜",
    "violated": "🟥",
    "blocked": "🟫",
    "inconclusive": "🟧",
    "harness_error": "🟪",
    "not_run": "",
    "excluded": "",
}
_LINK = re.compile(r"(https?://[^\s<>()\"'`|\\]+)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~])")


def render(summary: ReportSummary, unreadable: Sequence[UnreadableFolder], made: datetime) -> str:
    """The text of this summary."""
    return "\n".join(_lines(summary, matrix(summary.columns), unreadable, made)) + "\n"


def _lines(summary: ReportSummary, shown: Matrix, unreadable: Sequence[UnreadableFolder], made: datetime) -> Iterator[str]:
    yield "# Compliance with the transaction proposals"
    yield ""
    yield (
        f"{summary.reported}; {len(unreadable)} {'file or folder' if len(unreadable) == 1 else 'files or folders'} could not be read. "
        f"For each requirement, the latest run that judged it counts. Made {made:%Y-%m-%d %H:%M} UTC by Fencepost {VERSION}."
    )
    yield ""
    yield "| System | State | Met | Known deviation | Violated | Anomalies | Not offered | Not known | Not run | Latest run | Runs |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |"
    yield from (_standing(column.standing) for column in shown.columns)
    yield ""
    if len(summary.standings) > len(shown.columns):
        yield f"{len(summary.standings) - len(shown.columns)} systems and versions that ran less recently are in `report.json`."
        yield ""
    for proposal in shown.proposals:
        requirements = "requirement" if len(proposal.lines) == 1 else "requirements"
        yield f"## {escaped(proposal.title)}: {len(proposal.judged)} of {len(proposal.lines)} {requirements} judged"
        yield ""
        if proposal.judged:
            yield "| Requirement | " + " | ".join(escaped(str(column.standing.system)) for column in shown.columns) + " |"
            yield "| --- |" + " --- |" * len(shown.columns)
            for line in proposal.judged:
                law = f"**{line.requirement}** {line.level}{', parity' if line.is_parity else ''}. {escaped(line.statement)}"
                yield f"| {law} | " + " | ".join(map(_entry, line.entries)) + " |"
            yield ""
    yield "† from an earlier run than the latest, which did not judge it. ‡ from a run that is not complete."
    yield ""
    yield "## What is not plainly met, and why"
    yield ""
    for line in shown.reasons:
        yield f"- **{line.requirement}** {escaped(line.statement)} {escaped(line.prevents)}".rstrip()
        for entry in line.reasons:
            reason = _linked(entry.why)
            yield f"  - {_entry(entry)}, {escaped(str(entry.column.standing.system))}: {reason} ({_when(entry)})"
    yield ""
    if unreadable:
        yield "## What is not in this report"
        yield ""
        yield from (f"- {escaped(one.path)}: {escaped(one.reason)}" for one in unreadable[:MOST_LISTED])
        if len(unreadable) > MOST_LISTED:
            yield f"- and {len(unreadable) - MOST_LISTED} more; all of them are in `report.json`"


def _standing(standing: SystemStanding) -> str:
    totals, latest = standing.totals, standing.latest
    cells = [
        f"![{escaped(message(standing))}](badges/{file_name(standing.system)}) {_system(standing)}",
        "; ".join(filter(None, (STATES[standing.state], standing.beside))),
        f"{totals['met']} of {standing.due}",
        *map(str, (totals["known_deviation"], totals["violated"], standing.anomalies, totals["not_offered"])),
        str(totals["blocked"] + totals["inconclusive"] + totals["harness_error"]),
        str(standing.due - standing.judged),
        f"{latest.started:%Y-%m-%d %H:%M} {escaped(latest.name)}{'' if latest.complete else ', not complete'}",
        f"{standing.runs}{f' ({standing.incomplete} not complete)' if standing.incomplete else ''}",
    ]
    return f"| {' | '.join(cells)} |"


def _system(standing: SystemStanding) -> str:
    """The system, with what is reported of its latest run and how many images its runs had."""
    several = (f"{len(standing.images)} images",) if len(standing.images) > 1 else ()
    beside = "; ".join(map(escaped, (*standing.latest.reported, *several)))
    return escaped(str(standing.system)) + (f" ({beside})" if beside else "")


def _entry(entry: MatrixCell) -> str:
    return f"{SQUARES[entry.looks]} {entry.words}{entry.marks}".strip()


def _when(entry: MatrixCell) -> str:
    assert entry.cell is not None, "only a cell asks why"
    run = entry.cell.run
    return f"{run.started:%Y-%m-%d}, {escaped(run.name)}{'' if run.complete else ', not complete'}"


def escaped(text: str) -> str:
    """A text that stays one line of plain words, whatever it holds."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(clean(text).split()), quote=False))


def _linked(text: str) -> str:
    """The same, with its addresses as links."""
    parts = _LINK.split(" ".join(clean(text).split()))
    return "".join(f"<{part}>" if number % 2 else escaped(part) for number, part in enumerate(parts))
