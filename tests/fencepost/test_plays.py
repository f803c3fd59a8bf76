"""Plays next to pytest-bdd's own runner: both show the same. And the player: what becomes of a scenario that goes wrong."""

import gc
import json
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from fencepost.console.progress import Now
from fencepost.contract import history_files
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.evidence import Evidence
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import StepEnding
from fencepost.contract.ports import Exchange, Session
from fencepost.run import pytest_session, scenario_items
from fencepost.run.options import RunOptions
from fencepost.run.parallel.worker_status import Looking
from fencepost.run.plays import Plays, put
from fencepost.run.selection import Selection
from fencepost.steps.player import Player
from fencepost.steps.sentence import SentenceError, Vocabulary
from fencepost.steps.stage import Stage
from fencepost.steps.vocabularies import factories


class ByPytestBdd:
    """Leaves the steps of bundled scenarios to pytest-bdd's own runner, and its definitions."""

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        running: Any = session.config.pluginmanager.get_plugin("fencepost-running")
        running.playing.play_of = lambda *_: None


@pytest.mark.parametrize("asks_all", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["thirty requirements", "all"])
def test_a_play_shows_what_the_same_scenario_shows_where_pytest_bdd_runs_its_steps(asks_all: bool, tmp_path: Path) -> None:
    """For bundled scenarios: the verdict, how much evidence the requirement has, and the history, to the byte."""
    some = [] if asks_all else ["--smoke"]
    ended = pytest_session.judge([f"--results={tmp_path}", "--no-html", "--capture=no", *some], workers=1, plugins=[ByPytestBdd()])
    assert ended.exit is Exit.CONFORMS
    rows = {row["id"]: row for row in json.loads((tmp_path / "compliance.json").read_text())["requirements"] if row["scenarios"]}
    verdicts: dict[str, list[tuple[str, str]]] = {}
    evidence: dict[str, int] = {}
    differing = []

    with Plays(RunOptions(smoke=not asks_all)) as plays:
        for play in plays:
            shown = plays.judge(play)
            verdicts.setdefault(play.requirement, []).append((play.name, shown.result.verdict.value))
            evidence[play.requirement] = evidence.get(play.requirement, 0) + shown.result.evidence
            file = tmp_path / "history" / history_files.name_of(play.run)
            if (file.read_bytes() if file.is_file() else b"") != (history_files.packed(shown.history) if shown.history else b""):
                differing.append(play.run)

    assert differing == []
    assert evidence == {row: found["evidence"] for row, found in rows.items()}
    assert {row: sorted(found) for row, found in verdicts.items()} == {
        row: sorted((one["name"], one["verdict"]) for one in found["scenarios"]) for row, found in rows.items()
    }


def test_the_step_of_a_scenario_is_known_while_it_is_played() -> None:
    """Another thread sees where the player is; when it has ended, it sees its last step."""
    seen: list[Now] = []

    class Looks(Looking):
        def pytest_runtest_teardown(self) -> None:
            seen.append(self.now())

    class Registers:
        def pytest_configure(self, config: pytest.Config) -> None:
            config.pluginmanager.register(Looks(config))

    pytest_session.judge(["--only=KIP890-060", "--no-html", "--capture=no"], workers=1, plugins=[Registers()])

    assert seen
    assert all(one.step.startswith(("Then ", "And ")) for one in seen)


def test_scenarios_that_run_concurrently_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two waits for the other, so both are running when the test looks."""
    both, seen, looks = threading.Barrier(2), list[str](), list[Looking]()

    class Registers:
        def pytest_configure(self, config: pytest.Config) -> None:
            looks.append(Looking(config))

    def waits(*arguments: Any) -> Any:
        both.wait(60)
        seen.extend(str(one) for one in looks[0].now().doing)
        both.wait(60)
        return put(*arguments)

    monkeypatch.setattr(scenario_items, "put", waits)
    pytest_session.judge(["--only=KIP890-060", "--concurrency=2", "--no-html", "--capture=no"], workers=1, plugins=[Registers()])

    assert len(seen) == 2
    assert set(seen) <= {"asking at once KIP890-060 [1], KIP890-060 [2]", "asking at once KIP890-060 [2], KIP890-060 [1]"}


def test_what_is_red_in_company_says_whether_it_is_red_alone(tmp_path: Path) -> None:
    """And how busy the machine was."""
    options = ["--only=KIP890-060", "--defect=no-epoch-bump", "--concurrency=2", f"--results={tmp_path}", "--no-html", "--capture=no"]

    ended = pytest_session.judge(options, workers=1)

    assert ended.exit is Exit.DOES_NOT
    (row,) = (row for row in json.loads((tmp_path / "compliance.json").read_text())["requirements"] if row["id"] == "KIP890-060")
    assert re.search(r"also alone: violated, where it was one of 2 at once, at a load of [\d.]+ on \d+ processors, before", row["reason"])


def test_scenarios_on_the_reference_crash_their_own_brokers() -> None:
    """Each has a separate broker, which is not down after another one's crash, and is after its own."""
    options = ["--only=CORE-24", "--concurrency=4", "--no-html", "--capture=no"]

    assert pytest_session.judge(options, workers=1).exit is Exit.CONFORMS
    assert pytest_session.judge([*options, "--defect=core-pulsar-open-forgotten-by-crash"], workers=1).exit is Exit.DOES_NOT


