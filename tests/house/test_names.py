"""Names of modules and of public classes, which are hard to find where many have the same one."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGES = ("adapters", "benchmarks", "contract", "examples", "fencepost", "fixtures", "pipeline", "reference", "report", "steps", "wire")
NAMED_FOR_OTHERS = ("reference/defects/",)
"""Modules here have the names of the features whose requirements the defects in them break."""

MODULES_OF_PACKAGES = ("__init__", "__main__", "vocabulary")
"""Python and the kit look for modules of these names."""


def modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (path for path in (CHECKOUT / package).rglob("*.py") if not path.name.endswith("_pb2.py"))


def module_names(paths: Iterator[Path]) -> Mapping[str, list[str]]:
    """Each name of a module, with the modules that have it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        where = path.relative_to(CHECKOUT).as_posix()
        if path.stem not in MODULES_OF_PACKAGES and not where.startswith(NAMED_FOR_OTHERS):
            found[path.stem].append(where)
    return found


def class_names(sources: Iterator[tuple[str, str]]) -> Mapping[str, list[str]]:
    """Each name of a public class, with the modules that have it; `sources` are the modules by their place."""
    found: dict[str, list[str]] = defaultdict(list)
    for where, source in sources:
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(where)
    return found


def too_often(found: Mapping[str, list[str]], most: int) -> list[str]:
    """What stands more often than `most` times."""
    return [
        f"{name} stands {len(places)} times, expected {most} at most: {', '.join(sorted(places))}"
        for name, places in sorted(found.items())
        if len(places) > most
    ]


def test_no_module_name_stands_more_than_twice() -> None:
    """A module is found by its name."""
    assert too_often(module_names(modules()), 2) == []


def test_no_two_public_classes_share_a_name() -> None:
    """A class is found by its name."""
    sources = ((path.relative_to(CHECKOUT).as_posix(), path.read_text()) for path in modules())

    assert too_often(class_names(sources), 1) == []


def test_a_name_that_is_taken_is_found() -> None:
    """Private and nested classes may share a name; another public one may not."""
    found = class_names(iter([("a.py", "class Log: ..."), ("b.py", "class Log:\n  class Entry: ...\nclass _Entry: ..."), ("c.py", "")]))

    assert too_often(found, 1) == ["Log stands 2 times, expected 1 at most: a.py, b.py"]
