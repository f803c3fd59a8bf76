"""The progress of a run: what comes twice counts once, and the pace is unknown until a scenario has ended."""

import io
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from fencepost.console.live_view import PlainView, lines_of
from fencepost.console.phrases import line_of_red, shortened, without_middle
from fencepost.console.progress import Now, Planned, Progress
from fencepost.console.terminal import Screen
from fencepost.contract.evidence import Mismatch
from fencepost.contract.progress import Activity
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.run.parallel.worker_mailbox import Mailbox, Posting

MISMATCH = Mismatch("success with (producer id 1000, epoch 1)", "success with (producer id 1000, epoch 0)", "answer to EndTxn")


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def result(verdict: Verdict, number: int = 1, seconds: float = 1.0) -> ScenarioResult:
    violation = MISMATCH if verdict is Verdict.VIOLATED else None
    return ScenarioResult("KIP890-060", "kip890/ending.feature", f"[{number}] A commit", verdict, "why", 1, seconds, violation=violation)


def planned(count: int) -> dict[str, Planned]:
    return {f"node{number}": Planned("kip890/ending.feature", "KIP890-060", f"[{number}] A commit") for number in range(count)}


def test_a_feature_is_reported_once_when_its_last_scenario_has_ended() -> None:
    """In whatever order they end; a scenario that is judged again counts once, with its last verdict."""
    progress = Progress(Clock())
    progress.plan(planned(2))

    reported = [
        progress.judge("node1", result(Verdict.MET)),
        progress.judge("node1", result(Verdict.VIOLATED)),
        progress.judge("node0", result(Verdict.MET)),
        progress.judge("node0", result(Verdict.MET, seconds=0.0)),
    ]

    assert [feature and feature.name for feature in reported] == [None, None, "kip890/ending", None]
    assert str(reported[2]) == "1 of 2 met, 1 violated  (3.0 s)"
    assert (progress.done, progress.total, progress.tally) == (2, 2, "1 met, 1 red")


def test_what_the_pace_says_grows_with_the_scenarios() -> None:
    """Nothing at first; then the pace alone, or what was expected before it, the less the more has been run."""
    clock = Clock()
    progress = Progress(clock)
    progress.plan(planned(20))
    assert progress.expected is None

    clock.now += 4
    for number in range(10):
        progress.start(f"node{number}")
        clock.now += 2
        assert progress.expected is None or number >= 5
        progress.judge(f"node{number}", result(Verdict.MET, number))
        progress.end(f"node{number}")

    assert progress.expected == pytest.approx(4 + 40)
    progress.expect(100)
    assert progress.expected == pytest.approx((4 + 40) / 2 + (24 + 100) / 2)


def test_what_takes_long_is_more_of_the_run() -> None:
    """Ten finished reads are a small part of a run in which a crash takes as long as a hundred; what is not offered is no part of it."""
    progress = Progress(Clock())
    progress.plan(
        {f"look{number}": replace(planned(1)["node0"], seconds=0.1) for number in range(10)}
        | {"crash": replace(planned(1)["node0"], seconds=9.0), "not offered": replace(planned(1)["node0"], seconds=0.0)}
    )

    for number in range(10):
        progress.judge(f"look{number}", result(Verdict.MET, number))
    progress.judge("not offered", result(Verdict.NOT_OFFERED))

    assert progress.share == pytest.approx(0.1)
    assert progress.tally == "10 met, 1 not offered"


def test_what_was_played_counts_before_its_turn_to_be_judged() -> None:
    """One scenario waits in vain, and those after it are over and wait for their turn: the run is not as slow as its verdicts come."""
    clock = Clock()
    progress = Progress(clock)
    progress.plan(planned(100))
    progress.start("node0")
    for number in range(5):
        progress.judge(f"node{number}", result(Verdict.MET, number))
    clock.now += 20
    by_verdicts = progress.expected

    progress.looks.append(lambda: Now(share=0.5, idle_s=19.5))

    assert by_verdicts == pytest.approx(20 / 0.05)
    assert progress.expected == pytest.approx(40)


def test_verdicts_that_follow_slowly_are_waited_for() -> None:
    """All is played, and what is written of each scenario takes its time."""
    clock = Clock()
    progress = Progress(clock)
    progress.plan(planned(100))
    progress.looks.append(lambda: Now(share=1.0, idle_s=5.0))
    progress.start("node0")
    for number in range(50):
        progress.judge(f"node{number}", result(Verdict.MET, number))
    clock.now += 10

    assert progress.expected == pytest.approx(10 + 5)


def test_a_run_is_never_expected_to_have_ended() -> None:
    """What takes longer than was expected is expected to end now."""
    clock = Clock()
    progress = Progress(clock)
    progress.plan(planned(2))
    progress.expect(10)
    progress.start("node0")

    clock.now += 30

    assert progress.expected == progress.elapsed == 30


