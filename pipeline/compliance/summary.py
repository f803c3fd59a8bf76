"""From the rows of all runs to what a report shows.

What is *latest* is decided for each requirement by itself: the verdict of the last run that judged it. So a run that asked for one
requirement only, or was killed, removes nothing from the table, and a red stays until that requirement is judged again.

The driver gets one line for each system and version, and at most as many in full as a page has columns.
"""

import functools
import operator
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from fencepost.contract import parity
from fencepost.contract.parity import Parity
from fencepost.contract.verdict import Verdict
from fencepost.pipeline import local

from .facts import STRETCHES, UNJUDGED, VERDICTS, Cell, JudgedSystem, Moment, ReportSummary, Run, SystemColumn, SystemStanding

_LONGEST, _MOST = 600, 5
_JUDGED = 1 << 40
_SUMS = ("borrowed", "unfinished", "anomalies")
_OF = ("system", "version", "profile", "defect")
"""What distinguishes systems."""
_RUN = ("run", "started", "complete", "image", "labels", "known_as")
"""What is reported of a run."""
_MOST_IMAGES = 20


def summarise(spark: SparkSession, rows: DataFrame, latest: Path, columns: int) -> ReportSummary:
    """What the rows say; the latest verdicts are written to the folder `latest`. At most so many `columns` are reported in full."""
    runs = _runs(rows).persist()
    last = _latest(rows, runs)
    last.repartition(*_OF).sortWithinPartitions(*_OF, "requirement").write.mode("overwrite").parquet(str(latest))
    last = spark.read.schema(last.schema).parquet(str(latest))
    standings = tuple(_standings(runs, last))
    shown = standings[:columns]
    keys = [(number, one.name, one.version, one.profile, one.defect) for number, one in enumerate(each.system for each in shown)]
    chosen = F.broadcast(local.table(spark, "number int, system string, version string, profile string, defect string", keys))
    cells = _cells(_joined(last, chosen))
    moments, spans = _moments(_joined(runs, chosen))
    total = runs.agg(F.count("*").alias("runs"), F.count_if(~F.col("complete")).alias("incomplete")).first()
    runs.unpersist()
    assert total is not None, "a count has one row"
    return ReportSummary(
        total.runs,
        total.incomplete,
        standings,
        tuple(SystemColumn(standing, cells[number], tuple(moments[number]), spans[number]) for number, standing in enumerate(shown)),
    )


def _runs(rows: DataFrame) -> DataFrame:
    """One row a run: its system, when it ran, its `turn`, whether it is complete, and how many counted requirements had each verdict."""
    counts = [F.count_if((F.col("verdict") == verdict) & ~F.col("provisional")).alias(verdict) for verdict in VERDICTS]
    runs = rows.groupBy(*_OF, *_RUN).agg(*counts)
    return runs.withColumn("turn", F.row_number().over(Window.partitionBy(F.lit(0)).orderBy("started", "run")))


def _latest(rows: DataFrame, runs: DataFrame) -> DataFrame:
    """The verdict on each requirement by the last run that judged it; by the last run of all if none did.

    Only numbers go through the aggregation, which thus needs neither sorting nor the texts; these are fetched for the remaining rows.
    """
    judged = ~F.col("verdict").isin(*UNJUDGED)
    turns = F.broadcast(runs.select("run", "turn"))
    numbered = rows.join(turns, "run").withColumn("rank", F.when(judged, _JUDGED).otherwise(0) + F.col("turn"))
    last = numbered.groupBy(*_OF, "requirement").agg(F.max("rank").alias("rank"))
    turn = last.select("requirement", (F.col("rank") % _JUDGED).alias("turn"))
    return numbered.drop("rank").join(turn, ["requirement", "turn"]).drop("turn")


