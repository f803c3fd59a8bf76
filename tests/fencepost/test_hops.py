"""From each requirement to everything that stands for it."""

import functools
import json
import re
from collections.abc import Callable
from importlib import resources

import pytest
from commands import CHECKOUT, fencepost

from fencepost.catalogue import traceability
from fencepost.catalogue.traceability import Hops, SourcePlace
from fencepost.contract import register

TESTED = [row.id for row in register.bundled().rows() if row.is_tested]


hops_of = functools.cache(traceability.of)


@functools.cache
def lines_of(file: str) -> list[str]:
    return (CHECKOUT / file).read_text(encoding="utf-8").splitlines()


def line_at(place: SourcePlace) -> str:
    """The line that a place names."""
    return lines_of(place.file)[place.line - 1]


def test_a_tested_requirement_has_every_hop() -> None:
    """Deviations are only where releases are known to have some."""
    missing = {
        requirement: hop
        for requirement in TESTED
        for hop in ("rules", "scenarios", "sentences", "branches", "defects")
        if not getattr(hops_of(requirement), hop)
    }

    assert missing == {}


@pytest.mark.parametrize(
    ("hop", "says"),
    [
        ("rules", lambda _, __, line: "Rule:" in line),
        ("scenarios", lambda _, what, line: what in line),
        ("sentences", lambda _, __, line: line.lstrip().startswith(("@", "def "))),
        ("branches", lambda requirement, _, line: f'"{requirement}"' in line),
        ("defects", lambda _, __, line: line.startswith(("@defect(", "@pair(", "@core_pair("))),
        ("deviations", lambda requirement, _, line: f"requirement: {requirement}" in line),
    ],
)
def test_the_line_that_a_hop_names_says_so(hop: str, says: Callable[[str, str, str], bool]) -> None:
    """A reader who follows it is where it promised."""
    hops = [(requirement, place) for requirement in TESTED for place in getattr(hops_of(requirement), hop)]

    assert hops
    assert [place.where for requirement, place in hops if not says(requirement, place.what, line_at(place))] == []


def test_every_deviation_is_the_hop_of_a_requirement() -> None:
    """None is lost on the way: as many as the files have entries."""
    folder = resources.files("fencepost.fixtures").joinpath("expectations")
    texts = [path.read_text(encoding="utf-8") for path in folder.iterdir()]
    entries = sum(text.count("\n- requirement: ") - text.count("\n- requirement: any\n") for text in texts)

    assert sum(len(hops_of(requirement).deviations) for requirement in TESTED) == entries > 0


def test_every_branch_is_the_hop_of_a_requirement() -> None:
    """A branch that names an unknown requirement is misspelt, or left over."""
    texts = [path.read_text(encoding="utf-8") for path in (CHECKOUT / "reference").rglob("*.py")]
    named = {name for text in texts for call in re.findall(r"\brule\(([^()]+)\)", text) for name in re.findall(r'"([A-Z0-9]+-\d+)"', call)}

    assert named == {row.id for row in register.bundled().rows() if traceability.of(row.id).branches}


def test_what_is_not_tested_has_no_scenarios() -> None:
    """Hops that are not there are empty, and no error."""
    planned = next(row.id for row in register.bundled().rows() if not row.is_tested)

    assert (traceability.of(planned).rules, traceability.of(planned).scenarios) == ((), ())


def test_the_hops_are_notified_to_people_and_to_programs() -> None:
    """The same places, each with file and line."""
    reported = fencepost("explain", "KIP890-160", expect=0).out
    data = json.loads(fencepost("explain", "KIP890-160", "--format", "json", expect=0).out)

    assert data["id"] == "KIP890-160"
    assert set(data["hops"]) == set(Hops.__dataclass_fields__)
    places = [f"{place['file']}:{place['line']}  {place['what']}" for hop in data["hops"].values() for place in hop]
    assert places
    assert [place for place in places if place not in reported] == []


def test_a_form_that_there_is_none_of_is_refused() -> None:
    """The error names those that there are."""
    err = fencepost("explain", "KIP890-160", "--format", "yaml", expect=2).err

    assert "table" in err
    assert "json" in err
