"""Tables of histories that are read as large ones are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.pipeline.ingest.files import IngestSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from fencepost.pipeline.tables import Tables


def sorted_tables(spark: "SparkSession", sources: Sequence[IngestSource], folder: Path, buckets: int = 1) -> "Tables":
    """Their tables in the folder."""
    from fencepost.pipeline.movement import sorting
    from fencepost.pipeline.tables import Tables

    tables = Tables(spark, folder, buckets)
    tables.keep(sorting.read(spark, sources, folder, buckets))
    return tables