def _standings(runs: DataFrame, last: DataFrame) -> Iterator[SystemStanding]:
    """One for each system and version, the most recent run first."""
    newest = F.max_by(F.struct(*_RUN), F.struct("started", "run"))
    counted_runs = (F.count("*").alias("runs"), F.count_if(~F.col("complete")).alias("incomplete"))
    own = runs.groupBy(*_OF).agg(*counted_runs, newest.alias("latest"), _images())
    judged = ~F.col("verdict").isin(*UNJUDGED)
    kept = ("requirement", "source", "provisional", "edition", "verdict", "complete", "narrowed", "anomalies", "latest")
    verdicts = last.join(own, _same(last, own)).select(*(last[name] for name in _OF), *kept, last["run"])
    proposal = F.regexp_replace("requirement", "-[^-]*$", "").alias("proposal")
    counted = (
        verdicts.groupBy(*_OF, proposal, "source", "provisional", "verdict")
        .agg(
            F.count("*").alias("count"),
            F.count_if(judged & (F.col("run") != F.col("latest.run"))).alias("borrowed"),
            F.count_if(judged & ~F.col("complete")).alias("unfinished"),
            F.count_if(judged & ~F.col("narrowed")).alias("whole"),
            F.count_if(F.size("anomalies") > 0).alias("anomalies"),
            F.collect_set(F.when(judged, F.col("edition"))).alias("editions"),
        )
        .groupBy(*_OF)
        .agg(
            F.collect_list(F.struct("proposal", "source", "provisional", "verdict", "count", "whole")).alias("counts"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("editions")))).alias("editions"),
            *(F.sum(name).alias(name) for name in _SUMS),
        )
    )
    joined = own.join(counted, _same(own, counted)).select(own["*"], "counts", "editions", *_SUMS)
    micros = _micros(F.col("latest.started")).alias("micros")
    for row in joined.select("*", micros).orderBy(F.col("micros").desc(), *_OF).collect():
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        provisional: Counter[str] = Counter()
        for one in row.counts:
            if one.provisional:
                provisional[one.verdict] += one["count"]
            else:
                counts[one.proposal][one.verdict] += one["count"]
        parity_rows = [one for one in row.counts if one.source == parity.SOURCE and not one.provisional]
        asked = {one.proposal for one in row.counts if one.verdict not in UNJUDGED}
        whole = {one.proposal for one in row.counts if one.whole}
        latest = row.latest
        yield SystemStanding(
            JudgedSystem(row.system, row.version, row.profile, row.defect),
            row.runs,
            row.incomplete,
            Run(latest.run, _moment(row.micros), latest.complete, latest.image, tuple(latest.labels), latest.known_as),
            dict(counts),
            row.borrowed,
            bool(row.unfinished),
            bool(asked) and asked <= whole,
            row.anomalies,
            tuple(row.images),
            Parity.of(Verdict(one.verdict) for one in parity_rows for _ in range(one["count"])),
            dict(provisional),
            ", ".join(row.editions),
        )


def _images() -> Expression:
    """The images that the runs of a group were started from, those of the last runs first."""
    used = F.collect_list(F.when(F.col("image").isNotNull(), F.struct("turn", "image")))
    newest_first = F.transform(F.reverse(F.array_sort(used)), lambda one: one.image)
    return F.slice(F.array_distinct(newest_first), 1, _MOST_IMAGES).alias("images")


def _cells(last: DataFrame) -> defaultdict[int, dict[str, Cell]]:
    """The cells of each column that is shown, by requirement."""
    cells: defaultdict[int, dict[str, Cell]] = defaultdict(dict)
    rows = last.select(
        "number",
        "requirement",
        "level",
        "verdict",
        *(name for name in _RUN if name != "started"),
        _micros(F.col("started")).alias("micros"),
        _short(F.col("reason")).alias("reason"),
        F.transform(F.slice("anomalies", 1, _MOST), _short).alias("anomalies"),
    )
    for row in rows.collect():
        cells[row.number][row.requirement] = Cell(row.requirement, row.level, row.verdict, row.reason, _run(row), tuple(row.anomalies))
    return cells


def _moments(runs: DataFrame) -> tuple[defaultdict[int, list[Moment]], dict[int, tuple[datetime, datetime]]]:
    """The last run of each of some equal stretches of a family's time, in order; and all of that time."""
    moments: defaultdict[int, list[Moment]] = defaultdict(list)
    spans: dict[int, tuple[datetime, datetime]] = {}
    micros = _micros(F.col("started"))
    family = Window.partitionBy("system", "defect")
    runs = runs.select("*", micros.alias("micros"), F.min(micros).over(family).alias("first"), F.max(micros).over(family).alias("end"))
    length = (F.col("end") - F.col("first")) / STRETCHES
    stretch = F.when(length > 0, F.least(F.floor((F.col("micros") - F.col("first")) / length), F.lit(STRETCHES - 1))).otherwise(0)
    latest = F.struct(*(name for name in _RUN if name != "started"), "micros", *VERDICTS)
    last = runs.groupBy("number", "first", "end", stretch.alias("stretch")).agg(
        F.max_by(latest, F.struct("started", "run")).alias("latest")
    )
    for row in last.orderBy("number", "stretch").select("number", "stretch", "first", "end", "latest.*").collect():
        moments[row.number].append(Moment(row.stretch, _run(row), {verdict: row[verdict] for verdict in VERDICTS}))
        spans[row.number] = _moment(row.first), _moment(row.end)
    return moments, spans


def _joined(rows: DataFrame, chosen: DataFrame) -> DataFrame:
    """The rows of the columns that are shown, with the column's `number`."""
    return rows.join(chosen, _same(rows, chosen)).select(rows["*"], "number")


def _same(left: DataFrame, right: DataFrame) -> Expression:
    """The same system, version, profile and defect; null equals null."""
    return functools.reduce(operator.and_, (left[name].eqNullSafe(right[name]) for name in _OF))


def _short(text: Expression) -> Expression:
    return F.when(F.length(text) > _LONGEST, F.concat(F.left(text, F.lit(_LONGEST)), F.lit(" ..."))).otherwise(text)


def _micros(time: Expression) -> Expression:
    return F.unix_micros(time)


def _run(row: Row) -> Run:
    return Run(row.run, _moment(row.micros), row.complete, row.image, tuple(row.labels), row.known_as)


def _moment(micros: int) -> datetime:
    # A Spark timestamp that becomes Python's is given in the machine's own time zone.
    return datetime.fromtimestamp(micros / 1e6, UTC)
