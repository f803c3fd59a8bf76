"""What the tutorial does with containers: every command, in order, with the exit codes that it says."""

from pathlib import Path

import pytest
import tutorial
from commands import verdicts
from docker_here import IMAGE


@pytest.mark.docker(IMAGE)
def test_the_commands_of_the_tutorial_that_need_docker(tmp_path: Path) -> None:
    """A container, the same image under another name, and a broker that another process has started."""
    tutorial.run([one for one in tutorial.commands() if one.needs == "Docker"], tmp_path, tutorial.here(), 1_500)

    for run in ("kafka", "built", "own"):
        assert "met" in verdicts(tmp_path / "results" / run).values()
    assert verdicts(tmp_path / "results/built").keys() == verdicts(tmp_path / "results/kafka").keys()
