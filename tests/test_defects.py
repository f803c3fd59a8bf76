"""Each defect of the reference is caught by the scenario of its requirement, for its stated reason; no oddity is caught."""

from pathlib import Path

import pytest
from commands import compliance, fencepost, verdicts

from fencepost.reference.defects import DEFECTS, ODDITIES


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_a_defect_is_caught_for_its_reason(name: str, tmp_path: Path) -> None:
    """The scenario of the broken requirement is red, and what it says shows the symptom."""
    defect = DEFECTS[name]

    fencepost("run", "--defect", name, "--only", defect.breaks, "--results", tmp_path, expect=1)

    row = next(row for row in compliance(tmp_path)["requirements"] if row["id"] == defect.breaks)
    assert row["verdict"] == "violated"
    assert defect.shows_in(row["reason"]), row["reason"]


@pytest.mark.parametrize("name", sorted(ODDITIES))
def test_a_lawful_oddity_is_caught_by_nothing(name: str, tmp_path: Path) -> None:
    """Unusual order and timing that break no promise are no red."""
    fencepost("run", "--defect", name, "--results", tmp_path, expect=0)

    assert set(verdicts(tmp_path).values()) == {"met"}


def test_the_first_defects_are_there() -> None:
    """At least the five of the first slice, each with an origin and a requirement, and one oddity."""
    assert {defect.breaks for defect in DEFECTS.values()} >= {"KIP890-060", "KIP890-126", "KIP890-100", "KIP890-160", "KIP890-137"}
    assert all(defect.origin and defect.symptom for defect in DEFECTS.values())
    assert ODDITIES