def test_a_run_leaves_its_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows none of another pytest's options, and a pytest that this process starts later loads its plugins."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)

    ended = pytest_session.judge(["--only=KIP890-060", "--no-html", "--capture=no"], workers=1)

    assert ended.exit is Exit.CONFORMS
    assert os.environ["PYTEST_ADDOPTS"] == "--no-such-option"
    assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ


def test_a_selection_that_names_nothing_plays_nothing() -> None:
    """It is refused, for silence would be green."""
    with pytest.raises(WrongUsage, match="KIP890-999"):
        Plays(RunOptions(selection=Selection(only=("KIP890-999",))))


def test_the_garbage_collector_is_afterwards_as_before() -> None:
    """Only while plays are played does it look less often, and leave out what was there before; plays inside of plays change nothing."""

    def state() -> tuple[tuple[int, int, int], bool]:
        return gc.get_threshold(), gc.get_freeze_count() > 0

    few = RunOptions(selection=Selection(only=("KIP890-060",)))
    before = state()
    with Plays(few) as plays:
        outside = state()
        with Plays(few):
            assert state() == outside
        assert state() == outside
        plays.judge(plays.all[0])

    assert outside[1]
    assert state() == before


# --- the player -------------------------------------------------------------------------------------------------------------

ENDS: list[str] = []
TRIED = Vocabulary("tried", [])


class Closing:
    """A session that says when it is closed."""

    def close(self) -> None:
        ENDS.append("session")

    def exchanges(self) -> Sequence[Exchange]:
        return ()


@TRIED.state
def first(session: Session) -> Iterator[str]:  # noqa: ARG001 it is made before this
    yield "first"
    ENDS.append("first")


@TRIED.state
def second(first: str) -> Iterator[str]:
    yield f"{first}, second"
    ENDS.append("second")


@TRIED.state
def broken() -> str:
    raise ZeroDivisionError("a factory of ours")


@TRIED.given("all is there")
def all_is_there(second: str, evidence: Evidence) -> None:
    """It sees the state."""
    evidence.saw(second)


@TRIED.when("the factory fails")
def factory_fails(broken: str) -> None:
    """It cannot be called."""
    raise AssertionError(f"it was called with {broken}")


@TRIED.then("it needs undeclared state")
def needs_unknown(undeclared: str) -> None:
    """It cannot be called."""
    raise AssertionError(f"it was called with {undeclared}")


@TRIED.then("the sky is seen")
def sky_is_seen(evidence: Evidence) -> None:
    """It holds."""
    evidence.saw("the sky")


def played(*steps: tuple[str, str]) -> Any:
    ENDS.clear()
    said = [GherkinStep(kind, kind, words, line) for line, (kind, words) in enumerate(steps, 1)]
    return Player([TRIED]).play(said, lambda: cast(Session, Closing()))


def test_steps_are_played_in_order_and_each_says_what_it_saw() -> None:
    """And the state ends in the reverse order in which it was made, the session last."""
    found = played(("Given", "all is there"), ("Then", "the sky is seen"))

    assert [(one.ending, one.observations) for one in found.steps] == [
        (StepEnding.DONE, ("first, second",)),
        (StepEnding.DONE, ("the sky",)),
    ]
    assert (found.error, found.failed, ENDS) == (None, None, ["second", "first", "session"])


def test_a_scenario_of_which_no_step_asks_for_a_session_has_none() -> None:
    """Nothing is made before it is asked for."""
    assert played(("Then", "the sky is seen")).session is None


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (("When", "the factory fails"), "a factory of ours"),
        (("Then", "it needs undeclared state"), "undeclared"),
        (("Then", "an unknown sentence"), "line 2: no sentence of tried parses the Then 'an unknown sentence'"),
    ],
)
def test_a_step_that_fails_ends_its_scenario_alone(step: tuple[str, str], error: str) -> None:
    """The error is returned as a value, the steps after it are not reached, and what was made is released."""
    found = played(("Given", "all is there"), step, ("Then", "the sky is seen"))

    assert [one.ending for one in found.steps] == [StepEnding.DONE, StepEnding.FAILED, StepEnding.NOT_REACHED]
    assert error in str(found.error)
    assert found.failed is found.steps[1]
    assert ENDS == ["second", "first", "session"]


def test_an_interrupt_is_no_verdict() -> None:
    """It is raised again, after what was created has been released."""
    interrupted = Vocabulary("interrupted", [])

    @interrupted.given("a person says stop")
    def says_stop(session: Session) -> None:  # noqa: ARG001 it is to be released
        """Ctrl-C."""
        raise KeyboardInterrupt

    ENDS.clear()
    with pytest.raises(KeyboardInterrupt):
        Player([interrupted]).play([GherkinStep("Given", "Given", "a person says stop", 1)], lambda: cast(Session, Closing()))

    assert ENDS == ["session"]


def test_state_is_declared_once() -> None:
    """In a vocabulary, among the vocabularies of a proposal, and against what every scenario has."""
    other = Vocabulary("other", [])
    other.state(first)

    with pytest.raises(SentenceError, match="'first' is declared twice"):
        TRIED.state(first)
    with pytest.raises(SentenceError, match="'first' is declared by another vocabulary too"):
        factories([TRIED, other])
    assert Stage({}, lambda: cast(Session, Closing())).value("evidence").count == 0
