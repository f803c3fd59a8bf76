"""Scripts of reds: made of a scenario that is played on a defect, and run without anything of ours to import."""

import subprocess
import sys
from pathlib import Path

from compliance_files import write

from fencepost.contract.ports import KeepsExchanges
from fencepost.contract.registration import SpecifiedSystem
from fencepost.replay import replaying
from fencepost.replay.recorded_red import RecordedRed
from fencepost.results.compliance_document import ScenarioEntry, read
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection


def ran(script: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and last line of a script with these arguments."""
    finished = subprocess.run(
        [sys.executable, "-I", "-S", str(script), *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert finished.stderr == ""
    return finished.returncode, finished.stdout.splitlines()[-1]


def red_of(defect: str, requirement: str, number: int, folder: Path) -> str:
    """The script of a red of the reference with that defect."""
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": defect}), selection=Selection(only=(requirement,)))) as plays:
        play = next(one for one in plays if one.name.startswith(f"[{number}]"))
        shown = plays.judge(play)
    assert shown.result.violation is not None
    assert isinstance(shown.session, KeepsExchanges)
    run = read(write(folder / "run", {requirement: "violated"}))
    scenario = ScenarioEntry(feature=play.feature.path, name=play.name, verdict=shown.result.verdict, violation=shown.result.violation)
    red = RecordedRed(run, folder, requirement, scenario, shown.result.violation)
    return replaying.program(red, shown.session.kept_exchanges(), "the play")
