"""Histories as events: every line either one event, or a reason why it is none.

A row knows its file (`file_id`, the hash of what Spark calls it), and has a `mark` by which a bad line is found again: the hash of the
line, or the number of the row where the format has one. Line numbers are not counted for all the lines that are good.
"""

from collections.abc import Sequence
from functools import reduce
from urllib.parse import unquote, urlsplit

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from fencepost.pipeline import local

from .event import NEEDED, NOT_AN_EVENT, NOT_UTF_8, OUTCOMES, VERSION
from .files import Source
from .schema import EVENT

CORRUPT = "_corrupt"
STORED = StructType([StructField(field.name, LongType()) if field.name == "process" else field for field in EVENT.fields])


def read(spark: SparkSession, sources: Sequence[Source]) -> DataFrame:
    """All lines: `file_id`, `mark`, `run`, `reason`, `event`. The reason is null where the event is good."""
    readers = {"json": _json_lines, "edn": _edn, "parquet": _parquet}
    forms = {form: [source for source in sources if source.form == form] for form in sorted({source.form for source in sources})}
    return reduce(lambda one, other: one.unionByName(other), (readers[form](spark, those) for form, those in forms.items()))


def raw(spark: SparkSession, sources: Sequence[Source]) -> DataFrame:
    """Text files as lines (`value`), with the file as Spark names it (`uri`) and the place of their block in it."""
    lines = spark.read.option("lineSep", "\n").text([_escaped(str(source.path)) for source in sources])
    return lines.select("value", F.col("_metadata.file_path").alias("uri"), F.col("_metadata.file_block_start").alias("block"))


def names(spark: SparkSession, rows: DataFrame, sources: Sequence[Source]) -> DataFrame:
    """What Spark calls the files of these rows (`uri`), their `path`, and what their runs are called (`run`) or begin with (`prefix`):
    small, so that it is sent to everyone.
    """
    known = {str(source.path): source for source in sources}
    escaped = [urlsplit(uri).path for uri in rows.inputFiles()]
    named = [(f"file:{path}", unquote(path), known[unquote(path)].prefix, known[unquote(path)].run) for path in escaped]
    table = local.table(spark, "uri string, path string, prefix string, run string", named)
    return F.broadcast(table.withColumn("file_id", F.xxhash64("uri")))


def _with(what: str, spark: SparkSession, rows: DataFrame, read: DataFrame, sources: Sequence[Source]) -> DataFrame:
    """These rows, with the `prefix` or the `run` of their files; a file that nobody knows stops the check, so that no line is lost."""
    all_of_them = {getattr(source, what) for source in sources}
    if len(all_of_them) == 1:
        return rows.withColumn(what, F.lit(all_of_them.pop())).drop("uri")
    rows = rows.join(names(spark, read, sources).select("uri", what), "uri", "left")
    unknown = F.raise_error(F.concat(F.lit("no history is called "), "uri")).cast("string")
    return rows.withColumn(what, F.coalesce(what, unknown)).drop("uri")


def _text(spark: SparkSession, sources: Sequence[Source], what: str) -> DataFrame:
    whole = raw(spark, sources)
    # Looking for an empty line letter by letter is for the few that do not begin as events do.
    lines = whole.filter(F.col("value").startswith("{") | (F.length(F.trim("value", F.lit(" \t\r"))) > 0))
    lines = lines.withColumns({"file_id": F.xxhash64("uri"), "mark": F.xxhash64("value")})
    return _with(what, spark, lines, whole, sources)


def _json_lines(spark: SparkSession, sources: Sequence[Source]) -> DataFrame:
    schema = StructType([*EVENT.fields, StructField(CORRUPT, StringType())])
    lines = _text(spark, sources, "prefix")
    said = F.from_json("value", schema, {"columnNameOfCorruptRecord": CORRUPT})
    lines = lines.withColumn("event", F.when(F.is_valid_utf8("value"), said))
    broken = F.col(f"event.{CORRUPT}").isNotNull() | F.col("event").isNull()
    reason = F.when(F.col("event").isNull() & ~F.is_valid_utf8("value"), NOT_UTF_8).when(broken, NOT_AN_EVENT).otherwise(_flaw())
    run = F.concat("prefix", "event.run_id")
    return lines.select("file_id", "mark", run.alias("run"), reason.alias("reason"), F.col("event").dropFields(CORRUPT).alias("event"))


def _edn(spark: SparkSession, sources: Sequence[Source]) -> DataFrame:
    from . import edn

    # Where a line begins stands for its index where it has none: later lines of a file have larger ones.
    place = (F.col("block") + F.monotonically_increasing_id().bitwiseAND((1 << 33) - 1)).alias("place")
    lines = _text(spark, sources, "run").select("value", "file_id", "mark", "run", place)
    events = edn.parsed(lines)
    return events.select("file_id", "mark", "run", F.coalesce("reason", _flaw()).alias("reason"), "event")


def _parquet(spark: SparkSession, sources: Sequence[Source]) -> DataFrame:
    paths = [_escaped(str(source.path)) for source in sources]
    event = F.struct(*(F.col(field.name).cast(field.dataType).alias(field.name) for field in EVENT.fields))
    stored = spark.read.schema(STORED).parquet(*paths)
    rows = stored.select(F.col("_metadata.file_path").alias("uri"), F.col("_metadata.row_index").alias("mark"), event.alias("event"))
    rows = _with("prefix", spark, rows.withColumn("file_id", F.xxhash64("uri")), stored, sources)
    return rows.select("file_id", "mark", F.concat("prefix", "event.run_id").alias("run"), _flaw().alias("reason"), "event")


def _flaw() -> Column:
    """What a readable event lacks, or null."""
    version = F.col("event.schema_version")
    flaw = F.when(version != VERSION, F.concat(F.lit("schema version "), version, F.lit(f" is not known, expected {VERSION}")))
    for name in NEEDED:
        flaw = flaw.when(F.col(f"event.{name}").isNull(), f"has no {name}")
    wrong = F.concat(F.lit("type is "), F.col("event.type"), F.lit(f", expected {', '.join(OUTCOMES)}"))
    return flaw.when(~F.col("event.type").isin(*OUTCOMES), wrong)


def _escaped(path: str) -> str:
    """A path is a path, and no pattern."""
    return "".join(f"\\{letter}" if letter in "\\{}[]*?" else letter for letter in path)
