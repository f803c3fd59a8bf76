"""The results of all runs as one table: a row for each requirement that a run knows, stored as Parquet.

Each `compliance.json` is one document, read with an explicit schema. A document that cannot be used is left out as a whole, since half
a run would look like a whole one with requirements missing; the few of them are read once more to report why.
"""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from fencepost.contract import parity
from fencepost.pipeline import local

from .facts import VERDICTS
from .folders import ResultSource, UnreadableFolder

VERSION = 1
_CORRUPT = "_corrupt"
_ID = "^[A-Z0-9]+-[0-9]{2,3}$"


def _struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


DOCUMENT = _struct(
    schema_version=IntegerType(),
    fencepost=StringType(),
    complete=BooleanType(),
    started=StringType(),
    seconds=DoubleType(),
    system=_struct(
        name=StringType(),
        version=StringType(),
        profile=StringType(),
        labels=MapType(StringType(), StringType()),
        image=_struct(name=StringType(), digest=StringType()),
        defect=StringType(),
        known_as=StringType(),
    ),
    selection=_struct(
        only=ArrayType(StringType()),
        levels=ArrayType(StringType()),
        skip=ArrayType(StringType()),
        themes=ArrayType(StringType()),
        pytest=StringType(),
    ),
    editions=MapType(StringType(), StringType()),
    requirements=ArrayType(
        _struct(
            id=StringType(),
            level=StringType(),
            source=StringType(),
            provisional=BooleanType(),
            verdict=StringType(),
            reason=StringType(),
            evidence=LongType(),
            scenarios=ArrayType(_struct(name=StringType())),
        )
    ),
    histories=_struct(
        anomalies=ArrayType(_struct(requirement=StringType(), anomaly=StringType(), red=BooleanType(), witness=StringType())),
    ),
    **{_CORRUPT: StringType()},
)

ROW = _struct(
    system=StringType(),
    version=StringType(),
    profile=StringType(),
    defect=StringType(),
    image=StringType(),
    labels=ArrayType(StringType()),
    known_as=StringType(),
    run=StringType(),
    started=TimestampType(),
    seconds=DoubleType(),
    complete=BooleanType(),
    narrowed=BooleanType(),
    fencepost=StringType(),
    requirement=StringType(),
    level=StringType(),
    source=StringType(),
    provisional=BooleanType(),
    edition=StringType(),
    verdict=StringType(),
    reason=StringType(),
    evidence=LongType(),
    scenarios=IntegerType(),
    anomalies=ArrayType(StringType()),
)


def store(spark: SparkSession, sources: Sequence[ResultSource], folder: Path) -> list[UnreadableFolder]:
    """Write the rows of these runs; returns what could not be used."""
    _rows(_documents(spark, sources).filter("flaw is null")).write.mode("overwrite").parquet(str(folder))
    kept = {row.run for row in read(spark, folder).select("run").distinct().collect()}
    left = [source for source in sources if source.run not in kept]
    if not left:
        return []
    flaws = {row.run: row.flaw for row in _documents(spark, left).select("run", "flaw").collect()}
    return [UnreadableFolder(source.run, flaws.get(source.run) or "changed while it was read") for source in left]


def read(spark: SparkSession, folder: Path) -> DataFrame:
    """The rows as they were stored."""
    return spark.read.schema(ROW).parquet(str(folder))


def _documents(spark: SparkSession, sources: Sequence[ResultSource]) -> DataFrame:
    """Each run's document (`run`, `document`), and its `flaw` where it cannot be used."""
    texts = spark.read.text([_escaped(str(source.path)) for source in sources], wholetext=True)
    path = F.url_decode(F.replace(F.regexp_replace("_metadata.file_path", "^file:/+", "/"), F.lit("+"), F.lit("%2B")))
    names = local.table(spark, "path string, run string", [(str(source.path), source.run) for source in sources])
    texts = texts.select("value", path.alias("path")).join(F.broadcast(names), "path")
    documents = texts.select("run", "value", F.from_json("value", DOCUMENT, {"columnNameOfCorruptRecord": _CORRUPT}).alias("document"))
    return documents.withColumn("flaw", _flaw()).drop("value")