def test_the_live_lines_name_what_runs_and_what_is_waited_for() -> None:
    """Two workers: a scenario of each with its step, and what their systems do, once."""
    clock = Clock()
    progress = Progress(clock)
    doing = Activity("starting apache/kafka:4.3.1", "2 scenarios", "Docker")
    progress.looks += [lambda: Now("node0", "When A commits", [doing]), lambda: Now("node1", "", [doing])]
    assert lines_of(progress)[:1] == [" 0:00  collecting the scenarios"]

    progress.plan(planned(3))
    progress.start("node0")
    progress.start("node1")
    clock.now += 75
    progress.judge("node2", result(Verdict.VIOLATED))

    lines = lines_of(progress)
    assert lines[:3] == [
        " 1:15  1 of 3 scenarios: 1 red",
        "   KIP890-060 [0] A commit  (1:15): When A commits",
        "   KIP890-060 [1] A commit  (1:15)",
    ]
    assert len(lines) == 4
    assert lines[3].startswith("   starting apache/kafka:4.3.1, for 2 scenarios; waits for Docker")


@pytest.mark.parametrize("room", [240, 120, 80, 60, 20])
def test_a_red_fits_on_its_line(room: int) -> None:
    """With what was expected and seen; where space is short, both ends of each are kept, since they differ there."""
    line = line_of_red(result(Verdict.VIOLATED), room)

    assert len(line) <= room
    assert line.startswith("X KIP890-060")
    assert ("epoch 1" in line and "epoch 0" in line) is (room >= 120)
    assert room < 80 or ("h 1)" in line and "h 0)" in line)


def test_a_red_without_a_violation_says_why() -> None:
    """The line says that the reason is not known."""
    assert line_of_red(result(Verdict.INCONCLUSIVE), 100) == "? KIP890-060 [1] A commit: inconclusive: why"


def test_a_text_becomes_one_line() -> None:
    """What a system sent may have several; the indent and blanks within stay."""
    assert shortened("  one  two\n  three", 100) == "  one  two three"
    assert shortened("x" * 30, 20) == "x" * 17 + "..."
    assert without_middle("abcdefghijklmnopqrstuvwxyz", 13) == "abcde...vwxyz"


def test_a_worker_is_heard_through_the_mailbox(tmp_path: Path) -> None:
    """What it is at, and once which scenarios there are; before, and after the folder is gone, nothing."""
    mailbox = Mailbox(tmp_path)
    now = Now("node0", "When A commits", [Activity("starting", "a reason", "Docker", 12.0)])
    look = mailbox.look_at("gw0")
    assert (look(), mailbox.planned()) == (Now(), {})

    posting = Posting(tmp_path, "gw0", lambda: now)
    posting.plan(planned(2))
    posting.close()

    assert mailbox.planned() == planned(2)
    assert look() == now


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "is_live"),
    [
        (Terminal, {"TERM": "xterm"}, True),
        (Terminal, {"TERM": "dumb"}, False),
        (Terminal, {"TERM": "xterm", "CI": "true"}, False),
        (Terminal, {"TERM": "xterm", "CI": "false"}, True),
        (io.StringIO, {"TERM": "xterm", "FORCE_COLOR": "1"}, False),
    ],
)
def test_only_a_terminal_before_a_person_is_live(stream: type[io.StringIO], environment: dict[str, str], is_live: bool) -> None:
    """Neither a file nor CI, whatever else is forced."""
    assert Screen(stream(), environment).is_live is is_live


def test_what_a_system_sent_does_not_reach_the_terminal_as_it_is() -> None:
    """Control codes are shown, not obeyed."""
    stream = io.StringIO()

    Screen(stream, {}).write_line("seen \x1b[2J and \x07")

    assert stream.getvalue() == "seen \\x1b[2J and \\x07\n"


def test_a_long_line_is_broken_between_words_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is indented; a file has the line as it is."""
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        screen = Screen(stream, {"TERM": "xterm"})
        screen.write("  X KIP890-060: ")
        screen.write_line("one two three four five six")

    assert terminal.getvalue() == "  X KIP890-060: one two three\n      four five six\n"
    assert file.getvalue() == "  X KIP890-060: one two three four five six\n"


def test_a_link_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is wider than a terminal has a separate line, and each part of it says where it leads."""
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", "xterm")
    link = f"https://example.org/{'a' * 60}.scala"
    terminal = Terminal()

    Screen(terminal, {"TERM": "xterm"}).write_line(f"  known: it is so ({link}; from a file)")

    assert f";{link}\x1b\\{link}\x1b]8;;" in terminal.getvalue()


class Heard(Screen):
    """A screen that keeps its lines, and says when there is one."""

    def __init__(self) -> None:
        super().__init__(io.StringIO(), {})
        self.lines: list[str] = []
        self.has_heard = threading.Event()

    def write_line(self, text: str = "", **markup: bool) -> None:  # noqa: ARG002 - as a screen has it
        self.lines.append(text)
        self.has_heard.set()


def test_a_log_says_what_is_started_and_why() -> None:
    """Once, for as long as no scenario runs."""
    screen, progress = Heard(), Progress()
    progress.looks.append(lambda: Now(doing=[Activity("starting apache/kafka:4.3.1", "2 scenarios", "Docker")]))
    plain = PlainView(screen, progress)

    plain.start()
    assert screen.has_heard.wait(60)
    plain.stop()

    assert screen.lines == ["  starting apache/kafka:4.3.1, for 2 scenarios"]
