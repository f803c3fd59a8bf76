"""Tables in transit between tasks of Spark: few rows of packed bytes, which Spark moves at once, instead of millions of its own."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fencepost.pipeline.laws.columns import Ints


def packed(table: pa.Table) -> bytes:
    """A table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table.combine_chunks())
    said: bytes = sink.getvalue().to_pybytes()
    return said


def unpacked(said: bytes | pa.Buffer) -> pa.Table:
    """The table in these bytes."""
    return pa.ipc.open_stream(said).read_all()


def apart(table: pa.Table, bucket: Ints) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each bucket, in their order; one empty table of bucket 0 where there are no rows."""
    if not len(table):
        yield 0, table
        return
    order = np.argsort(bucket, kind="stable")
    there, starts = np.unique(bucket[order], return_index=True)
    sorted_rows = table.take(pa.array(order)) if len(there) > 1 else table
    for number, start, end in zip(there.tolist(), starts.tolist(), [*starts[1:].tolist(), len(table)], strict=True):
        yield number, sorted_rows.slice(start, end - start)
