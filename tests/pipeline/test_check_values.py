"""The values table: what its docstring shows is what it makes."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from check_histories import write

from fencepost.pipeline import value_rows as values_module

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

EXAMPLE = """
    p0 ok send tx=T1 log<a@0
    p0 ok commit tx=T1
    p0 ok send tx=T2 log<b@1
    p0 ok abort tx=T2
    p0 ok send tx=T3 log<c@3
    p0 info commit tx=T3
    p1 ok send tx=T4 log<d@4
    p1 ok commit tx=T4
    p2 ok poll log>a@0 log>d@4 log>d@6
"""
"""The log of the docstring: the marker of the abort is at offset 2, and that of the last commit at 5."""


def documented() -> dict[str, tuple[str, ...]]:
    """The second table of the docstring: value to its cells."""
    _, _, shown = (values_module.__doc__ or "").partition("and what `values` makes of it:")
    head, *rows = [line.replace(", ", ",").split() for line in shown.splitlines() if line.startswith("    ")][:5]
    assert head == ["v", "known_committed", "read_committed", "offsets", "first_offset", "last_offset", "first_rank", "last_rank"]
    return {row[0]: tuple(row[1:]) for row in rows}


def test_the_worked_example_is_what_the_table_says(spark: "SparkSession", tmp_path: Path) -> None:
    """Each value of the docstring's log has the columns that the docstring gives it."""
    from fencepost.pipeline.derived import HistoryTables
    from fencepost.pipeline.start import find

    tables, bad = find([write(EXAMPLE, "run", tmp_path / "in")]).tables(spark, 1, tmp_path / "out")
    rows = HistoryTables(tables).values.collect()

    assert bad == 0
    assert {row.v: cells(row) for row in rows} == documented()


def cells(row: object) -> tuple[str, ...]:
    """A row's columns in the docstring's words."""
    named = [getattr(row, name) for name in ("known_committed", "read_committed", "offsets")]
    ends = [getattr(row, name) for name in ("first_offset", "last_offset", "first_rank", "last_rank")]
    offsets = ",".join(map(str, named.pop())) or "-"
    return (*(str(one).lower() for one in named), offsets, *("null" if one is None else str(one) for one in ends))
