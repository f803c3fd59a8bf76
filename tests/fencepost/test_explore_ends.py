"""Explorations that end before their end: the time is up, or the system is gone; and what of a coordinator was reached."""

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
import typer
from commands import fencepost
from exploring import always, raising, trials

from fencepost.cli.exit_codes import guarded_value
from fencepost.console.terminal import Screen
from fencepost.contract import folder, register
from fencepost.contract.editions import ALL_COUNT, Counting
from fencepost.contract.errors import BrokeOff, Exit, Malformed, SystemUnreachable, UnknownName, WrongUsage
from fencepost.contract.evidence import NoAnswer, PointNotReached, SetUpFailed, Violation
from fencepost.contract.played import PlayedStep, StepEnding
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.transitions import HasTransitions, Transition, watched
from fencepost.explore import search
from fencepost.explore.coverage import Coverage
from fencepost.explore.deadline import Deadline, TimeIsUp
from fencepost.explore.exploration import LAYOUT, Bounds, Exploration
from fencepost.explore.kept_finding import FindingKeeper
from fencepost.explore.reduction import reduced
from fencepost.explore.trial import ExploredFinding, ScriptResult, SequenceResult, Trials
from fencepost.run.options import RunOptions
from fencepost.steps.acts.act import ActLine, Script, script_of
from fencepost.steps.acts.core import TABLE
from fencepost.steps.acts.core_model import Core
from fencepost.steps.acts.kip890 import TABLE as KIP890

OVER = Deadline(0.0)


class Answering(Trials):
    """A broker that shows what a test says, one sequence after the other, and the last for ever."""

    def __init__(self, *answers: SequenceResult | BaseException) -> None:
        super().__init__(TABLE, lambda *_: pytest.fail("no system is asked"), is_prompt=False)
        self._answers = list(answers)

    def put(self, script: Script[Core]) -> SequenceResult:  # noqa: ARG002 - whatever is played
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


def found(*acts: str) -> ExploredFinding:
    return ExploredFinding(acts, (ActLine("Then", "it is done", "CORE-07"),), "CORE-07", "violated", Violation("a", "b", what="readers"))


def test_a_sequence_is_left_in_its_middle_when_the_time_is_up() -> None:
    """It counts as none, and what was gone through is not the whole."""
    late = trials(TABLE, "kafka")
    late._deadline = OVER

    with pytest.raises(TimeIsUp):
        late.play(["A writes to orders"])
    for progress in (search.at_once(late, 5, 3, 1, 2, always), search.drawn(late, 5, 3, 1, always)):
        assert (progress.count, progress.is_whole, progress.gone) == (0, False, None)


def test_no_wait_is_longer_than_there_is_time() -> None:
    """A session's patience is shortened to what is left."""
    given: list[float] = []
    session = SimpleNamespace(time=SimpleNamespace(shorten=given.append))

    Deadline(time.monotonic() + 7).check(session)
    Deadline().check(session)

    assert given == [pytest.approx(7, abs=1)]


def test_equal_shares_of_the_time() -> None:
    """What the first does not use is left for the others; without a deadline there is none for the others either."""
    assert Deadline(time.monotonic() + 9).share(3).left_s == pytest.approx(3, abs=1)
    assert Deadline().share(3) == Deadline()


@pytest.mark.parametrize(
    ("error", "how", "is_found"),
    [
        (Violation("a", "b", what="x"), "violated", True),
        (SetUpFailed("no", error="INVALID_TXN_STATE"), "refused", True),
        (SetUpFailed("the numbers are too far apart"), "refused", False),
        (NoAnswer("late"), "unanswered", False),
    ],
)
def test_how_a_line_failed_is_distinguished(monkeypatch: pytest.MonkeyPatch, error: Exception, how: str, *, is_found: bool) -> None:
    """No answer, and a set-up that no answer refused, are findings on the reference only, whose time is virtual: elsewhere the cause is
    not known.
    """
    acts = ("A writes to orders",)

    def tried(*, is_prompt: bool) -> SequenceResult:
        played = trials(TABLE, "kafka")
        monkeypatch.setattr(played, "is_prompt", is_prompt)
        monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", raising(error))
        return played.play(acts)

    prompt, other = tried(is_prompt=True), tried(is_prompt=False)

    assert prompt.finding is not None
    assert prompt.finding.how == how
    assert (other.finding is not None, other.unanswered) == (is_found, None if is_found else str(error))