def _flaw() -> Column:
    """Why a document cannot be used, or null. Another version is named as such, whatever shape it has."""
    document = F.col("document")
    version = F.get_json_object("value", "$.schema_version")
    broken = document.isNull() | document[_CORRUPT].isNotNull()
    flaw = (
        F.when(~F.is_valid_utf8("value"), "not UTF-8")
        .when(broken & (version != str(VERSION)), _unknown_version(version))
        .when(broken, "not one JSON object of the published fields; the file may be cut off")
        .when(document.schema_version.isNull(), "has no schema_version")
        .when(document.schema_version != VERSION, _unknown_version(document.schema_version.cast("string")))
        .when(document.system["name"].isNull(), "has no system.name")
        .when(document.complete.isNull(), "does not say whether it is complete")
        .when(document.started.isNull(), "does not say when it started")
        .when(_time(document.started).isNull(), F.concat(F.lit("started is not a time: "), F.left(document.started, F.lit(40))))
        .when(document.requirements.isNull() | (F.size(document.requirements) == 0), "has no requirements")
    )
    ids = F.transform(document.requirements, lambda row: row.id)
    strange = F.filter(document.requirements, lambda row: row.verdict.isNull() | ~row.verdict.isin(*VERDICTS))
    return (
        flaw.when(F.exists(ids, lambda name: name.isNull() | ~name.rlike(_ID)), "has a requirement without a proper id")
        .when(F.size(F.array_distinct(ids)) < F.size(ids), "has a requirement twice")
        .when(
            F.size(strange) > 0,
            F.concat(
                F.lit("the verdict on "),
                strange[0].id,
                F.lit(" is "),
                F.coalesce(F.left(strange[0].verdict, F.lit(40)), F.lit("missing")),
                F.lit(f", expected one of {', '.join(VERDICTS)}"),
            ),
        )
    )


def _unknown_version(version: Column) -> Column:
    return F.concat(F.lit("schema version "), F.left(version, F.lit(40)), F.lit(f" is not known, expected {VERSION}"))


def _time(text: Column) -> Column:
    """The time in a text, or null; only years that the calendars of other programs know."""
    time = F.try_to_timestamp(text)
    return F.when(F.year(time).between(1970, 9999), time)


def _rows(documents: DataFrame) -> DataFrame:
    document, one = F.col("document"), F.col("one")
    chosen = document.selection
    # Older results have neither of these two.
    is_skipping, has_themes = (F.coalesce(F.size(said) > 0, F.lit(False)) for said in (chosen.skip, chosen.themes))
    narrowed = (F.size(chosen.only) > 0) | (F.size(chosen.levels) > 0) | is_skipping | has_themes | chosen.pytest.isNotNull()
    # An anomaly in the history of a scenario is red whatever the scenario says, unless the run itself explains it.
    mine = F.filter(document.histories.anomalies, lambda found: found.red & (found.requirement == one.id))
    anomalies = F.transform(mine, lambda found: F.concat_ws(": ", found.anomaly, found.witness))
    columns = {
        "system": document.system["name"],
        "version": document.system.version,
        "profile": document.system.profile,
        "defect": document.system.defect,
        "image": _image(document.system.image),
        "labels": _labels(document.system.labels),
        "known_as": document.system.known_as,
        "run": F.col("run"),
        "started": _time(document.started),
        "seconds": document.seconds,
        "complete": document.complete,
        "narrowed": F.coalesce(narrowed, F.lit(False)),
        "fencepost": document.fencepost,
        "requirement": one.id,
        "level": one.level,
        "source": F.when(one.source == "observed", parity.SOURCE).otherwise(one.source),  # as it was called before
        "provisional": F.coalesce(one.provisional, F.lit(False)),  # older results have no editions
        "edition": _edition(document.editions),
        "verdict": one.verdict,
        "reason": one.reason,
        "evidence": one.evidence,
        "scenarios": F.coalesce(F.size(one.scenarios), F.lit(0)),
        "anomalies": F.coalesce(anomalies, F.array().cast("array<string>")),
    }
    # Not `explode`, for which Spark would look whether there is anything in it, by reading every document a second time.
    rows = documents.select("run", "document", F.explode_outer(document.requirements).alias("one"))
    return rows.select(*(columns[field.name].cast(field.dataType).alias(field.name) for field in ROW))


def _edition(editions: Column) -> Column:
    """The edition by which a run was judged, several with commas; null for older results and where there was none."""
    names = F.array_sort(F.array_distinct(F.filter(F.map_values(editions), lambda one: one.isNotNull())))
    return F.when(F.size(names) > 0, F.array_join(names, ", "))


def _image(image: Column) -> Column:
    """Its name, followed by the digest if one is known; null for a system that was not started from an image, and in older results."""
    digest = F.when(image.digest.isNotNull() & ~F.contains(image["name"], image.digest), F.concat(F.lit(" "), image.digest))
    return F.concat(image["name"], F.coalesce(digest, F.lit("")))


def _labels(labels: Column) -> Column:
    """`KEY=VALUE` each, in order; none in older results."""
    reported = F.transform(F.map_entries(labels), lambda one: F.concat(one.key, F.lit("="), F.coalesce(one.value, F.lit(""))))
    return F.coalesce(F.array_sort(reported), F.array().cast("array<string>"))


def _escaped(path: str) -> str:
    """A path, escaped so that it is no pattern."""
    return "".join(f"\\{letter}" if letter in "\\{}[]*?" else letter for letter in path)
