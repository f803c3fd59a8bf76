"""`fencepost report`: the results of many runs in, the compliance matrix, trends and badges out.

The folder is valid at every moment: `report.json` says `complete: false` until everything else stands there.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fencepost.contract import folder
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.folder import Folder, FolderLayout
from fencepost.contract.version import VERSION
from fencepost.pipeline.command import spark_is_there
from fencepost.pipeline.compliance import folders
from fencepost.pipeline.compliance.facts import ReportSummary, SystemStanding
from fencepost.pipeline.compliance.folders import UnreadableFolder
from fencepost.pipeline.options import check_memory

from . import compliance_page, markdown
from .badge import badge, file_name
from .view import STATES, WORDS, order

RESULT = "report.json"
_PAGE, _MARKDOWN = "index.html", "compliance.md"
_BADGES, _TABLE, _LATEST = "badges", "table", "latest"
REPORT = FolderLayout("report", "--out", (RESULT, _PAGE, _MARKDOWN), (_BADGES,), (_TABLE, _LATEST))
_NAMED = 20
_ELSE = ("violated", "blocked", "inconclusive", "harness_error", "known_deviation", "not_offered")


@dataclass(frozen=True)
class ReportOptions:
    """What the user asked for."""

    results: tuple[str, ...]
    out: Path
    form: str = "table"
    columns: int = 24
    master: str = "local[*]"
    memory: str | None = None


def run(options: ReportOptions) -> int:
    """Report as asked; the answer is the exit code, 0 for every report that could be made."""
    if options.form not in ("table", "json"):
        raise UnknownName("format", options.form, ("table", "json"))
    check_memory(options.memory)
    with spark_is_there("fencepost report"):
        from fencepost.pipeline.compliance.summary import summarise
        from fencepost.pipeline.compliance.table import read, store
        from fencepost.pipeline.spark_session import Size, session
    began = time.monotonic()

    def say(stage: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {stage}", file=sys.stderr)

    found = folders.find(options.results)
    if not found.sources:
        raise WrongUsage("no results of a run can be read: " + _some(found.unreadable))
    folder.look(options.out, REPORT)
    say(f"{len(found.sources)} run{'' if len(found.sources) == 1 else 's'}, {found.bytes / 1e6:.1f} MB; starting Spark on {options.master}")
    with session(Size(found.bytes, options.master, options.memory)) as spark:
        unfinished = as_json(ReportSummary(0, 0, (), ()), [], complete=False)
        claimed = folder.claim(options.out, REPORT, {RESULT: _text(unfinished)})
        claimed.note(*folder.spark(*REPORT.trees))
        say("reading")
        unreadable = [*found.unreadable, *store(spark, found.sources, options.out / _TABLE)]
        rows = read(spark, options.out / _TABLE)
        if rows.isEmpty():
            folder.give_up(options.out, REPORT)
            raise WrongUsage("no results of a run can be read: " + _some(unreadable))
        say("comparing")
        summary = summarise(spark, rows, options.out / _LATEST, options.columns)
    unreadable.sort(key=lambda one: one.path)
    _write(summary, unreadable, claimed)
    say("done")
    if options.form == "json":
        print(json.dumps(as_json(summary, unreadable), indent=1, ensure_ascii=False))
    else:
        _show(summary, unreadable, options.out)
    return 0


def as_json(summary: ReportSummary, unreadable: Sequence[UnreadableFolder], complete: bool = True) -> dict[str, Any]:
    """`report.json`; its names are published in `report.schema.json` and stay."""
    return {
        "schema_version": 1,
        "fencepost": VERSION,
        "complete": complete,
        "runs": summary.runs,
        "incomplete": summary.incomplete,
        "unreadable": [{"path": one.path, "reason": one.reason} for one in unreadable],
        "systems": [_system(standing) for standing in sorted(summary.standings, key=lambda one: order(one.system))],
    }


def _system(standing: SystemStanding) -> dict[str, Any]:
    system, latest = standing.system, standing.latest
    return {
        "system": {"name": system.name, "version": system.version, "profile": system.profile, "defect": system.defect},
        "state": standing.state.value,
        "runs": standing.runs,
        "incomplete": standing.incomplete,
        "latest": {
            "run": latest.name,
            "started": latest.started.isoformat(timespec="seconds"),
            "complete": latest.complete,
            "image": latest.image,
            "labels": list(latest.labels),
            "known_as": latest.known_as,
        },
        "images": list(standing.images),
        "due": standing.due,
        "totals": standing.totals,
        "parity": {"asked": standing.parity.asked, "differ": standing.parity.differ, "inconclusive": standing.parity.unknown},
        "provisional": dict(standing.provisional),
        "edition": standing.edition or None,
        "anomalies": standing.anomalies,
        "badge": f"badges/{file_name(system)}",
    }


def _write(summary: ReportSummary, unreadable: Sequence[UnreadableFolder], claimed: Folder) -> None:
    made = datetime.now(UTC)
    for standing in summary.standings:
        claimed.put(f"{_BADGES}/{file_name(standing.system)}", badge(standing))
    claimed.put(_MARKDOWN, markdown.render(summary, unreadable, made))
    claimed.put(_PAGE, compliance_page.render(summary, unreadable, made))
    claimed.put(RESULT, _text(as_json(summary, unreadable)))


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _some(unreadable: Sequence[UnreadableFolder]) -> str:
    listed = "; ".join(f"{one.path} {one.reason}" for one in unreadable[:_NAMED])
    return listed + (f"; and {len(unreadable) - _NAMED} more" if len(unreadable) > _NAMED else "")


def _show(summary: ReportSummary, unreadable: Sequence[UnreadableFolder], out: Path) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table("system", Column("state", no_wrap=True), Column("met", no_wrap=True), "else", "latest run", box=None)
    for standing in sorted((column.standing for column in summary.columns), key=lambda one: order(one.system)):
        totals, latest = standing.totals, standing.latest
        counts = {"with anomalies": standing.anomalies} | {WORDS[verdict]: totals[verdict] for verdict in _ELSE}
        table.add_row(
            Text(str(standing.system)),
            STATES[standing.state],
            f"{totals['met']} of {standing.due}",
            ", ".join([f"{count} {words}" for words, count in counts.items() if count] + ([standing.beside] if standing.beside else [])),
            Text(f"{latest.started:%Y-%m-%d %H:%M} {latest.name}{'' if latest.complete else ', not complete'}"),
        )
    console.print(table)
    console.print(summary.reported)
    if unreadable:
        console.print(Text(f"{len(unreadable)} could not be read: {_some(unreadable)}"), style="yellow")
    console.print(f"report: {out / 'index.html'}", soft_wrap=True)
