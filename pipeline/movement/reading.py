"""Small histories into tables: files to events to operations, in tasks that hold all of a run.

    files -> a task for some of them: lines to events, one Arrow stream for each bucket of whole runs
          -> one shuffle of these few rows
          -> a task for a bucket: events to operations and records, written as Parquet, each file whole or not there

A bucket's file has the same name whoever writes it, and gets that name when it is whole, so that a task that is repeated adds nothing.
"""

import gzip
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline import local
from fencepost.pipeline.ingest.files import Source

from .events import Block, events, events_of_edn
from .pairing import BAD, Paired, paired

MOST_BYTES, MOST_BYTES_A_FILE = 256 << 20, 32 << 20
"""What is larger is read by plans, which divide files. An event has 64 bytes or more, so that a file's run is one that laws can judge."""
_BLOCK = 16 << 20
_FILES = "part int, file_id long, path string, form string, prefix string, run string"
_STREAMS = "bucket int, stream binary"
_ARROW_STREAMS = pa.schema({"bucket": pa.int32(), "stream": pa.binary()})
_BAD = "file_id long, mark long, run string, reason string"
_Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def fits(sources: Sequence[Source]) -> bool:
    """Whether these histories are read here."""
    sizes = [source.bytes if source.form in ("json", "edn") else MOST_BYTES for source in sources]
    return max(sizes) <= MOST_BYTES_A_FILE and sum(sizes) <= MOST_BYTES


def read(spark: SparkSession, sources: Sequence[Source], folder: Path, buckets: int) -> DataFrame:
    """Write the tables of these histories to the folder; the answer is what could not be read: `file_id` (the place of the file among
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
                yield from _streams(events_of_edn(_whole(Path(file["path"]), file["file_id"]), file["run"]), buckets)
                continue
            for block in _blocks(Path(file["path"]), file["file_id"], file["prefix"]):
                waiting.append(block)
                size += len(block.said)
                if size > _BLOCK:
                    yield from _streams(events(waiting), buckets)
                    waiting, size = [], 0
        if waiting:
            yield from _streams(events(waiting), buckets)

    return task


def _whole(path: Path, file_id: int) -> Block:
    """A file in one block."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        return Block(stream.read(), 1, file_id, "")


def _blocks(path: Path, file_id: int, prefix: str) -> Iterator[Block]:
    """A file in blocks of whole lines."""
    line, rest = 1, b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        while read := stream.read(_BLOCK):
            whole, newline, more = read.rpartition(b"\n")
            if newline:
                yield Block(rest + whole, line, file_id, prefix)
                line += (rest + whole).count(b"\n") + 1
                rest = b""
            rest += more
    if rest:
        yield Block(rest, line, file_id, prefix)


def _streams(table: pa.Table, buckets: int) -> Iterator[pa.RecordBatch]:
    """These events by buckets of whole runs."""
    run = table["run"].combine_chunks().dictionary_encode()
    names = [0 if name is None else zlib.crc32(name.encode()) % buckets for name in run.dictionary.to_pylist()]
    of_row = np.array([*names, 0])[run.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    for bucket in np.unique(of_row).tolist():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
            writer.write_table(table.filter(pa.array(of_row == bucket)).combine_chunks())
        yield pa.RecordBatch.from_pydict({"bucket": [bucket], "stream": [sink.getvalue().to_pybytes()]}, _ARROW_STREAMS)


def _pairing(folder: str) -> _Task:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        together: dict[int, list[pa.Table]] = {}
        for batch in batches:
            for bucket, stream in zip(batch["bucket"].to_pylist(), batch["stream"], strict=True):
                together.setdefault(bucket, []).append(pa.ipc.open_stream(stream.as_buffer()).read_all())
        for bucket, tables in together.items():
            found = paired(pa.concat_tables(tables))
            _write(found, Path(folder), bucket)
            yield from found.bad.cast(BAD).to_batches()

    return task


def _write(found: Paired, folder: Path, bucket: int) -> None:
    for name, table in (("ops", found.operations), ("records", found.records)):
        path = folder / name / f"part-{bucket:05}.parquet"
        unfinished = path.with_name(f".part-{bucket:05}.{uuid4().hex}")
        pq.write_table(table, unfinished, compression="lz4", use_dictionary=False)
        os.replace(unfinished, path)
