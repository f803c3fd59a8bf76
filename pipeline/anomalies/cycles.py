"""Information flows one way: the dependencies between operations have no cycle.

Edges are between operations. *wr*: the writer of a value, and who polled it. *ww* (inferred on demand): the writers of neighbouring
records of a log. *rw* (inferred on demand): who polled a record, and the writer of the next one.

Finding the cycles needs no walk over the whole graph. Operations are in the order of their completion; an edge from a later to an
earlier one is *backward*, and spans the operations between. Every strongly connected component lies within one union of such spans, an
island, since some edge must cross each cut backwards. So backward edges are filtered, spans are merged by a window, and each island is
solved by itself: components by SciPy, the shortest cycle of each by breadth-first search. A sound history has no backward edge and is
done after the filter.
"""

from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fencepost.pipeline import local
from fencepost.pipeline.derived import VALUE, HistoryTables
from fencepost.pipeline.shortest_cycle import shortest_cycle

from .anomaly import Anomaly, witness

_BOTH = frozenset({"send", "recv"})
_BACKWARD = frozenset({"backward"})
_EDGE = ("run", "a", "a_op", "b", "b_op", "kind")
_CYCLES = "run string, name string, ops array<long>, log string"


def write_cycle(history: HistoryTables) -> DataFrame:
    """G0: a cycle of writes alone. Kafka allows it, since it promises no isolation of writes. Found only when writes are inferred."""
    return _named(history, "G0")


def circular_flow(history: HistoryTables) -> DataFrame:
    """G1c: a cycle with a read. Definite when it has reads only; with inferred writes Kafka allows it, and it is possible."""
    return _named(history, "G1c")


def single_anti_dependency(history: HistoryTables) -> DataFrame:
    """G-single: a cycle with one anti-dependency; found only when these are inferred. Possible: no log promises serializability."""
    return _named(history, "G-single")


def anti_dependency_cycle(history: HistoryTables) -> DataFrame:
    """G2: a cycle with several anti-dependencies. Possible, as G-single."""
    return _named(history, "G2")


def _named(history: HistoryTables, name: str) -> DataFrame:
    rows = _cycles(history).filter(F.col("name") == name)
    definite = name == "G1c" and not (history.infer_ww or history.infer_rw)
    return witness(rows, F.col("ops"), definite=definite)  # type: ignore[arg-type]


def _cycles(history: HistoryTables) -> DataFrame:
    """All cycles, solved once for the four anomalies that read them."""
    return history.once("cycles", lambda: _solved(history))


def _solved(history: HistoryTables) -> DataFrame:
    spans = _spans(_backward(history)).persist()
    if spans.isEmpty():
        return local.table(history.tables.spark, _CYCLES)
    return _within(_edges(history), spans).groupBy("run", "island").applyInPandas(_solve, _CYCLES)


def _backward(history: HistoryTables) -> DataFrame:
    """The edges from a later to an earlier operation, except those to an operation on which no other depends.

    Backward reads were noticed, since reads of what was not yet written are rare. A reader that wrote nothing is in no cycle.
    """
    if history.infer_ww or history.infer_rw:
        return _edges(history).filter(F.col("b") < F.col("a")).select("run", "a", "b")
    writers = history.of("send").select("run", "op").distinct()
    reads = history.suspected("backward").join(writers, ["run", "op"], "left_semi")
    return reads.select("run", F.col("w_at").alias("a"), F.col("at").alias("b"))


def _edges(history: HistoryTables) -> DataFrame:
    """(run, a, b, kind): b depends on a. Operations are called by their completion; `a_op` and `b_op` are their names."""
    # Only the reads of a careful reader show the order; a refused write has none.
    written = history.values.filter(F.col("sent") & ~F.col("reused") & F.col("known_committed"))
    writers = written.select(*VALUE, F.col("at").alias("a"), F.col("op").alias("w_op"), "first_rank")
    reads = history.of("recv").filter((F.col("iso") != "ru") & (F.col("ty") == "ok"))
    wr = reads.join(writers.hint("merge"), list(VALUE)).filter(F.col("op") != F.col("w_op"))
    edges = wr.select("run", "a", "w_op", F.col("at").alias("b"), "op", F.lit("wr").alias("kind")).toDF(*_EDGE)
    if history.infer_ww:
        after = writers.select(
            "run", "log", (F.col("first_rank") - 1).alias("first_rank"), F.col("a").alias("b"), F.col("w_op").alias("b_op")
        )
        ww = writers.join(after, ["run", "log", "first_rank"]).filter(F.col("a") != F.col("b"))
        edges = edges.unionByName(ww.select("run", "a", "w_op", "b", "b_op", F.lit("ww")).toDF(*_EDGE))
    if history.infer_rw:
        after = writers.select("run", "log", (F.col("first_rank") - 1).alias("rank"), F.col("a").alias("b"), F.col("w_op").alias("b_op"))
        last = (
            history.reads.filter((F.col("iso") != "ru") & (F.col("ty") == "ok"))
            .groupBy("run", "log", "op", "at")
            .agg(F.max("rank").alias("rank"))
        )
        rw = last.join(after, ["run", "log", "rank"]).filter(F.col("at") != F.col("b"))
        edges = edges.unionByName(rw.select("run", "at", "op", "b", "b_op", F.lit("rw")).toDF(*_EDGE))
    return edges


