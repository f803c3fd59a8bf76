"""Records in buckets of whole logs, as Spark itself would have them: by its hash of the run and the log, and in order.

So a plan that reads them joins and groups by log without a shuffle.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fencepost.pipeline.laws import history_columns
from fencepost.pipeline.laws.columns import NONE, Ints

MOST_ROWS = 1_000_000
"""A larger bucket is several files, each of which a task can hold and sort."""
_SEED = 42
_REPEATED = ["run", "log", "kind", "process", "f", "ty", "iso"]
_32 = 0xFFFFFFFF


def bucket_of(records: pa.Table, buckets: int) -> Ints:
    """The bucket of each record."""
    run, log = history_columns.words(_whole(records["run"])), history_columns.words(_whole(records["log"]))
    logs, of_row = np.unique(run.codes * (len(log.words) + 1) + log.codes, return_inverse=True)
    named = zip(*(part.tolist() for part in np.divmod(logs, len(log.words) + 1)), strict=True)
    of_runs = [hashed(name, _SEED) for name in run.words]
    found = np.array([_signed(hashed(log.words[own], of_runs[of])) % buckets for of, own in named], np.int64)
    return found[of_row]


def hashed(text: str, seed: int) -> int:
    """Spark's hash of a text (`hash`, Murmur3 of 32 bits): whole words first, and then byte after byte."""
    said = text.encode()
    whole = len(said) & ~3
    h = seed & _32
    for place in range(0, whole, 4):
        h = _mixed(h, int.from_bytes(said[place : place + 4], "little"))
    for byte in said[whole:]:
        h = _mixed(h, byte - 256 if byte > 127 else byte)
    h ^= len(said)
    h = (h ^ h >> 16) * 0x85EBCA6B & _32
    h = (h ^ h >> 13) * 0xC2B2AE35 & _32
    return h ^ h >> 16


def write(tables: Iterable[pa.Table], folder: Path, bucket: int) -> None:
    """The records of a bucket as files, which appear only when they are whole; a repeated task replaces them."""
    unfinished = [_written(table, folder, bucket) for table in _together(tables)]
    for old in folder.glob(f"part-*_{bucket:05}.c000.parquet"):
        old.unlink()
    for number, path in enumerate(unfinished):
        os.replace(path, folder / f"part-{number:05}_{bucket:05}.c000.parquet")


def put(table: pa.Table, path: Path) -> None:
    """A table as a file, which appears only when it is whole."""
    unfinished = path.with_name(f".{path.stem}.{uuid4().hex}")
    pq.write_table(table, unfinished, compression="lz4", use_dictionary=False)
    os.replace(unfinished, path)


def _together(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    for table in tables:
        if waiting and sum(map(len, waiting)) + len(table) > MOST_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
        waiting.append(table)
    if waiting:
        yield pa.concat_tables(waiting)


def _written(table: pa.Table, folder: Path, bucket: int) -> Path:
    path = folder / f".part-{bucket:05}.{uuid4().hex}"
    pq.write_table(table.take(pa.array(_order(table))), path, compression="lz4", use_dictionary=_REPEATED)
    return path


def _order(table: pa.Table) -> Ints:
    """The order (`tables.ORDER`) of texts by their bytes, a missing one first."""
    keys = [_ranks(table[name]) for name in ("run", "log", "kind", "process")]
    keys += [history_columns.numbers(_whole(table[name])) for name in ("op", "mop")]
    return np.lexsort(keys[::-1])


def _ranks(column: pa.ChunkedArray) -> Ints:
    words = history_columns.words(_whole(column))
    rank = np.empty(len(words.words) + 1, np.int64)
    rank[sorted(range(len(words.words)), key=lambda place: words.words[place].encode())] = np.arange(len(words.words))
    rank[-1] = NONE
    found: Ints = rank[words.codes]
    return found


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _mixed(h: int, word: int) -> int:
    k = word * 0xCC9E2D51 & _32
    k = (k << 15 | k >> 17) & _32
    h ^= k * 0x1B873593 & _32
    h = (h << 13 | h >> 19) & _32
    return h * 5 + 0xE6546B64 & _32


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number
