"""The profile of a broker at KIP-98's level: without KIP-890's second part, and with nothing that describes transactions."""

from pathlib import Path

import pytest
from commands import fencepost, verdicts
from played import in_process

PROFILE = "kip98"
SPECS = ("core", "kip890")
SEALING = {"CORE-43", "CORE-44", "CORE-45"}
IN_PART = "CORE-30"
"""Two transactions of one instance have one epoch there, so a repeated end is asked only after a new instance has got another epoch."""


def test_it_meets_all_that_it_can_be_asked() -> None:
    """By old clients, and by what readers see: of the core all but sealing, one row of it in part; of KIP-890 what does not need its second
    part.
    """
    shown = in_process(SPECS, "kafka", PROFILE)

    assert {one.verdict for one in shown.values()} == {"met", "not_offered"}
    met = {one.requirement for one in shown.values() if one.verdict == "met"}
    core = {row for row in met if row.startswith("CORE")}
    assert len(core) == 42
    assert len(met - core) >= 91


def test_a_repeated_end_is_asked_of_an_earlier_instance() -> None:
    """An end of the same instance cannot be asked, because its epoch is that of the open transaction."""
    shown = in_process(SPECS, "kafka", PROFILE)

    assert [one.verdict for _, one in sorted(shown.items()) if one.requirement == IN_PART] == ["not_offered", "not_offered", "met"]


@pytest.mark.parametrize("row", sorted(SEALING))
def test_what_it_cannot_be_asked_is_not_offered(row: str) -> None:
    """With the reason, and never met."""
    shown = in_process(SPECS, "kafka", PROFILE)

    assert {one.verdict for one in shown.values() if one.requirement == row} == {"not_offered"}


def test_a_run_of_what_it_does_not_offer_has_no_verdict(tmp_path: Path) -> None:
    """It neither conforms nor fails, and the run says so."""
    asked = ("--profile", PROFILE, "--only", "KIP890-060", "--no-html", "--results", tmp_path)

    said = fencepost("run", *asked, expect=0).out

    assert "has no verdict: no selected requirement of KIP-890 (Fencepost edition 2026.12) could be tested on it" in said
    assert verdicts(tmp_path) == {"KIP890-060": "not_offered"}
