"""Small histories into tables: files to events to operations, in tasks that hold all of a run.

    files -> a task for some of them: lines to events, one Arrow stream for each bucket of whole runs
          -> one shuffle of these few rows
          -> a task for a bucket: events to operations and records, written as Parquet, each file whole or not there

A bucket's file has the same name in every task, and gets that name when it is whole, so that a repeated task adds nothing.
"""

import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline import local
from fencepost.pipeline.ingest.files import IngestSource

from .buckets import put
from .events import Block, events, events_of_edn
from .pairing import BAD, paired
from .ranges import BLOCK, blocks
from .streams import apart, packed, unpacked

MOST_BYTES, MOST_BYTES_A_FILE = 256 << 20, 32 << 20
"""Larger histories are divided (`sorting`). An event has 64 bytes or more, so that the laws can judge a file's run."""
_FILES = "part int, file_id long, path string, form string, prefix string, run string"
_STREAMS = "bucket int, stream binary"
_ARROW_STREAMS = pa.schema({"bucket": pa.int32(), "stream": pa.binary()})
_BAD = "file_id long, mark long, run string, reason string"
_Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def fits(sources: Sequence[IngestSource]) -> bool:
    """Whether these histories are small enough for this module."""
    sizes = [source.bytes if source.form in ("json", "edn") else MOST_BYTES for source in sources]
    return max(sizes) <= MOST_BYTES_A_FILE and sum(sizes) <= MOST_BYTES


def read(spark: SparkSession, sources: Sequence[IngestSource], folder: Path, buckets: int) -> DataFrame:
    """Write the tables of these histories to the folder; returns what could not be read: `file_id` (the place of the file among
    the sources), `mark` (its line), run, reason.
    """
    for name in ("ops", "records"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    files = [(number % buckets, number, str(one.path), one.form, one.prefix, one.run) for number, one in enumerate(sources)]
    parts = local.table(spark, _FILES, files).repartitionById(buckets, F.col("part"))
    streams = parts.mapInArrow(_reading(buckets), _STREAMS).repartitionById(buckets, F.col("bucket"))
    return streams.mapInArrow(_pairing(str(folder)), _BAD)


def _reading(buckets: int) -> _Task:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting: list[Block] = []
        size = 0
        for file in (row for batch in batches for row in batch.to_pylist()):
            if file["form"] == "edn":
                invoked: dict[str, int] = {}
                for block in blocks(Path(file["path"]), file["file_id"], ""):
                    yield from _streams(events_of_edn(block, file["run"], invoked), buckets)
                continue
            for block in blocks(Path(file["path"]), file["file_id"], file["prefix"]):
                waiting.append(block)
                size += len(block.said)
                if size > BLOCK:
                    yield from _streams(events(waiting), buckets)
                    waiting, size = [], 0
        if waiting:
            yield from _streams(events(waiting), buckets)

    return task


def _streams(table: pa.Table, buckets: int) -> Iterator[pa.RecordBatch]:
    """These events by buckets of whole runs."""
    run = table["run"].combine_chunks().dictionary_encode()
    names = [0 if name is None else zlib.crc32(name.encode()) % buckets for name in run.dictionary.to_pylist()]
    of_row = np.array([*names, 0])[run.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    for bucket, rows in apart(table, of_row):
        yield pa.RecordBatch.from_pydict({"bucket": [bucket], "stream": [packed(rows)]}, _ARROW_STREAMS)


def _pairing(folder: str) -> _Task:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        together: dict[int, list[pa.Table]] = {}
        for batch in batches:
            for bucket, stream in zip(batch["bucket"].to_pylist(), batch["stream"], strict=True):
                together.setdefault(bucket, []).append(unpacked(stream.as_buffer()))
        for bucket, tables in together.items():
            found = paired(pa.concat_tables(tables))
            for name, table in (("ops", found.operations), ("records", found.records)):
                put(table, Path(folder, name, f"part-{bucket:05}.parquet"))
            yield from found.bad.cast(BAD).to_batches()

    return task
