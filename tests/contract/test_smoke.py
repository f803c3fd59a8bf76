"""What a smoke run tests: thirty requirements of each protocol, each of which is informative."""

from pathlib import Path

import pytest

from fencepost.contract import proposals, register, smoke
from fencepost.contract.datafile import DataFileError
from fencepost.contract.gherkin import scenarios_of


def test_thirty_requirements_are_asked_of_each_protocol() -> None:
    """Enough to be informative, and few enough for a minute."""
    assert {protocol: len(ids) for protocol, ids in smoke.bundled().items()} == {"kafka": 30, "pulsar": 30}


def test_a_system_of_several_protocols_is_asked_for_all_of_them() -> None:
    """What both have is asked once."""
    both = smoke.requirements_for(["kafka", "pulsar"])

    assert set(both) == {*smoke.requirements_for(["kafka"]), *smoke.requirements_for(["pulsar"])}
    assert len(both) == len(set(both)) < 60
    assert smoke.requirements_for(["carrier-pigeon"]) == ()


def test_a_smoke_run_crashes_the_system_once() -> None:
    """A crash takes longer than all the rest, and a run without one does not test recovery."""
    for ids in smoke.bundled().values():
        tags = [scenario.tags for requirement in ids for _, scenario in scenarios_of(requirement)]
        assert sum("needs:crash" in one for one in tags) == 1


@pytest.mark.parametrize(
    ("ids", "fault"),
    [
        ("[CORE-01, CORE-1]", r"smoke.yaml:1: kafka.2: CORE-1 is not the id of a requirement"),
        ("[CORE-01, CORE-02, CORE-01]", r"kafka.3: CORE-01 appears twice"),
        ("[PIP31-01]", r"kafka.1: PIP31-01 does not bind systems that speak kafka"),
        ("[PIP31-07]", r"kafka.1: PIP31-07 is not tested, so it shows nothing"),
    ],
)
def test_a_requirement_that_reports_nothing_is_refused(ids: str, fault: str, tmp_path: Path) -> None:
    """With file, line and reason."""
    path = tmp_path / "smoke.yaml"
    path.write_text(f"kafka: {ids}\n", encoding="utf-8")

    with pytest.raises(DataFileError, match=fault):
        smoke.read(path, register.bundled(), proposals.bundled())
