"""A run on a real broker in CI: what is red is asked again, and only what is not red again is let through, with a warning."""

import json
from pathlib import Path

import asked_again
import pytest
from asked_again import TIMES, RedOnce, judge_container
from forked import Finished

IMAGE = "fencepost/image:1"


def runs(
    monkeypatch: pytest.MonkeyPatch,
    *red: tuple[str, ...],
    anomalies: tuple[str, ...] = (),
    otherwise: str = "met",
    verdict: str = "violated",
) -> list[tuple[str, ...]]:
    """Each run is red for what its place says; the commands are noted. Red histories are those of the first run."""
    commands: list[tuple[str, ...]] = []

    def fencepost(*arguments: object, expect: int | tuple[int, ...], timeout: float) -> Finished:  # noqa: ARG001 - as the real one is called
        now = red[len(commands)]
        commands.append(tuple(map(str, arguments)))
        folder = Path(commands[-1][commands[-1].index("--results") + 1])
        folder.mkdir(exist_ok=True)
        reported = [{"requirement": name, "red": True} for name in anomalies if len(commands) == 1]
        rows = [{"id": name, "verdict": verdict if name in now else otherwise} for name in ("A-1", "A-2")]
        (folder / "compliance.json").write_text(json.dumps({"requirements": rows, "histories": {"anomalies": reported}}))
        code = 1 if (now and verdict != "blocked") or reported or otherwise != "met" else 0
        assert code in (expect if isinstance(expect, tuple) else (expect,)), f"exit code {code}"
        return Finished(code, "", "")

    monkeypatch.setattr(asked_again, "fencepost", fencepost)
    return commands


def test_a_run_that_is_not_red_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is repeated, and no warning is issued."""
    commands = runs(monkeypatch, ())

    assert (judge_container("pulsar", IMAGE, (), tmp_path), len(commands)) == (frozenset(), 1)


@pytest.mark.parametrize(("red", "anomalies"), [(("A-2",), ()), ((), ("A-2",))])
def test_what_is_red_once_is_reported(
    red: tuple[str, ...], anomalies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It alone is asked again, a scenario's verdict and a history's alike, and a warning names it."""
    commands = runs(monkeypatch, red, *[()] * TIMES, anomalies=anomalies)

    with pytest.warns(RedOnce, match="A-2"):
        found = judge_container("pulsar", IMAGE, ("--check", "--only=A-1,A-2"), tmp_path)

    assert found == {"A-2"}
    assert [[part for part in command if part.startswith("--only")] for command in commands[1:]] == [["--only=A-2"]] * TIMES
    assert all("--check" in command for command in commands)


def test_what_deviates_as_known_when_it_is_asked_again_is_not_red(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Though a run in which nothing is met ends with exit code 1."""
    runs(monkeypatch, ("A-2",), *[()] * TIMES, otherwise="known_deviation")

    with pytest.warns(RedOnce, match="A-2"):
        assert judge_container("pulsar", IMAGE, (), tmp_path) == {"A-2"}


def test_a_blocked_row_is_asked_again_although_the_run_does_not_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A known deviation that shows now and then may block a row; it is judged when it is asked again, or the test fails."""
    runs(monkeypatch, ("A-2",), *[()] * TIMES, verdict="blocked")
    with pytest.warns(RedOnce, match="A-2"):
        assert judge_container("kafka", IMAGE, (), tmp_path) == {"A-2"}

    runs(monkeypatch, ("A-2",), ("A-2",), verdict="blocked")
    with pytest.raises(AssertionError, match="red again: A-2"):
        judge_container("kafka", IMAGE, (), tmp_path)


def test_what_is_red_again_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where it is met in between."""
    runs(monkeypatch, ("A-2",), (), ("A-2",))

    with pytest.raises(AssertionError, match="red again: A-2"):
        judge_container("pulsar", IMAGE, (), tmp_path)
