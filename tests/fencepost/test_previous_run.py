"""How long a run will take, by what an earlier run of the same system took."""

import json
from pathlib import Path
from typing import Any

import pytest

from fencepost.contract import register
from fencepost.contract.registration import SpecifiedSystem
from fencepost.run.identity import DeclaredSystem
from fencepost.run.options import RunOptions
from fencepost.run.plan import RunPlan, plan_of, show
from fencepost.run.previous_run import previous_run
from fencepost.run.selection import Selection

AT_AN_ADDRESS = SpecifiedSystem({"bootstrap": "127.0.0.1:9092"})
WAITS, ANSWERS = "CORE-17", "CORE-01"
SECONDS = {WAITS: 20.0, ANSWERS: 0.5}
TOOK_S = 81.0


def scenarios(of: str, seconds: float) -> dict[str, Any]:
    one = {"feature": "core/fencing.feature", "name": "[1] A write", "verdict": "violated", "seconds": seconds}
    return {"id": of, "level": "MUST", "verdict": "violated", "reason": None, "scenarios": [one]}


def earlier_run(folder: Path, **differing: Any) -> Path:
    """The results of a run of a broker at an address, of two requirements."""
    run = {
        "schema_version": 1,
        "fencepost": "0.1.0",
        "complete": True,
        "started": "2026-11-28T18:15:00+00:00",
        "seconds": TOOK_S,
        "system": {"name": "kafka", "version": "4.4", "image": None, "defect": None},
        "concurrency": {"most": 8, "kills": 0},
        "requirements": [scenarios(*one) for one in SECONDS.items()],
    }
    folder.mkdir(exist_ok=True)
    (folder / "compliance.json").write_text(json.dumps(run | differing))
    return folder


def options_of(results: Path, only: tuple[str, ...] = tuple(SECONDS), **more: Any) -> RunOptions:
    return RunOptions("kafka", AT_AN_ADDRESS, Selection(only=only), results=results, **more)


def planned(results: Path, only: tuple[str, ...] = tuple(SECONDS), workers: int = 1, **more: Any) -> RunPlan:
    options = options_of(results, only, **more).about_system(register.bundled())
    return plan_of(options, register.bundled(), workers, previous_run(options))


def test_the_same_run_takes_as_long_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With all that the broker was waited for in vain; the plan says which run that was."""
    results = earlier_run(tmp_path / "results")

    assert planned(results).seconds == pytest.approx(TOOK_S)
    show(options_of(results), register.bundled(), None, "table")
    assert "about 80 s, estimated from the run of 2026-11-28 18:15 UTC in " in capsys.readouterr().out


def test_a_part_of_it_takes_its_share_and_no_less_than_its_longest_scenario(tmp_path: Path) -> None:
    """A scenario that waited in vain waits as long when it is asked alone."""
    earlier_run(tmp_path, seconds=21.0)
    quick, waiting = planned(tmp_path, (ANSWERS,)).seconds, planned(tmp_path, (WAITS,)).seconds

    assert quick is not None
    assert SECONDS[ANSWERS] <= quick < 21.0 * 0.6
    assert waiting == SECONDS[WAITS]


def test_another_folder_may_be_named(tmp_path: Path) -> None:
    """By --previous, as for the summary."""
    before = earlier_run(tmp_path / "before")

    assert planned(tmp_path / "results", previous=before).seconds == pytest.approx(TOOK_S)


@pytest.mark.parametrize(
    "differing",
    [
        {"complete": False},
        {"concurrency": None},
        {"system": {"name": "ours"}},
        {"system": {"name": "kafka", "image": {"name": "apache/kafka:4.4.0"}}},
        {"schema_version": 2},
    ],
)
def test_a_run_that_does_not_compare_says_nothing(tmp_path: Path, differing: dict[str, Any]) -> None:
    """One that was stopped, asked one scenario at a time, judged another system, or cannot be read: the measured seconds hold."""
    plan, measured = planned(earlier_run(tmp_path, **differing)), planned(tmp_path / "none")

    assert plan.previous is None
    assert plan.seconds == measured.seconds


def test_what_the_system_is_called_keeps_it_from_others(tmp_path: Path) -> None:
    """A broker of one's own in the same folder."""
    earlier_run(tmp_path, system={"name": "ours"})

    assert planned(tmp_path, named=DeclaredSystem("ours")).previous is not None
    assert planned(tmp_path, named=DeclaredSystem("theirs")).previous is None
    assert planned(tmp_path, workers=2, named=DeclaredSystem("ours")).previous is None
