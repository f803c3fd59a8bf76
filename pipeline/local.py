"""Small tables that are made here, not read.

They come through Arrow: a Python worker would have to unpickle plain Python rows, and takes seconds to start.
"""

from collections.abc import Iterable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def table(spark: SparkSession, schema: str, rows: Iterable[tuple[object, ...]] = ()) -> DataFrame:
    """These rows, as a table of this schema in Spark's words."""
    arrow = columns(schema)
    return spark.createDataFrame(pa.Table.from_pylist([dict(zip(arrow.names, row, strict=True)) for row in rows], schema=arrow))


def columns(schema: str) -> pa.Schema:
    """The columns of a schema in Spark's words, as Arrow has them."""
    kinds = StructType.fromDDL(schema)
    assert isinstance(kinds, StructType), f"{schema} names columns"
    return to_arrow_schema(kinds)
