"""`fencepost check`: histories in, a verdict out.

The results folder is valid at every moment: verdict.json says `complete: false` until everything else stands there.
"""

import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.contract import folder
from fencepost.contract.errors import UnknownName, WrongUsage

from . import local
from .anomalies import ANOMALIES, Anomaly
from .check_page import render
from .drawing import with_layouts
from .ingest import quarantine
from .layout import CHECK, DESCRIPTION, PAGE, QUARANTINE, TABLES, VERDICT, WITNESSES
from .movement import judging
from .movement.buckets import put
from .options import PipelineOptions
from .recorded_by import systems_of
from .spark_session import Size, session
from .start import HistoryFiles, StoredTables, find
from .tables import Tables
from .verdicts import SCHEMA, FoundWitnesses, Total, together, totals, unfinished, verdict
from .witnesses import RankedWitness, ranked, shown

CONFORMS, DOES_NOT = 0, 1
_SHOWN = 3
_WIDTH = 100
_NAMED = 10


@dataclass(frozen=True)
class FinishedCheck:
    """A check that has ended: the content of verdict.json, and the first witnesses of each anomaly, in all and (if asked) in each run."""

    document: dict[str, Any]
    pictured: Sequence[RankedWitness]
    by_run: Sequence[RankedWitness]


def check(options: PipelineOptions) -> int:
    """Judge the histories, write the results and print them; returns the exit code."""
    judged = judge(options)
    if options.form == "json":
        print(json.dumps(judged.document, indent=2, ensure_ascii=False))
    else:
        _table(judged.document, totals(judged.document), judged.pictured, options.results)
    return CONFORMS if all(run["valid"] for run in judged.document["runs"]) else DOES_NOT


def judge(options: PipelineOptions, ahead: AbstractContextManager[SparkSession] | None = None) -> FinishedCheck:
    """Judge the histories, and write the results; in the existing session if there is one."""
    wanted = _chosen(options.anomalies)
    say = _Progress(options.quiet)
    start = find(options.paths)
    size = Size(start.bytes, options.master, options.memory, start.by_run)
    kept = _kept(start, options.results)
    folder.look(options.results, CHECK, kept)
    say(f"{start}, {size.bytes / 1e6:.1f} MB; starting Spark on {options.master} with {size.driver_memory}")
    with ahead or session(size) as spark:
        claimed = folder.claim(options.results, CHECK, {VERDICT: _text(unfinished())}, kept)
        fresh = tuple(tree for tree in CHECK.trees if tree not in kept)
        claimed.note(*folder.spark(*fresh), *([] if kept else [f"{TABLES}/{DESCRIPTION}"]))
        say("reading and sorting")
        tables, bad = start.tables(spark, size.partitions, options.results)
        if bad:
            say.unreadable(bad, options.results / QUARANTINE)
        say("looking for anomalies")
        seen = judging.judge(tables, wanted, options.infer_ww, options.infer_rw)
        if not seen.runs:
            raise WrongUsage(
                f"no operation could be read from {start}; {bad} lines and files are in {options.results / QUARANTINE} with the reasons"
            )
        every = seen.found
        document = verdict(seen, every, bad)
        say(f"{document['records']} records of {document['operations']} operations judged")
        stories = _stories(every, tables, options)
    pictured = [story for story in stories if story.place <= _SHOWN]
    claimed.put(PAGE, render(document, totals(document), pictured, wanted, systems_of(options.paths), datetime.now(UTC)))
    claimed.put(VERDICT, _text(document))
    return FinishedCheck(document, pictured, [story for story in stories if story.rank == 1])


def _chosen(names: Sequence[str]) -> tuple[Anomaly, ...]:
    known = {anomaly.name: anomaly for anomaly in ANOMALIES}
    for name in names:
        if name not in known:
            raise UnknownName("anomaly", name, known)
    return tuple(known[name] for name in names) or ANOMALIES


class _Progress:
    """Prints on the error stream what is being done, and since when."""

    def __init__(self, quiet: bool) -> None:
        self._began = time.monotonic()
        self._quiet = quiet

    def __call__(self, stage: str) -> None:
        if not self._quiet:
            print(f"[{time.monotonic() - self._began:6.1f} s] {stage}", file=sys.stderr)

    @staticmethod
    def unreadable(count: int, folder: Path) -> None:
        """Name the first lines and files that could not be read; the tables of an earlier check only have their number."""
        for named in (reported := quarantine.first(folder, _NAMED)):
            print(f"  cannot be read: {named}", file=sys.stderr)
        if reported and count > len(reported):
            print(f"  and {count - len(reported)} more lines and files; all stand in {folder}", file=sys.stderr)


def _kept(start: HistoryFiles | StoredTables, results: Path) -> tuple[str, ...]:
    """The tables of an earlier check in the same folder, if they are what is judged."""
    is_there = isinstance(start, StoredTables) and start.folder.resolve() == (results / TABLES).resolve()
    return (TABLES,) if is_there else ()


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _stories(every: Sequence[FoundWitnesses], tables: Tables, options: PipelineOptions) -> Sequence[RankedWitness]:
    """The first witnesses, with what they show. All witnesses are stored."""
    place = options.results / WITNESSES
    if not every:
        _keep_none(place)
        return []
    witnesses = ranked(together(every), max(options.most, _SHOWN)).persist()
    concerned = F.col("place") <= _SHOWN
    first = witnesses.filter(concerned | (F.col("rank") == 1) if options.by_run else concerned).collect()
    with ThreadPoolExecutor(1) as beside:
        stored = beside.submit(_keep, witnesses.filter(F.col("rank") <= options.most).drop("rank", "place"), place)
        stories = with_layouts(shown(first, tables), first, tables)
        stored.result()
    return stories


def _keep(witnesses: DataFrame, place: Path) -> None:
    witnesses.write.mode("overwrite").parquet(str(place / "parquet"))
    witnesses.write.mode("overwrite").option("ignoreNullFields", "false").json(str(place / "json"))


def _keep_none(place: Path) -> None:
    """Write an empty result, for which Spark would need a second."""
    for form in ("parquet", "json"):
        (place / form).mkdir(parents=True, exist_ok=True)
    put(local.columns(SCHEMA).empty_table(), place / "parquet/part-00000.parquet")
    (place / "json/part-00000.json").touch()


def _table(document: dict[str, Any], sums: Sequence[Total], pictured: Sequence[RankedWitness], results: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=min(Console().width, _WIDTH) if sys.stdout.isatty() else _WIDTH)
    if sums:
        table = Table("anomaly", "definite", "possible", "runs", "first witness")
        for total in sums:
            first = next(one for one in pictured if one.anomaly is total.anomaly)
            name = f"{total.anomaly.name} (allowed)" if total.anomaly.allowed else total.anomaly.name
            table.add_row(name, str(total.definite), str(total.possible), str(total.runs), Text(f"{first.run}: {first.claim}"))
        console.print(table)
        console.print(f"who did what: {results / PAGE}", soft_wrap=True)
    invalid = sum(not run["valid"] for run in document["runs"])
    console.print(
        f"{document['records']} records of {document['operations']} operations in {_runs(len(document['runs']))}; "
        f"{_runs(invalid)} with a definite anomaly"
    )
    if document["quarantined"]:
        console.print(f"{_unread(document['quarantined'])} could not be read; see {results / QUARANTINE}")
    console.print(f"results: {results}", soft_wrap=True)


def _unread(count: int) -> str:
    return f"{count} {'line or file' if count == 1 else 'lines or files'}"


def _runs(number: int) -> str:
    return f"{number} run{'' if number == 1 else 's'}"
