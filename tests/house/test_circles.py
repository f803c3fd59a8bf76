"""No module imports one that imports it, by however many others: what is changed can be understood from below."""

from collections.abc import Mapping

import pytest
from imports import CHECKOUT, dotted, imported, imported_by, modules


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The modules that reach each other, group by group: two are in one circle when each is reached from the other."""
    reached = {module: _reached(graph, module) for module in graph}
    within = {module: frozenset(other for other in reached[module] if module in reached[other]) for module in graph}
    return {group for group in within.values() if group}


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """What is imported by a module, and by what it imports; itself only in a circle."""
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += graph[module]
    return found


def imports_among_ours() -> dict[str, set[str]]:
    """For each module those of ours that it imports; a name that is taken from a module is that module."""
    files = {dotted(module): CHECKOUT / module for module in modules()}
    graph = {}
    for name, path in files.items():
        taken = {one if one in files else one.rpartition(".")[0] for one in imported(path)}
        graph[name] = {one for one in taken if one in files and one != name}
    return graph


def test_there_is_no_circle() -> None:
    """Among all our modules, imports inside functions and for type checkers counted."""
    assert circles(imports_among_ours()) == set()


def test_imports_are_really_read() -> None:
    """Those of a module that is known to import, in each form, also inside a function."""
    graph = imports_among_ours()

    assert "fencepost.run.pytest_session" in graph["fencepost.cli.commands.run"]
    assert "fencepost.adapters.kafka.kafka_container_system" in graph["fencepost.adapters.kafka.kafka_registration"]
    assert len(graph) > 300
    assert imported_by("def f():\n    from . import a\n    from ..b import c\n    import fencepost.d", "fencepost.x.y") == {
        "fencepost.x.y.a",
        "fencepost.x.b.c",
        "fencepost.d",
    }


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [{"a", "b"}]),
        ({"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}, [{"b", "c", "d"}]),
        ({"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c", "a"}}, [{"a", "b"}, {"c", "d"}]),
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, []),
    ],
)
def test_circles_are_found(graph: dict[str, set[str]], found: list[set[str]]) -> None:
    """A circle of two, of several, two next to each other, and none where two ways lead to one module."""
    assert circles(graph) == {frozenset(one) for one in found}
