"""Whether a Parquet file is a history, by its footer: Spark would end the whole check at one that is cut off or has other columns."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import to_arrow_schema

from .schema import EVENT

_NEEDED = ("run_id", "idx", "type", "f", "op_id")


def flaw(path: Path) -> str | None:
    """Why this file cannot be read as a history, or None."""
    try:
        found = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        return f"not a whole Parquet file: {str(error).splitlines()[0]}"
    missing = [name for name in _NEEDED if name not in found.names]
    if missing:
        return f"not a history: it has no column {missing[0]}"
    for wanted in to_arrow_schema(EVENT):
        # Parquet files identify a process by its number.
        kind = pa.int64() if wanted.name == "process" else wanted.type
        if wanted.name in found.names and not _fits(found.field(wanted.name).type, kind):
            return f"not a history: its column {wanted.name} is {found.field(wanted.name).type}, expected {kind}"
    return None


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether Spark can read the one as the other: whole numbers of any width, and structures whose common fields fit."""
    if pa.types.is_struct(wanted):
        both = [name for name in (field.name for field in wanted) if pa.types.is_struct(found) and found.get_field_index(name) >= 0]
        return pa.types.is_struct(found) and all(_fits(found.field(name).type, wanted.field(name).type) for name in both)
    if pa.types.is_list(wanted):
        return (pa.types.is_list(found) or pa.types.is_large_list(found)) and _fits(found.value_type, wanted.value_type)
    if pa.types.is_map(wanted):
        return pa.types.is_map(found) and _fits(found.key_type, wanted.key_type) and _fits(found.item_type, wanted.item_type)
    if pa.types.is_integer(wanted):
        return bool(pa.types.is_signed_integer(found))
    if pa.types.is_string(wanted):
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    return bool(found == wanted)
