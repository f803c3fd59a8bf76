"""Components of a graph, beside the plain definition that they stand for."""

from hypothesis import given
from hypothesis import strategies as st

from fencepost.pipeline.laws.cycles import components

GRAPHS = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4, unique=True), max_size=8)


def reached(graph: dict[int, list[int]], start: int) -> set[int]:
    """Whoever can be reached from here, in one step or more."""
    found: set[int] = set()
    todo = [start]
    while todo:
        new = set(graph.get(todo.pop(), ())) - found
        found |= new
        todo += new
    return found


@given(GRAPHS)
def test_members_of_a_component_reach_each_other(graph: dict[int, list[int]]) -> None:
    """And nobody else both reaches them and is reached; whoever is alone is in no component."""
    everyone = {*graph, *(other for others in graph.values() for other in others)}
    reach = {one: reached(graph, one) for one in everyone}
    mutual = [{other for other in everyone if other in reach[one] and one in reach[other]} | {one} for one in everyone]

    found = components(graph)

    assert sorted(tuple(sorted(some)) for some in found) == sorted({tuple(sorted(some)) for some in mutual if len(some) > 1})


def test_a_long_ring_is_one_component() -> None:
    """The walk goes as deep as the ring is long, deeper than Python's own calls go."""
    size = 5_000

    assert components({one: [(one + 1) % size] for one in range(size)}) == [set(range(size))]
