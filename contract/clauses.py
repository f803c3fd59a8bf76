"""Clauses: which scenarios test which clause of a requirement's statement, or of its `check` text.

`features/<proposal>/clauses.yaml` has, by requirement, fragments of these texts, each with the numbers of its scenarios, `tested by ID` or
`not tested: REASON`. A requirement that is not there has one clause, which all its scenarios test.
"""

import functools
from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from . import gherkin, register
from .datafile import DataFileError, line_of, load
from .register import Register, Requirement

_EXPECTED = "expected the numbers of its scenarios, such as [1, 3], or 'tested by ID', another tested requirement, or 'not tested: REASON'"
_BY, NOT = "tested by ", "not tested: "


def of(requirement: str) -> dict[str, list[str]]:
    """The clauses of a bundled requirement, each with the names of its scenarios, or what tests it, or why it is not tested; empty if
    the requirement has one clause. Raises UnknownName, and DataFileError for a wrong entry.
    """
    known = register.bundled()
    spec = known.spec_of(requirement)
    entry = _bundled_for(spec).get(requirement, {})
    names = [scenario.name for _, scenario in gherkin.scenarios_of(requirement)]
    for loc, what in _faults_of_entry(requirement, entry, {requirement: len(names)}, known) if entry else ():
        raise DataFileError(f"{_path(spec)}:{line_of(_path(spec), *loc)}: {requirement}: {what}")
    return {
        _flow(fragment): [names[number - 1] for number in asking] if isinstance(asking, list) else [asking]
        for fragment, asking in entry.items()
    }


def faults_of_bundled(spec: str) -> Iterator[str]:
    """Every fault of the bundled clauses of a proposal."""
    known = register.bundled()
    yield from faults(_path(spec), {row.id: len(gherkin.scenarios_of(row.id)) for row in known.rows([spec]) if row.is_tested}, known)


def faults(path: Path | Traversable, counts: Mapping[str, int], known: Register) -> Iterator[str]:
    """Every fault of a file, as `file:line: ID: what; remedy`. `counts` has the number of scenarios of each tested requirement of its
    proposal.
    """
    try:
        table = _read(path)
    except DataFileError as error:
        yield str(error)
        return
    for identifier, entry in table.items():
        for loc, what in _faults_of_entry(identifier, entry, counts, known):
            yield f"{path}:{line_of(path, *loc)}: {identifier}: {what}"


def _faults_of_entry(
    identifier: str, entry: Mapping[str, Any], counts: Mapping[str, int], known: Register
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each with the keys that lead to its place."""
    if identifier not in counts:
        yield (identifier,), "is no tested requirement of this proposal; expected an id of the requirements.yaml next to this file"
        return
    for fragment, asking in entry.items():
        for what in _faults_of_clause(known[identifier], fragment, asking, counts[identifier], known):
            yield (identifier, fragment), f"{fragment!r} {what}"
    asked = {number for asking in entry.values() if isinstance(asking, list) for number in asking}
    if left := [f"[{number}]" for number in range(1, counts[identifier] + 1) if number not in asked]:
        yield (identifier,), f"no clause has {', '.join(left)}; name the clause that it tests, or remove the entry if there is one clause"


def _faults_of_clause(row: Requirement, fragment: str, asking: Any, count: int, known: Register) -> Iterator[str]:
    if not any(_flow(fragment) in _flow(text) for text in (row.statement, row.check)):
        yield "is neither in its statement nor in its check text; quote it word for word"
    match asking:
        case [_, *_] if all(type(number) is int for number in asking):
            yield from (f"has [{one}], and {row.id} has [1] to [{count}]; correct the number" for one in asking if not 1 <= one <= count)
        case str() if asking.startswith(NOT) and asking.removeprefix(NOT).strip():
            pass
        case str() if asking.startswith(_BY) and asking.removeprefix(_BY) != row.id and _is_tested(asking.removeprefix(_BY), known):
            pass
        case _:
            yield f"has {asking!r}; {_EXPECTED}"


def _is_tested(identifier: str, known: Register) -> bool:
    return identifier in known.by_id and known[identifier].is_tested


@functools.cache
def _bundled_for(spec: str) -> dict[str, dict[str, Any]]:
    return _read(_path(spec))


def _path(spec: str) -> Traversable:
    return resources.files("fencepost.features") / spec / "clauses.yaml"


def _read(path: Path | Traversable) -> dict[str, dict[str, Any]]:
    return load(path, dict[str, dict[str, Any]]) if path.is_file() else {}


def _flow(text: str) -> str:
    return " ".join(text.split())