def test_a_crash_point_that_is_never_reached_ends_the_sequence_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that leaves out this part of its work is seen in other sequences, and exploration goes on."""
    played = trials(TABLE, "kafka")
    monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", raising(PointNotReached("it did not come to it")))

    tried = played.play(("A writes to orders",))

    assert (tried.finding, tried.unanswered) == (None, "it did not come to it")


@pytest.mark.parametrize("between_s", [0.0, 2.0])
def test_a_transaction_that_may_have_timed_out_shows_nothing(monkeypatch: pytest.MonkeyPatch, between_s: float) -> None:
    """On a broker, whose time passes: a violation counts only if no transaction with a short timeout was open for as long."""
    played = trials(KIP890, "kafka")
    monkeypatch.setattr(played, "is_prompt", False)
    script = script_of(KIP890, ["T has written to payments-0", "A has written to payments-0", "T has committed"])
    at = next(number for number, (line, _) in enumerate(script.lines) if line.text == "T has committed")
    steps = [PlayedStep(line.step, StepEnding.DONE, began=number * between_s) for number, (line, _) in enumerate(script.lines[: at + 1])]
    steps[-1] = replace(steps[-1], error=SetUpFailed("no", error="INVALID_TXN_STATE"))

    tried = played.judged(script, ScriptResult(tuple(steps), None))

    assert (tried.finding is not None, tried.unanswered is None) == ((True, True) if not between_s else (False, False))


@pytest.mark.parametrize("error", [TimeIsUp(), SystemUnreachable("gone")])
def test_what_was_made_smaller_so_far_is_kept(error: Exception) -> None:
    """When the time is up while a finding is made small, or the system goes away."""
    plays = 0

    def play(acts: Sequence[str]) -> ExploredFinding:
        nonlocal plays
        plays += 1
        if plays > 2:
            raise error
        return found(*acts)

    assert reduced(found("a", "b", "c", "d"), play).acts == ("c", "d")


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), TimeIsUp(), SystemUnreachable("gone")])
def test_a_finding_is_a_file_before_it_is_played_again(tmp_path: Path, stop: BaseException) -> None:
    """However the exploration of a broker ends, and it says what was found before it plays it again."""
    finding, said, progress = found("a crash"), list[str](), search.SearchProgress()
    claimed = folder.claim(tmp_path, LAYOUT, {})
    keeper = FindingKeeper(Answering(stop), claimed, "kafka", register.bundled(), said.append)

    with suppress(KeyboardInterrupt):
        assert keeper.keep(finding, progress).frequency == "not played again"

    (kept,) = (tmp_path / "found").glob("*.feature")
    assert "Scenario: [1] it is done" in kept.read_text()
    assert said[0] == "FOUND CORE-07 violated: a crash"
    assert (progress.gone is None) == (not isinstance(stop, SystemUnreachable))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([SequenceResult(("a",)), SystemUnreachable("the system stopped answering")], "the system stopped answering"),
        ([SequenceResult(("a",)), SequenceResult(("b",), unanswered="too late")], "it has answered in none of the last 16 sequences"),
    ],
)
def test_a_broker_that_dies_for_good_ends_an_exploration(answers: list[SequenceResult | Exception], said: str) -> None:
    """What was played before counts, and the reason why it ended is printed."""
    progress = search.at_once(Answering(*answers), 100, 2, 1, 1, always)

    assert progress.gone == said
    assert (progress.is_whole, "a" in progress.fired) == (False, True)


def exploration(results: Path, printed: StringIO, **asked: str) -> Exploration:
    return Exploration(
        RunOptions(asked=SpecifiedSystem(asked, "kafka-4.3"), results=results), ("core",), Bounds(examples=40), False, Screen(printed)
    )


def test_a_signal_leaves_what_was_gone_through(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also in the first protocol; how far it came is printed, and is in the file."""
    printed, left, put = StringIO(), iter(range(3)), Trials.put

    def stopped(trials: Trials, script: Script[Core]) -> SequenceResult:
        if next(left, None) is None:
            raise KeyboardInterrupt("SIGINT")
        return put(trials, script)

    monkeypatch.setattr(Trials, "put", stopped)
    with pytest.raises(KeyboardInterrupt):
        exploration(tmp_path / "explored", printed).run()

    [one] = json.loads((tmp_path / "explored" / "explored.json").read_text())["explored"]
    assert (one["sequences"], one["whole"]) == (3, False)
    assert "nothing found: 3 sequences" in printed.getvalue()
    assert "(it was stopped before the end)" in printed.getvalue()


