"""What the checker says of the suite's own runs: nothing of the honest reference, and its anomaly of each defect that a history shows."""

import json

import pytest
from commands import fencepost
from defect_runs import run_all

from fencepost.reference.defects import DEFECTS

SHOWN: dict[str, set[str]] = {}
"""Defects of which a history tells, and as what; the others break an answer, or a promise that only a scenario asks for."""

HONEST = "reference"


@pytest.fixture(scope="module")
def found(java: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:  # noqa: ARG001 it only skips
    """The anomalies of each: the whole suite on the honest reference, and its own requirement on each defect. One check judges them all."""
    folder = tmp_path_factory.mktemp("runs")
    runs: dict[str, tuple[str, ...]] = {HONEST: ()}
    runs |= {name: (f"--defect={name}", f"--only={DEFECTS[name].breaks}") for name in SHOWN}

    assert run_all([(folder / "in" / name, options) for name, options in runs.items()]) == {name: int(name != HONEST) for name in runs}
    fencepost("check", folder / "in", "--results", folder / "out", "--format", "json", expect=1)

    told = json.loads((folder / "out/verdict.json").read_text(encoding="utf-8"))
    assert told["quarantined"] == 0
    anomalies: dict[str, set[str]] = {name: set() for name in runs}
    for entry in told["runs"]:
        anomalies[entry["run"].split("/")[0]] |= set(entry["anomalies"])
    return anomalies


def test_the_honest_reference_shows_no_anomaly(found: dict[str, set[str]]) -> None:
    """Neither a definite one nor a possible one, in any scenario of the suite."""
    assert found[HONEST] == set()


@pytest.mark.parametrize("defect", SHOWN)
def test_a_defect_shows_as_its_anomaly(found: dict[str, set[str]], defect: str) -> None:
    """The history of the scenario that catches it tells the same, without having been asked."""
    assert found[defect] == SHOWN[defect]
