"""docs/tutorial.md: every command is one that there is, and those that need nothing but Python work in an empty environment.

The one that needs Java is run in tests/report/test_report_command.py, those that need Docker in tests/systems/test_real_tutorial.py.
"""

from pathlib import Path
from typing import Any

import pytest
import tutorial
import typer
from commands import compliance, fencepost, verdicts
from wheel import built, constraints

from fencepost.cli.application import app

FENCEPOST = [one for one in tutorial.commands() if one.words[0] == "fencepost"]


def test_the_tutorial_goes_all_the_way() -> None:
    """From the installation to the gate; what needs Docker or Java is marked, and no other mark is made up."""
    said = [one.line for one in tutorial.commands()]

    for part in (
        "pip install fencepost",
        "--defect",
        "--container",
        "--bootstrap",
        "--write-baseline",
        "--expectations",
        "--summary",
        "report",
    ):
        assert any(part in line for line in said), part
    assert {one.needs for one in tutorial.commands()} == {None, "Docker", "Java"}
    assert [line for line in said if "#" in line or line.endswith("\\")] == []
    for one in tutorial.commands():
        if one.words[0] == "docker" or ("--container" in one.words and "--plan" not in one.words):
            assert one.needs == "Docker", one.line


@pytest.mark.parametrize("line", [one.line for one in FENCEPOST])
def test_every_command_is_one_that_the_command_line_takes(line: str) -> None:
    """Also those that are run only where there is a Docker or a Java."""
    _, name, *arguments = next(one for one in FENCEPOST if one.line == line).words
    commands: Any = typer.main.get_command(app)

    if not name.startswith("--"):
        commands.commands[name].make_context(name, arguments)


def test_the_tutorial_works_from_the_wheel_in_an_empty_environment(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Command by command, with the exit codes that it says; the results are there that it speaks of. From the first defect on, the commands
    are those of this checkout, whose files are all in the wheel (test_wheel.py): to start a process takes longer than most runs.
    """
    wheel = built(tmp_path_factory)
    constraint = str(constraints(wheel, tmp_path_factory.mktemp("pip")))
    environment = {"PIP_CONSTRAINT": constraint, "PIP_QUIET": "1", "PIP_COMPILE": "0"}  # the commands compile what they need of it
    plain = [one for one in tutorial.commands() if one.needs is None]
    first = next(number for number, one in enumerate(plain) if "--defect" in one.words)

    printed = tutorial.run(plain[:first], tmp_path, environment, 1_500)
    for one in plain[first:]:
        if one.words[0] == "fencepost":
            fencepost(*one.words[1:], expect=one.code, cwd=tmp_path)

    results = tmp_path / "results"
    assert "fencepost 0.1.0" in printed
    assert compliance(results / "reference")["complete"] is True
    assert {"met", "violated"} <= set(verdicts(results / "broken").values())
    assert set(verdicts(results / "second").values()) == {"met", "known_deviation"}
    assert "newly red" in (tmp_path / "summary.md").read_text(encoding="utf-8")