def test_a_finding_is_not_played_again_after_a_signal(tmp_path: Path) -> None:
    """It is kept as it was found."""
    progress = search.SearchProgress(stopped=KeyboardInterrupt())
    keeper = FindingKeeper(Answering(), folder.claim(tmp_path, LAYOUT, {}), "kafka", register.bundled(), [].append)

    assert keeper.keep(found("a crash"), progress).frequency == "not played again"


def test_a_finding_that_is_named_otherwise_says_what_its_line_is_about(tmp_path: Path) -> None:
    """Its file has the requirement that it names."""
    claimed = folder.claim(tmp_path, LAYOUT, {})
    keeper = FindingKeeper(Answering(SequenceResult(())), claimed, "kafka", register.bundled(), None, names=lambda _: "CORE-24")

    kept = keeper.keep(found("a crash"), search.SearchProgress())

    assert (kept.finding.requirement, Path(kept.file).name) == ("CORE-24", "CORE-24-kafka-1.feature")
    assert "violated in 1 act; its last line is about CORE-07" in kept.scenario
    assert [one.name for one in (tmp_path / "found").iterdir()] == ["CORE-24-kafka-1.feature"]


def test_acts_are_counted_without_disturbances(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither of those that came nor of those that never came is a disturbance."""
    printed = StringIO()
    monkeypatch.setattr("fencepost.explore.exploration.PROGRESS_S", 0.0)
    disturbance = "the disturbance crash"
    monkeypatch.setattr(Trials, "put", lambda *_: SequenceResult(("A commits", disturbance)))

    exploration(tmp_path / "explored", printed).run()

    [one] = json.loads((tmp_path / "explored" / "explored.json").read_text())["explored"]
    known = len(trials(TABLE, "kafka").table.acts)
    assert (one["acts"], len(one["acts_never_fired"])) == (known, known - 1)
    assert f", 1 of {known} acts, " in printed.getvalue()


@pytest.mark.parametrize(("counting", "edition"), [(Counting({"core": None}), " --edition next"), (ALL_COUNT, "")])
def test_a_finding_is_played_again_as_it_was_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, counting: Counting, edition: str
) -> None:
    """On the same system; a violation of a provisional requirement changes no exit code before the next edition."""
    printed, results = StringIO(), tmp_path / "explored"
    monkeypatch.setattr(RunOptions, "counting", counting)

    assert exploration(results, printed, defect="core-kafka-dirty-read").run() == Exit.DOES_NOT

    (kept,) = (results / "found").glob("*.feature")
    asked = "fencepost run --profile kafka-4.3 --defect core-kafka-dirty-read --feature"
    assert f"played again by: {asked} {kept}{edition}\n" in printed.getvalue()


def test_a_finding_stays_when_the_broker_dies_afterwards() -> None:
    """It was found before."""
    finding = found("a")

    progress = search.at_once(Answering(SequenceResult(("a",), finding), SystemUnreachable("gone")), 100, 2, 1, 4, always)

    assert progress.finding is finding
    assert progress.gone == "gone"


def test_who_does_not_answer_is_asked_whether_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow broker is reachable, and its answer is unknown; one that is not reachable ends the exploration."""
    played = trials(TABLE, "kafka")
    monkeypatch.setattr(played, "is_prompt", False)

    def late(*_: object) -> None:
        raise NoAnswer("late")

    monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", late)
    assert played.play(["A writes to orders"]).unanswered == "late"
    monkeypatch.setattr(played, "_is_there", lambda: False)
    with pytest.raises(SystemUnreachable, match="the system stopped answering"):
        played.play(["A writes to orders"])


def test_a_step_that_breaks_off_is_no_finding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The step, the error and the acts are said in one line, with the exit code of a kit that failed; no requirement is violated."""

    def breaks(*_: object) -> None:
        raise KeyError("no such version")

    monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", breaks)
    broken = trials(TABLE, "kafka")

    for progress in (search.drawn(broken, 50, 5, 1, always), search.exhaustive(broken, 1, always)):
        assert (progress.finding, progress.is_whole) == (None, False)
        assert progress.broke_off is not None
        with pytest.raises(typer.Exit) as ended:
            guarded_value(partial(_raise, progress.broke_off))
        said = capsys.readouterr().err
        assert ended.value.exit_code == Exit.KIT_FAILED
        assert " broke off with KeyError: 'no such version'; acts: " in said
        assert said.count("\n") == 1


def _raise(error: BaseException) -> NoReturn:
    raise error


def test_what_breaks_off_ends_sequences_and_does_not_make_a_finding_smaller() -> None:
    """What the rest would have shown is not known."""
    broken = Answering(SequenceResult(("a",)), BrokeOff("a step broke off"))

    progress = search.at_once(broken, 100, 2, 1, 1, always)

    assert (str(progress.broke_off), progress.count, progress.is_whole) == ("a step broke off", 1, False)
    assert broken.find(["A writes to orders"]) is None


@pytest.mark.parametrize("error", [WrongUsage("no"), SystemUnreachable("gone")])
def test_what_is_not_ours_is_not_taken_for_our_step(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """A user's mistake and a system that has gone away keep their own errors."""
    monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", raising(error))

    with pytest.raises(type(error)):
        trials(TABLE, "kafka").play(["A writes to orders"])


def test_a_message_that_the_protocol_does_not_allow_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is a violation in a run; the search goes on with it."""
    monkeypatch.setattr("fencepost.steps.core.core_context.CoreContext.write", raising(Malformed("half a record")))

    finding = trials(TABLE, "kafka").play(["A writes to orders"]).finding

    assert finding is not None
    assert str(finding.error) == "message of the system: expected what its protocol allows; seen half a record"


def test_an_act_that_there_is_not_is_named_with_the_nearest() -> None:
    """And not passed over as one that cannot come."""
    with pytest.raises(UnknownName, match="unknown act of core 'A comits'; did you mean"):
        script_of(TABLE, ["A comits"])


def test_examples_of_another_version_are_left_alone(tmp_path: Path) -> None:
    """That is printed once, with their places."""
    asked = ("explore", "--spec", "kip890", "--examples", "1", "--results", tmp_path / "explored")
    fencepost(*asked, expect=0, cwd=tmp_path)
    (tmp_path / "explored" / "examples" / "0.0.9-deadbeef").mkdir(parents=True)

    said = fencepost(*asked, expect=0, cwd=tmp_path).out

    assert said.count("examples of another version, which are left alone: 0.0.9") == 1


@pytest.mark.parametrize(
    ("protocol", "known", "act"), [("kafka", 14, "A has committed"), ("pulsar", 4, "A aborts"), ("pulsar-scalable", 2, "A aborts")]
)
def test_transitions_of_a_coordinator_are_counted(protocol: str, known: int, act: str) -> None:
    """Those that were taken meanwhile, of those that its state machine has."""
    asked = trials(TABLE, protocol)
    asked.play(["A writes to orders", act])
    system = RunOptions().build_systems()[protocol]
    assert isinstance(system, HasTransitions)

    with watched() as taken:
        coverage = Coverage(system.transitions, taken)
        before = len(coverage.never)
        asked.play(["A writes to orders", act])

    assert (before, len(coverage.known)) == (known, known)
    assert taken <= coverage.known
    assert str(coverage) == f"{len(taken)} of {known} transitions of the coordinator"
    ends = {"kafka": ("PrepareCommit", "CompleteCommit"), "pulsar": ("ABORTING", "ABORTED")}.get(protocol, ("OPEN", "ABORTED"))
    assert Transition(*ends) in taken
    assert Transition(*ends) not in coverage.never
