"""Metadata-driven transactions on a real Apache Pulsar: what a release that has them must be said to do, and one that has them not."""

from pathlib import Path

import pytest
from asked_again import judge_container
from commands import compliance, fencepost, verdicts
from docker_here import PULSAR_IMAGE

SCALABLE_IMAGE = "apachepulsar/pulsar:5.0.0-M1"
MET = ("PIP471-02", "PIP471-19", "PIP471-23", "PIP471-63", "PIP471-64")
DEVIATING = ("PIP471-57", "PIP471-60")
ONLY_IN_THE_STORE = "PIP471-07"


@pytest.mark.docker(SCALABLE_IMAGE)
def test_a_release_with_metadata_driven_transactions_is_judged(tmp_path: Path) -> None:
    """What it keeps, what it is known to lose, and what no client can see."""
    asked = ",".join((*MET, *DEVIATING, ONLY_IN_THE_STORE))

    red_once = judge_container("pulsar", SCALABLE_IMAGE, ("--spec", "pip471", f"--only={asked}"), tmp_path)

    found = {name: verdict for name, verdict in verdicts(tmp_path).items() if name not in red_once}
    expected = dict.fromkeys(MET, "met") | dict.fromkeys(DEVIATING, "known_deviation") | {ONLY_IN_THE_STORE: "not_offered"}
    assert found == {name: verdict for name, verdict in expected.items() if name not in red_once}


@pytest.mark.docker(PULSAR_IMAGE)
@pytest.mark.thorough
def test_a_release_without_them_has_no_verdict_on_them(tmp_path: Path) -> None:
    """It neither conforms nor fails, and the run says so."""
    said = fencepost(
        "run",
        "pulsar",
        "--container",
        PULSAR_IMAGE,
        "--spec",
        "pip471",
        "--only",
        "PIP471-02",
        "--results",
        tmp_path,
        expect=0,
        timeout=300,
    )

    assert "has no verdict: no selected requirement of PIP-471 (Fencepost edition 2026.12) could be tested on it" in said.out
    (row,) = [row for row in compliance(tmp_path)["requirements"] if row["id"] == "PIP471-02"]
    assert row["verdict"] == "not_offered"