def _spans(backward: DataFrame) -> DataFrame:
    """The unions of what backward edges span, numbered: `lo` and `hi` are their first and last operation."""
    order = Window.partitionBy("run").orderBy("lo")
    back = backward.select("run", F.col("b").alias("lo"), F.col("a").alias("hi"))
    reached = F.max("hi").over(order.rowsBetween(Window.unboundedPreceding, -1))
    back = back.withColumn("fresh", F.coalesce((F.col("lo") > reached).cast("int"), F.lit(1)))
    spans = back.withColumn("island", F.sum("fresh").over(order.rowsBetween(Window.unboundedPreceding, Window.currentRow)))
    return spans.groupBy("run", "island").agg(F.min("lo").alias("lo"), F.max("hi").alias("hi"))


def _within(edges: DataFrame, spans: DataFrame) -> DataFrame:
    """The edges that lie within one of the spans, with its number."""
    within = (F.col("e.run") == F.col("s.run")) & (F.least("e.a", "e.b") >= F.col("s.lo")) & (F.greatest("e.a", "e.b") <= F.col("s.hi"))
    rows = edges.alias("e").join(F.broadcast(spans).alias("s"), within)
    return rows.select(*(f"e.{name}" for name in _EDGE), "s.island").distinct()


def _solve(island: pd.DataFrame) -> pd.DataFrame:
    """One cycle for each component of an island: by the fewest kinds of edges that close one, whatever the order of the edges."""
    island = island.sort_values(["a", "b", "kind"])  # of two edges between the same operations, the anti-dependency gives way
    run = str(island["run"].iloc[0])
    names = dict(zip(island["a"], island["a_op"], strict=True)) | dict(zip(island["b"], island["b_op"], strict=True))
    nodes, ends = np.unique(island[["a", "b"]].to_numpy(), return_inverse=True)
    ends = ends.reshape(-1, 2)
    kinds = island["kind"].to_numpy()
    found: list[dict[str, Any]] = []
    solved: set[int] = set()
    for name, allowed in (("G0", ["ww"]), ("G1c", ["wr", "ww"]), ("G2", ["wr", "ww", "rw"])):
        used = np.isin(kinds, allowed)
        graph = coo_array((np.ones(used.sum()), (ends[used, 0], ends[used, 1])), shape=(len(nodes), len(nodes)))
        _, labels = connected_components(graph, directed=True, connection="strong")
        inner = used & (labels[ends[:, 0]] == labels[ends[:, 1]])
        next_of: dict[int, dict[int, str]] = {}
        for (a, b), kind in zip(ends[inner].tolist(), kinds[inner], strict=True):
            next_of.setdefault(a, {})[b] = kind
        for label in sorted({int(labels[a]) for a in next_of}):
            members = {a for a in next_of if labels[a] == label}
            if solved & members:
                continue  # already known, as a cycle of fewer kinds
            cycle = shortest_cycle(next_of, members, min(members))
            solved |= members
            anti = sum(next_of[a][b] == "rw" for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
            called = "G-single" if name == "G2" and anti == 1 else name
            found.append({"run": run, "name": called, "ops": [int(names[nodes[node]]) for node in cycle], "log": None})
    return pd.DataFrame(found, columns=["run", "name", "ops", "log"])


ANOMALIES = (
    Anomaly(
        "G0",
        "none: write isolation is not promised",
        "Jepsen",
        write_cycle,
        _BOTH,
        "writes of several operations are in a cycle",
        allowed=True,
        shows=_BACKWARD,
    ),
    Anomaly(
        "G1c",
        "nobody reads what depends on himself",
        "KIP-98; Jepsen",
        circular_flow,
        _BOTH,
        "operations read in a circle what they wrote",
        shows=_BACKWARD,
    ),
    Anomaly(
        "G-single",
        "none: logs are not serializable",
        "Adya",
        single_anti_dependency,
        _BOTH,
        "operations depend on each other in a circle, by one anti-dependency",
        allowed=True,
        shows=_BACKWARD,
    ),
    Anomaly(
        "G2",
        "none: logs are not serializable",
        "Adya",
        anti_dependency_cycle,
        _BOTH,
        "operations depend on each other in a circle, by several anti-dependencies",
        allowed=True,
        shows=_BACKWARD,
    ),
)
