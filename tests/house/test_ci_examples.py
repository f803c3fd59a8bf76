"""The CI examples: what strangers copy parses, asks for no rights, is pinned, and calls commands that exist."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from commands import CHECKOUT

from fencepost.cli.application import app

GITHUB = CHECKOUT / "examples/ci/github/fencepost.yml"
GITLAB = CHECKOUT / "examples/ci/gitlab/fencepost.gitlab-ci.yml"
BIN = Path(sys.executable).parent
VARIABLES = {"GITHUB_STEP_SUMMARY": "step.md", "SHA": "1a2b3c", "CI_COMMIT_SHORT_SHA": "1a2b3c"}
FAKE = """#!/usr/bin/env bash
{ printf '%q ' "$@"; echo; } >>called
exit "${FAKE_EXIT:-0}"
"""
REAL = f"""#!/usr/bin/env bash
exec {BIN}/fencepost "$@" --only KIP890-060
"""


def github() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(GITHUB.read_text(encoding="utf-8"))
    return loaded


def gitlab() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))
    return loaded


def scripts() -> Iterator[tuple[str, str]]:
    """Every script that calls fencepost, with the name of its job."""
    for job, reported in github()["jobs"].items():
        yield from ((f"github {job}", step["run"]) for step in reported["steps"] if "fencepost run" in step.get("run", ""))
    for job, reported in gitlab().items():
        yield from ((f"gitlab {job}", line) for line in reported.get("script", []))


SCRIPTS = dict(scripts())


def test_the_workflow_asks_for_no_more_than_it_needs() -> None:
    """It reads the repository, keeps no credentials, and ends by itself."""
    reported = github()

    assert reported["permissions"] == {"contents": "read"}
    assert set(reported[True]) == {"pull_request", "push"}  # YAML 1.1 reads `on` as true; never pull_request_target
    for job in reported["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 60
        checkouts = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert "secrets." not in GITHUB.read_text(encoding="utf-8")


def test_nothing_of_an_event_is_put_into_a_script() -> None:
    """`${{ }}` in a script runs what a pull request is called; values go through the environment."""
    assert [step["run"] for job in github()["jobs"].values() for step in job["steps"] if "${{" in step.get("run", "")] == []


def test_every_action_is_pinned_by_its_commit() -> None:
    """With the release in a comment, the same everywhere."""
    used = re.findall(r"uses: (\S+)(.*)", GITHUB.read_text(encoding="utf-8"))

    assert len(used) == 5
    for name, comment in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", name)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)
    assert len({name.partition("@")[0] for name, _ in used}) == len({name for name, _ in used})


def test_the_results_are_kept_whatever_became_of_the_run() -> None:
    """As an artifact, and in GitLab also as a report of tests."""
    uploads = [step for job in github()["jobs"].values() for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    kept = gitlab()[".fencepost"]["artifacts"]

    assert [(step["if"], step["with"]["path"]) for step in uploads] == [("always()", "results/reference"), ("always()", "results/broker")]
    assert kept["when"] == "always"
    assert kept["reports"]["junit"] == "results/*/junit.xml"


@pytest.mark.parametrize("job", SCRIPTS)
def test_every_call_is_one_that_the_command_line_takes(tmp_path: Path, job: str) -> None:
    """Command, options and values, as the shell hands them over."""
    ran(tmp_path, FAKE, SCRIPTS[job], expect=0)

    (called,) = (tmp_path / "called").read_text(encoding="utf-8").splitlines()

    name, *arguments = shlex.split(called)
    commands: Any = typer.main.get_command(app)
    commands.commands[name].make_context(name, arguments)


@pytest.mark.parametrize("code", range(5))
def test_the_exit_code_of_the_run_is_that_of_the_step(tmp_path: Path, code: int) -> None:
    """And a text says whose fault it is."""
    words = {0: "", 1: "does not conform", 2: "not the broker's doing", 3: "not the broker's doing", 4: "did not finish"}

    reported = ran(tmp_path, FAKE, SCRIPTS["github broker"], expect=code, FAKE_EXIT=str(code))

    assert words[code] in reported
    assert reported.count("::error::") == (1 if code else 0)


@pytest.mark.parametrize(("job", "page"), [("github reference", "step.md"), ("gitlab fencepost-reference", "summary.md")])
def test_the_jobs_without_a_broker_run(tmp_path: Path, job: str, page: str) -> None:
    """On one requirement: the results stand where the artifact is taken from, and the summary is written."""
    ran(tmp_path, REAL, SCRIPTS[job], expect=0)

    assert (tmp_path / "results/reference/junit.xml").is_file()
    assert (tmp_path / "results/reference/compliance.json").is_file()
    assert "1 of 1 requirement tested: 1 met" in (tmp_path / page).read_text(encoding="utf-8")


def ran(folder: Path, program: str, script: str, *, expect: int, **more: str) -> str:
    """What a script printed, run as GitHub runs it, with `program` in the place of fencepost."""
    (folder / "bin").mkdir()
    stand_in = folder / "bin/fencepost"
    stand_in.write_text(program, encoding="utf-8")
    stand_in.chmod(0o755)
    environment = {**os.environ, **VARIABLES, **more, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout
