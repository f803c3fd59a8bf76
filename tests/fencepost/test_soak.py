"""Soak runs: they find what breaks a promise, are silent where none is broken, and keep what they have whatever ends them."""

import contextlib
import io
import json
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from commands import fencepost

from fencepost.console.terminal import Screen
from fencepost.contract import folder
from fencepost.contract.anomalies import Finding
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import SystemUnreachable, UnknownName, WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.operations import operation
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.register import bundled
from fencepost.contract.registration import SpecifiedSystem as OfSystem
from fencepost.pipeline.anomalies import ANOMALIES
from fencepost.pipeline.laws.judge import judge
from fencepost.report.soak import soak_page
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions
from fencepost.soak import fault_schedule
from fencepost.soak import soak_run as running
from fencepost.soak.fault_schedule import FaultSchedule
from fencepost.soak.history_writer import HistoryFile, mop
from fencepost.soak.measurements import OK, UNKNOWN, SoakFigures, SoakMark
from fencepost.soak.segment import SoakSegment
from fencepost.soak.segment_judge import SegmentJudge, SegmentVerdict
from fencepost.soak.soak_document import SoakEnding, SoakOptions, document, headline
from fencepost.soak.soak_run import LAYOUT, Load, SoakClock

UNPROMISED = {anomaly.name for anomaly in ANOMALIES if anomaly.allowed}


class InProcess:
    """Judges as the checker does, without Spark."""

    def __init__(self) -> None:
        self.verdicts: list[SegmentVerdict] = []
        self.events: list[list[dict[str, Any]]] = []

    def take(self, number: int, history: Path) -> None:
        """Judge it at once."""
        self.events.append([json.loads(line) for line in history.read_text().splitlines()])
        found = [
            Finding(f"segment-{number}", name, sum(one.definite for one in shown), len(shown), name in UNPROMISED, str(shown[0]))
            for name, shown in judge(self.events[-1]).items()
        ]
        self.verdicts.append(SegmentVerdict(number, tuple(found), 0, None))

    def finished(self) -> list[SegmentVerdict]:
        """All verdicts."""
        return self.verdicts

    @property
    def anomalies(self) -> set[str]:
        """Those that are certain, and break a promise."""
        return {one.anomaly for verdict in self.verdicts for one in verdict.found if one.definite and not one.allowed}


def soaked(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    profile: str | None = None,
    defect: str | None = None,
    wrong: str = "",
    steps: int = 500,
) -> tuple[InProcess, SoakEnding, Load]:
    """A soak run of the reference, of so many steps in segments of 250."""
    systems = JudgedSystems(RunOptions(asked=OfSystem({"defect": defect} if defect else {}, profile)), bundled())
    [protocol] = systems.by_protocol
    systems.open({protocol: [frozenset()]})
    asked, inner = SoakOptions(1e9, wrong or None, rate=100, segment_s=2.5, every_s=0.8), InProcess()
    handshake, system = systems.handshakes[protocol], systems.by_protocol[protocol]
    names = fault_schedule.named(asked.faults, handshake.capabilities, "reference")
    claimed = folder.claim(place, LAYOUT)
    load = Load(system, handshake, asked, names, cast("SegmentJudge", inner), claimed, Screen(io.StringIO(), {}), SoakClock())
    left = iter(range(steps))
    monkeypatch.setattr(Load, "_is_over", property(lambda _: next(left, None) is None))
    return inner, load.run(), load


@pytest.mark.parametrize(
    ("profile", "wrong"), [("kafka-4.3", "crash,late,stall,wire"), ("kip98", "crash,stall"), ("pulsar-4.0", "crash,stall")]
)
def test_what_keeps_its_promises_shows_no_anomaly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, wrong: str) -> None:
    """Whatever faults happen meanwhile; and the history is not empty."""
    judged, ending, load = soaked(tmp_path, monkeypatch, profile=profile, wrong=wrong)

    assert judged.anomalies == set()
    assert ending.is_complete
    assert len(judged.verdicts) >= 2
    assert load.figures.faults
    kinds = {(event["f"], event["type"]) for events in judged.events for event in events if event["mops"]}
    assert {("send", "ok"), ("poll", "ok"), ("ack", "ok"), ("final_read", "ok")} <= kinds


@pytest.mark.parametrize(
    ("defect", "wrong", "anomaly"),
    [
        ("core-kafka-aborted-shown", "", "G1a"),
        ("core-kafka-last-log-not-told", "", "unseen"),
        ("core-kafka-input-lost", "", "phantom-ack"),
        ("core-kafka-input-comes-again", "", "ack-resurrection"),
        ("core-kafka-both-deciders-win", "late", "outcome-flip"),
        ("core-kafka-never-expires", "stall", "unseen"),
        ("core-kafka-open-forgotten-by-crash", "crash", "early-read"),
        ("core-pulsar-dirty-read", "", "early-read"),
    ],
)
def test_a_broken_promise_is_an_anomaly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defect: str, wrong: str, anomaly: str) -> None:
    """By its name, and certain."""
    judged, _, _ = soaked(tmp_path, monkeypatch, defect=defect, wrong=wrong, steps=700)

    assert anomaly in judged.anomalies


def test_what_was_written_is_judged_when_a_run_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the run says that it did not come to its end."""
    left = iter(range(100))

    def step(segment: SoakSegment, *_: object) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt("SIGINT")
        segment.clients[0].step()

    monkeypatch.setattr(running, "step_by_turns", step)
    judged, ending, _ = soaked(tmp_path, monkeypatch, profile="kafka-4.3")

    assert (ending, ending.is_complete) == (SoakEnding(stopped="SIGINT"), False)
    assert judged.events[0][-1]["f"] == "poll"
    assert "final_read" in {event["f"] for event in judged.events[0]}
    assert headline(judged.verdicts, ending) == "Stopped before its end (SIGINT); no definite anomaly in 1 segment."


@pytest.mark.parametrize("kind", [SystemUnreachable, SetUpFailed])
def test_a_system_that_is_gone_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    """What was seen until then is judged; also if it does not serve after a fault."""

    def inflict(*_: object) -> None:
        raise kind("it does not come up")

    monkeypatch.setattr(fault_schedule, "inflict", inflict)
    judged, ending, _ = soaked(tmp_path, monkeypatch, profile="kafka-4.3", wrong="crash")

    assert isinstance(ending.gone, SystemUnreachable)
    assert str(ending.gone) == "it does not come up"
    assert len(judged.verdicts) == 1


def test_the_rate_is_that_of_the_clock_that_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The reference plays more calls in a second of the machine than were asked for in a virtual one."""
    printed = io.StringIO()
    monkeypatch.setattr(Load, "_is_over", property(lambda _: True))
    monkeypatch.setattr(running, "SegmentJudge", lambda _: contextlib.nullcontext(InProcess()))

    running.Soak(RunOptions(asked=OfSystem({}, "kafka-4.3"), results=tmp_path / "soak"), SoakOptions(1.0), Screen(printed, {})).run()

    assert "at most 100 calls a second of its virtual clock, faults: none" in printed.getvalue()


def answering(outcome: Outcome[list[str]]) -> Callable[[], Outcome[list[str]]]:
    return lambda: outcome


def test_a_history_has_two_events_for_each_call(tmp_path: Path) -> None:
    """The second has the outcome; a process whose call has no answer makes no further calls."""
    now = iter(range(100))
    history = HistoryFile(tmp_path / "one.jsonl", "run", lambda: float(next(now)))
    sent = operation("send", mops=[mop("send", "orders", "a")])

    history.call("w", sent, answering(Unknown("the connection is lost")))
    history.call("w", sent, answering(Refused("FENCED", 90)))
    history.call("r", operation("poll", iso="rc"), answering(Done(["a"])), lambda values: [mop("recv", "orders", one, 0) for one in values])

    events = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text().splitlines()]
    history.close()
    assert [(event["type"], event["op_id"], event["process"]) for event in events] == [
        ("invoke", 0, 0),
        ("info", 0, 0),
        ("invoke", 2, 1),
        ("fail", 2, 1),
        ("invoke", 4, 2),
        ("ok", 4, 2),
    ]
    assert [event["error"] and event["error"]["class"] for event in events] == [None, "lost", None, "FENCED", None, None]
    assert (events[4]["mops"], events[5]["mops"][0]["v"]) == ([], "a")
    assert [event["t_ns"] for event in events] == sorted(event["t_ns"] for event in events)


def test_a_client_that_is_late_writes_nothing_into_a_history_that_is_closed(tmp_path: Path) -> None:
    """Its answer may come long after the segment."""
    history = HistoryFile(tmp_path / "one.jsonl", "run", lambda: 0.0)
    closed = threading.Event()

    def answer() -> Outcome[None]:
        history.close()
        closed.set()
        return Done(None)

    history.call("w", operation("commit"), answer)

    assert closed.is_set()
    assert len((tmp_path / "one.jsonl").read_text().splitlines()) == 1


def test_faults_come_when_they_are_due() -> None:
    """Every so many seconds on average, and at the same times for the same seed; without faults never."""

    def times(seed: int, names: Sequence[str]) -> list[tuple[int, str]]:
        schedule = FaultSchedule(names, 20, random.Random(seed))
        return [(second, fault) for second in range(4_000) if (fault := schedule.take(second)) is not None]

    drawn = times(1, ["crash", "wire"])

    assert 150 < len(drawn) < 250
    assert {fault for _, fault in drawn} == {"crash", "wire"}
    assert drawn == times(1, ["crash", "wire"]) != times(2, ["crash", "wire"])
    assert times(1, []) == []


def test_a_fault_that_cannot_be_had_is_refused() -> None:
    """The error names what is needed, and what exists."""
    assert fault_schedule.named(None, (), "it") == ()
    assert fault_schedule.named("crash, late,crash", {"crash"}, "it") == ("crash", "late")
    with pytest.raises(UnknownName, match="flood"):
        fault_schedule.named("flood", CAPABILITIES, "it")
    with pytest.raises(WrongUsage, match=r"--faults pause: it does not offer two-nodes .*; faults that it offers: crash, late, stall"):
        fault_schedule.named("pause", {"crash"}, "it")


def test_figures_take_no_more_room_the_longer_a_run_lasts() -> None:
    """Slots become longer, and no call is forgotten."""
    seconds = 0
    figures = SoakFigures(lambda: seconds * 1000.0)
    for seconds in range(2_000):
        figures.timed("send", answering(Done([]) if seconds % 4 else Unknown("no answer")))

    assert len(figures.slots) <= 240
    assert figures.slot_s == 16.0
    assert (figures.totals[OK], figures.totals[UNKNOWN]) == (1_500, 500)


def written(asked: SoakOptions, figures: SoakFigures, *found: Finding) -> dict[str, Any]:
    return document("<b>it</b>", "1", asked, figures, [SegmentVerdict(1, found, 0, None)], {1: (0.0, 60.0)}, SoakEnding())


def test_the_page_shows_what_happened_and_escapes_it() -> None:
    """Throughput, latency, faults and anomalies; no text of a system becomes markup."""
    now = 0.0
    figures = SoakFigures(lambda: now)
    figures.timed("send", answering(Refused("<script>", 1)))
    figures.faults.append(SoakMark(1.0, 4.0, "crash"))

    shown = soak_page.render(written(SoakOptions(60.0, "crash"), figures, Finding("s", "G1a", 1, 1, False, "a<b was read")))

    assert "<script>" not in shown
    assert "send: &lt;script&gt;" in shown
    assert "a&lt;b was read" in shown
    assert shown.count('class="fault"') == 2
    assert shown.count("<polygon") == 3
    assert "http" not in shown.replace("http-equiv", "")


def test_a_page_of_a_run_without_calls_can_be_read() -> None:
    """One that was stopped at once."""
    shown = soak_page.render(written(SoakOptions(60.0), SoakFigures(lambda: 0.0)))

    assert "None in the 1 segments that were judged." in shown
    assert "<svg" not in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--time", "soon"), "--time soon: expected seconds, or a number with s, m or h"),
        (("--profile", "kafka-4.3", "--faults", "flood"), "flood"),
        (("--time", "1"), "a soak run is about one protocol; name a profile of one"),
        (("kafka", "--time", "1"), "--bootstrap"),
    ],
)
def test_what_cannot_be_soaked_is_refused(tmp_path: Path, options: Sequence[str], said: str) -> None:
    """In one line, and nothing is begun."""
    finished = fencepost("soak", *options, expect=2, cwd=tmp_path)

    assert said in " ".join(finished.err.split())
    assert not list(tmp_path.iterdir())
