"""What a person sees while a run goes on: plain lines in a log, a live line on a terminal; the headline is the last line."""

import re
from pathlib import Path

import pytest
from commands import fencepost, fencepost_on_a_terminal

ESCAPE = "\x1b"
FEW = ("--no-html", "--only", "KIP890-060", "--only", "KIP890-061")


def test_a_log_has_plain_lines(tmp_path: Path) -> None:
    """What is judged, a line for each feature, the matrix, the headline last; no control code, and no text of pytest's own."""
    out = fencepost("run", *FEW, "--results", tmp_path / "r", expect=0, cwd=tmp_path).out

    lines = out.splitlines()
    assert lines[0] == "  judging reference: 4 scenarios of 2 requirements"
    assert re.fullmatch(r"  kip890/ending  4 of 4 met  \(\d+\.\d s\)", lines[1])
    assert "+060 +061" in out
    assert "conforms" in lines[-1]
    assert ESCAPE not in out
    assert not re.search(r"passed|deselected|\[100%\]|short test summary", out)


def test_reds_come_as_a_line_and_once_in_full(tmp_path: Path) -> None:
    """A line as it is found; after the scenarios all that is known; the matrix and the headline follow, and nothing else."""
    out = fencepost("run", *FEW, "--defect", "no-epoch-bump", "--results", tmp_path / "r", expect=1, cwd=tmp_path).out

    expected, seen = "success with (producer id 1000, epoch 1)", "success with (producer id 1000, epoch 0)"
    assert f"  X KIP890-060 [1] A commit of one record: expected {expected}; seen {seen}\n" in out
    assert out.count("KIP890-060 VIOLATED: the system under test does not do what the requirement says") == 3
    assert out.rindex("look at:") < out.index("X060")
    assert "does not conform" in out.splitlines()[-1]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_terminal_has_a_live_line(tmp_path: Path, workers: int) -> None:
    """It is drawn, it is gone in the end, and the cursor is there again."""
    code, written = fencepost_on_a_terminal("run", *FEW, "-n", workers, "--results", tmp_path / "r", cwd=tmp_path)

    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert code == 0, written
    assert re.search(r"\d:\d\d  collecting the scenarios", written)
    assert "judging reference: 4 scenarios of 2 requirements" in written
    assert written.rindex(shown) > written.rindex(hidden)
    end = written[written.rindex(shown) :]
    assert "+060" in end
    assert "collecting" not in end
    assert "kip890/ending  4 of 4" not in written
    assert re.search(r"reference\s+conforms[^+=]*$", end)


@pytest.mark.parametrize(("arguments", "environment"), [(("-q",), {}), ((), {"CI": "true"}), ((), {"TERM": "dumb"})])
def test_a_terminal_may_have_plain_lines(tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    """With -q, in CI and where the terminal cannot do more: nothing moves the cursor."""
    code, written = fencepost_on_a_terminal("run", *FEW, *arguments, "--results", tmp_path / "r", cwd=tmp_path, **environment)

    assert code == 0, written
    assert re.search(r"kip890/ending  4 of 4 met", written)
    assert not re.search(r"\x1b\[[\d?]*[A-Zhl]", written)


@pytest.mark.parametrize(("variable", "is_coloured"), [("FORCE_COLOR", True), ("NO_COLOR", False)])
def test_colours_are_the_user_s_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, is_coloured: bool) -> None:
    """FORCE_COLOR has them in a log too, but no live line; NO_COLOR nowhere."""
    monkeypatch.setenv(variable, "1")

    out = fencepost("run", *FEW, "--results", tmp_path / "r", expect=0, cwd=tmp_path).out

    assert ("\x1b[32m" in out) is is_coloured
    assert not re.search(r"\x1b\[[\d?]*[A-Zhl]", out)


def test_verbose_shows_each_scenario(tmp_path: Path) -> None:
    """With its verdict and its seconds, and the slowest at the end."""
    out = fencepost("run", *FEW, "-v", "--results", tmp_path / "r", expect=0, cwd=tmp_path).out

    assert re.search(r"  \+ KIP890-060 \[1\] A commit of one record: met \(\d+\.\d\d s\)\n", out)
    assert re.search(r"the slowest scenarios =+\n( +\d+\.\d\d s  KIP890-06[01] \[\d\] .*\n){4}\n", out)


def test_wrong_usage_is_one_line(tmp_path: Path) -> None:
    """With the one prefix, whichever part of the kit finds the mistake, and no line about the run that did not start."""
    for arguments in (("kafak",), ("--only", "KIP890-999"), ("kafka", "--bootstrap", "127.0.0.1:1")):
        finished = fencepost("run", *arguments, expect=2, cwd=tmp_path, timeout=120)

        assert finished.err.startswith("fencepost: ")
        assert finished.err.count("\n") == 1
        assert not re.search(r"deselected|ERROR|no tests ran", finished.out + finished.err)
