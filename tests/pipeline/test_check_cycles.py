"""Cycles of one island: the answer is about its edges, and not about the order in which Spark hands them over."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from fencepost.pipeline.anomalies.cycles import _solve

OPERATION = st.integers(0, 4)
EDGES = st.sets(st.tuples(OPERATION, OPERATION, st.sampled_from(["wr", "ww", "rw"])).filter(lambda edge: edge[0] != edge[1]))


def cycles(edges: list[tuple[int, int, str]]) -> list[tuple[str, list[int]]]:
    """What is found among these edges; an operation's name is its number and 100."""
    rows = [("run", a, 100 + a, b, 100 + b, kind, 1) for a, b, kind in edges]
    found = _solve(pd.DataFrame(rows, columns=["run", "a", "a_op", "b", "b_op", "kind", "island"]))
    return list(zip(found["name"], found["ops"], strict=True))


@settings(deadline=None)
@given(EDGES.filter(bool).flatmap(lambda edges: st.tuples(st.permutations(sorted(edges)), st.permutations(sorted(edges)))))
def test_the_order_of_the_edges_changes_no_cycle(orders: tuple[list[tuple[int, int, str]], list[tuple[int, int, str]]]) -> None:
    """Neither its name nor its operations; and it is one: each operation is followed by an edge to the next."""
    one, other = orders

    found = cycles(one)

    assert found == cycles(other)
    pairs = {(a, b) for a, b, _ in one}
    for _, ops in found:
        assert {(a - 100, b - 100) for a, b in zip(ops, ops[1:] + ops[:1], strict=True)} <= pairs


def test_an_anti_dependency_beside_another_edge_is_not_reported() -> None:
    """Two operations of which one read what the other wrote, and wrote behind it as well: the cycle has one anti-dependency."""
    edges = [(1, 2, "wr"), (1, 2, "rw"), (2, 1, "rw")]

    assert [cycles(edges), cycles(edges[::-1])] == [[("G-single", [101, 102])]] * 2
