"""Clauses: the table says which scenario asks which part of a statement, and a row of it that is wrong is reported."""

import json
import re
from pathlib import Path

import pytest
from commands import fencepost

from fencepost.catalogue import requirement_list
from fencepost.contract import clauses, register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.register import Register, Requirement
from fencepost.run import feature_lint

GOOD = """KIP1-01:
  "a retry is refused": [1]
  "and  no write appears": [2, 3]
  "a counter that only grows": "not tested: no client sees it"
  "twice": tested by KIP1-02
"""
FIELDS = {"level": "MUST", "source": "text", "section": "s", "check": "Look for a counter that only grows."}
ROWS = (
    Requirement.model_validate(FIELDS | {"id": "KIP1-01", "statement": "After a crash,  a retry is refused, and no write appears twice."}),
    Requirement.model_validate(FIELDS | {"id": "KIP1-02", "statement": "No write appears twice."}),
    Requirement.model_validate(FIELDS | {"id": "KIP1-03", "statement": "It is fast.", "planned": True}),
)


def faults(text: str, folder: Path) -> list[str]:
    path = folder / "clauses.yaml"
    path.write_text(text, encoding="utf-8")
    found = clauses.faults(path, {"KIP1-01": 3, "KIP1-02": 1}, Register({"kip1": ROWS}))
    return [fault.removeprefix(f"{folder}/") for fault in found]


def test_a_table_with_each_kind_of_row_is_clean(tmp_path: Path) -> None:
    """A clause has scenarios, another requirement or a reason; white space does not matter, nor does the text that has it."""
    assert faults(GOOD, tmp_path) == []


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        ("KIP1-01", "KIP1-04", "clauses.yaml:2: KIP1-04: is no tested requirement of this proposal; expected an id of the"),
        ("KIP1-01", "KIP1-03", "clauses.yaml:2: KIP1-03: is no tested requirement"),
        ("retry is", "retry was", "yaml:2: KIP1-01: 'a retry was refused' is neither in its statement nor in its check text; quote"),
        ("[1]", "[1, 4]", "clauses.yaml:2: KIP1-01: 'a retry is refused' has [4], and KIP1-01 has [1] to [3]; correct the number"),
        ("[1]", "[1, 0]", "has [0], and KIP1-01 has [1] to [3]"),
        ("[2, 3]", "[3]", "clauses.yaml:2: KIP1-01: no clause has [2]; name the clause that it tests, or remove the entry"),
        ("[2, 3]", "[]", "has []; expected the numbers of its scenarios, such as [1, 3], or 'tested by ID'"),
        ("[2, 3]", "[2, '3']", "has [2, '3']; expected the numbers"),
        ("[2, 3]", "3", "has 3; expected the numbers"),
        ("not tested: no client sees it", "not tested: ", "has 'not tested: '; expected the numbers"),
        ("tested by KIP1-02", "tested by KIP1-04", "clauses.yaml:5: KIP1-01: 'twice' has 'tested by KIP1-04'; expected the numbers"),
        ("tested by KIP1-02", "tested by KIP1-03", "has 'tested by KIP1-03'; expected"),
        ("tested by KIP1-02", "tested by KIP1-01", "has 'tested by KIP1-01'; expected"),
        (GOOD, "KIP1-02: {}\n", "clauses.yaml:1: KIP1-02: no clause has [1]"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_reported_with_the_remedy(before: str, after: str, reported: str, tmp_path: Path) -> None:
    """One fault in a good table is found, with file, line and id."""
    assert before in GOOD

    assert any(reported in fault for fault in faults(GOOD.replace(before, after), tmp_path)), faults(GOOD.replace(before, after), tmp_path)


@pytest.mark.parametrize("text", ["KIP1-01: [1, 2]\n", "- KIP1-01\n", 'KIP1-01:\n  "twice": [1]\n  "twice": [2]\n'])
def test_a_file_of_another_form_is_one_fault(text: str, tmp_path: Path) -> None:
    """With its line."""
    (fault,) = faults(text, tmp_path)

    assert re.match(r"clauses.yaml:\d", fault)


def test_a_wrong_entry_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the fault, with its place."""
    (tmp_path / "clauses.yaml").write_text('CORE-01:\n  "in every log": [1, 3]\n', encoding="utf-8")
    monkeypatch.setattr(clauses, "_path", lambda _: tmp_path / "clauses.yaml")
    monkeypatch.setattr(clauses, "_bundled_for", clauses._bundled_for.__wrapped__)

    with pytest.raises(DataFileError, match=r"clauses.yaml:2: CORE-01: 'in every log' has \[3], and CORE-01 has \[1] to \[2]"):
        clauses.of("CORE-01")


def test_the_bundled_clauses_are_clean() -> None:
    """They are linted with the features of their proposal, before a run begins."""
    assert [fault for spec in register.bundled().by_spec for fault in clauses.faults_of_bundled(spec)] == []


def test_a_fault_of_the_bundled_clauses_is_one_of_the_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a run with a wrong table does not begin."""
    monkeypatch.setattr(clauses, "faults_of_bundled", lambda spec: [f"{spec}/clauses.yaml:1: wrong"])

    assert feature_lint.faults_of_bundled.__wrapped__("core") == ("core/clauses.yaml:1: wrong",)


def test_a_requirement_is_explained_with_its_clauses() -> None:
    """Each clause with the scenarios that ask it, as they are listed."""
    out = fencepost("explain", "CORE-01", expect=0).out
    data = json.loads(fencepost("explain", "CORE-01", "--format", "json", expect=0).out)

    assert '"in every log that it wrote to"\n      [2] A transaction with writes to two logs commits\n' in out
    assert data["clauses"]["in every log that it wrote to"] == ["[2] A transaction with writes to two logs commits"]


def test_a_requirement_that_is_not_in_the_table_has_one_clause() -> None:
    """Its statement is not divided."""
    assert clauses.of("CORE-05") == {}
    assert "\nclauses\n" not in fencepost("explain", "CORE-05", expect=0).out


def test_a_clause_that_no_scenario_asks_is_on_the_page_of_its_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader learns what a green run does not say."""
    monkeypatch.setattr(clauses, "of", lambda _: {"twice": ["not tested: no client sees it"], "once": ["[1] A write"]})

    page = requirement_list.markdown(["core"])

    assert '- "twice": not tested: no client sees it\n' in page
    assert '- "once"' not in page
