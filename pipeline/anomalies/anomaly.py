"""What an anomaly is: a name, the promise that it breaks, and a plan that finds its witnesses.

A plan takes a `HistoryTables` and returns rows of one form: the run, the log, the values and offsets concerned, the operations in the order
of the story, `definite` (it holds whatever the outcome of the transactions whose outcome is unknown) and a detail in words or null.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from fencepost.pipeline.derived import HistoryTables


@dataclass(frozen=True)
class Anomaly:
    """`needs` and one of `any_of` are what a history must have for the plan to find anything, and `shows` what its records and values
    must show (`neighbours`, `values`); `absence`: the witness is something missing, which is certain only when all lines of the run
    could be read; `allowed`: no system promises otherwise.
    """

    name: str
    promise: str
    source: str
    find: Callable[[HistoryTables], DataFrame]
    needs: frozenset[str]
    says: str
    any_of: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()
    absence: bool = False
    allowed: bool = False

    def concerns(self, history: HistoryTables) -> bool:
        """Whether there is anything for the plan to find."""
        there = self.needs <= history.present and (not self.any_of or bool(self.any_of & history.present))
        return there and (not self.shows or self.shows <= history.suspicious)


def witness(
    rows: DataFrame,
    ops: list[str | Column],
    values: list[str | Column] | Column | None = None,
    offsets: list[str | Column] | Column | None = None,
    definite: "Column | bool" = True,
    detail: "Column | None" = None,
) -> DataFrame:
    """These rows as witnesses."""

    def listed(items: list[str | Column] | Column | None, kind: str) -> Column:
        made = F.array(*items) if isinstance(items, list) else F.array() if items is None else items
        return F.array_compact(made.cast(f"array<{kind}>"))

    log = F.col("log") if "log" in rows.columns else F.lit(None).cast("string")
    sure = F.lit(definite) if isinstance(definite, bool) else F.coalesce(definite, F.lit(False))
    words = F.lit(None).cast("string") if detail is None else detail
    return rows.select(
        "run",
        log.alias("log"),
        listed(values, "string").alias("values"),
        listed(offsets, "bigint").alias("offsets"),
        listed(ops, "bigint").alias("ops"),
        sure.alias("definite"),
        words.alias("detail"),
    )
