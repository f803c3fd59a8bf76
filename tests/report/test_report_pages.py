"""The page, the text and the badges of a report: everything is in words, and no text of results becomes markup."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from compliance_files import VERDICTS
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fencepost.contract import verdict
from fencepost.pipeline.compliance.facts import (
    RED,
    UNJUDGED,
    Cell,
    ConformanceState,
    JudgedSystem,
    Moment,
    ReportSummary,
    Run,
    SystemColumn,
    SystemStanding,
)
from fencepost.pipeline.compliance.facts import VERDICTS as KNOWN
from fencepost.pipeline.compliance.folders import UnreadableFolder
from fencepost.report.compliance import badge, compliance_page, markdown, ticks, trend, view
from fencepost.report.compliance.templates import clean

MADE = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
RUN = Run("nightly/1", datetime(2026, 11, 20, 3, 0, tzinfo=UTC), True)
HOSTILE = '<script>alert("x")</script>\x07\u202e|`*_[a](javascript:b)\n&'
LINK = "https://issues.apache.org/jira/browse/KAFKA-19367"
EVERY = {f"KIP890-{number:03}": name for number, name in enumerate(VERDICTS, 60)}
SYSTEMS = st.builds(JudgedSystem, st.text(), st.none() | st.text(), st.none() | st.text(), st.none() | st.text())
_SHORT = st.text("aA1.- ", max_size=3)
ALIKE = st.builds(JudgedSystem, _SHORT, st.none() | _SHORT, st.none() | _SHORT, st.none() | _SHORT)


def column(given: Mapping[str, str], system: JudgedSystem, reason: str | None = None, run: Run = RUN, **other: object) -> SystemColumn:
    """A system whose requirements have these verdicts."""
    cells = {name: Cell(name, "MUST", each, reason if each != "met" else None, run) for name, each in given.items()}
    counts: dict[str, dict[str, int]] = {}
    for name, each in given.items():
        proposal = counts.setdefault(name.rpartition("-")[0], {})
        proposal[each] = proposal.get(each, 0) + 1
    reported = {"runs": 3, "incomplete": 0, "latest": RUN, "borrowed": 0, "unfinished": False, "whole": True} | other
    standing = SystemStanding(system, counts=counts, **reported)  # type: ignore[arg-type]
    totals = [standing.totals, dict.fromkeys(VERDICTS, 1)]
    return SystemColumn(standing, cells, tuple(Moment(number, run, each) for number, each in enumerate(totals)))


def summary(*columns: SystemColumn) -> ReportSummary:
    return ReportSummary(9, 2, tuple(one.standing for one in columns), columns)


class Tags(HTMLParser):
    """All that a page has of tags, attributes and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[tuple[str, str]] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [(tag, value or "") for name, value in attrs if name in ("href", "src", "action", "xlink:href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def test_the_words_of_the_pipeline_are_those_of_the_verdicts() -> None:
    """The pipeline may not import them, so they are compared here."""
    assert set(KNOWN) == {each.value for each in verdict.Verdict}
    assert set(RED) == {each.value for each in verdict.Verdict if each.is_red}
    assert set(UNJUDGED) == {"not_run", "excluded"}
    assert {each.value: each.words for each in verdict.Verdict} == view.WORDS


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(VERDICTS), st.integers(1, 9)), st.booleans(), st.booleans(), st.booleans())
def test_nothing_conforms_that_a_run_of_it_would_not(counts: dict[str, int], cut: bool, whole: bool, anomaly: bool) -> None:
    """One red, one anomaly, a run that was cut short or only narrowed ones, or nothing met: none of these conforms."""
    standing = SystemStanding(JudgedSystem("s", "1", None), 1, 0, RUN, {"KIP890": counts}, 0, cut, whole, int(anomaly))

    red = anomaly or any(counts.get(name) for name in RED)

    assert (standing.state is ConformanceState.CONFORMS) == (not red and not cut and whole and counts.get("met", 0) > 0)
    assert (standing.state is ConformanceState.NO_VERDICT) == (red and not anomaly and not counts.get("violated"))
    assert not (anomaly or counts.get("violated")) or standing.state is ConformanceState.DOES_NOT
    assert standing.judged <= standing.due or standing.due == 0


def test_a_provisional_red_leaves_the_state_as_it_is_and_is_said() -> None:
    """A badge says the edition; a harness error counts all the same."""
    reported: dict[str, object] = {"edition": "2026.12", "provisional": {"met": 2, "violated": 1}}
    standing = column({"KIP890-060": "met"}, JudgedSystem("kafka", "4.3.1", None), **reported).standing
    broken = column({"KIP890-060": "met"}, JudgedSystem("kafka", "4.3.1", None), provisional={"harness_error": 1}).standing

    assert standing.state is ConformanceState.CONFORMS
    assert badge.message(standing) == "conforms (edition 2026.12), 1 of 1 met"
    red = column({"KIP890-060": "violated"}, JudgedSystem("kafka", "4.3.1", None), edition="2026.12").standing
    assert badge.message(red) == "does not conform (edition 2026.12), 1 violated"
    assert standing.beside == "edition 2026.12; of 3 provisional rows 1 violated"
    assert standing.beside in compliance_page.render(summary(SystemColumn(standing, {}, ())), [], MADE)
    assert broken.state is ConformanceState.NO_VERDICT


def test_a_page_says_every_verdict_in_words_and_why() -> None:
    """Each verdict has its colour and its words; each reason is there with its link; a run that was cut short is marked."""
    cut = Run("nightly/0", RUN.started, False)
    anomalous = Cell("KIP890-068", "MUST", "met", None, RUN, ("G1a: b was read",))
    kafka = column(EVERY, JudgedSystem("kafka", "4.3.1", "kafka-4.3"), f"It is late ({LINK})", cut)
    kafka = SystemColumn(kafka.standing, {**kafka.cells, "KIP890-068": anomalous}, kafka.moments)

    text = compliance_page.render(summary(kafka), [UnreadableFolder("old/run", "is empty")], MADE)

    cells = dict(re.findall(r'<td[^>]*><span class="v (\w+)">(?:<a [^>]*>)?([a-z ,]+)', text))
    assert {name: cells[name] for name in EVERY.values() if name not in ("violated", *UNJUDGED)} == {
        name: view.WORDS[name] for name in EVERY.values() if name not in ("violated", *UNJUDGED)
    }
    assert cells["violated"] == "met, anomaly"  # the last of that colour
    assert text.count(f'href="{LINK}"') == 6
    assert "G1a: b was read" in text
    assert "not complete" in text
    assert "‡" in text
    assert "<code>old/run</code> is empty" in text
    assert "1 could not be read" in text


def test_a_page_needs_nothing_else_and_runs_nothing() -> None:
    """No script, no frame, no picture or style from elsewhere, no handler; addresses are links to deviations and to places on the page."""
    kafka = column(EVERY, JudgedSystem("kafka", "4.3.1", "kafka-4.3"), f"Late ({LINK}) javascript:alert(1)")

    seen = Tags(compliance_page.render(summary(kafka), [], MADE))

    assert seen.tags.isdisjoint({"script", "iframe", "link", "img", "object", "embed", "form", "base", "image", "use", "foreignobject"})
    assert seen.handlers == []
    assert {tag for tag, _ in seen.addresses} == {"a"}
    assert {address for _, address in seen.addresses if not address.startswith(("#", "badges/"))} == {LINK}


def test_nothing_that_results_hold_becomes_markup() -> None:
    """Names, versions, profiles, runs, reasons and paths, in the page, in Markdown and in a badge."""
    run = Run(HOSTILE, RUN.started, True, HOSTILE, (HOSTILE,), HOSTILE)
    evil = column(EVERY, JudgedSystem(HOSTILE, HOSTILE, HOSTILE, HOSTILE), HOSTILE, run, latest=run, images=(HOSTILE, "b"))

    text = compliance_page.render(summary(evil), [UnreadableFolder(HOSTILE, HOSTILE)], MADE)
    plain = markdown.render(summary(evil), [UnreadableFolder(HOSTILE, HOSTILE)], MADE)

    for written in (text, plain, badge.badge(evil.standing)):
        assert "<script" not in written
        assert "\x07" not in written
        assert "\u202e" not in written
    assert text.count("&lt;script&gt;") > 10
    assert "[a](" not in plain
    assert "script" not in Tags(text).tags


@settings(deadline=None)
@given(SYSTEMS, st.text())
@example(JudgedSystem(".", None, None), "")
def test_a_badge_is_xml_and_says_its_state(system: JudgedSystem, name: str) -> None:
    """Whatever a system is called; its file has a plain name."""
    standing = column(EVERY, system, latest=Run(name, RUN.started, True)).standing

    drawn = ET.fromstring(badge.badge(standing))  # noqa: S314 our own

    assert re.search(r"does not conform( \(edition [^)]*\))?, 1 violated", str(drawn.get("aria-label")))
    assert re.fullmatch(r"[\w.+-]{1,100}\.svg", badge.file_name(system), re.ASCII)
    assert not badge.file_name(system).startswith(".")


@settings(deadline=None)
@given(st.lists(SYSTEMS | ALIKE, unique=True, max_size=8))
@example([JudgedSystem("a", "1", profile) for profile in (None, "a", "a-1", "b", "a-1.0")])
@example([JudgedSystem("a", "1 as x", None), JudgedSystem("a", "1", "x"), JudgedSystem("a-1", "x", None), JudgedSystem("A", "1", "x")])
@example([JudgedSystem("a", "1.2.3", profile) for profile in ("a-1", "a-1.2")])
@example([JudgedSystem("a", "1", "b-1", None), JudgedSystem("a", "1", "b-1", "c"), JudgedSystem("a", "1", "b-1-c", None)])
def test_two_systems_never_share_a_badge(systems: list[JudgedSystem]) -> None:
    """Names that differ only in characters that a file's name cannot have get different files."""
    assert len({badge.file_name(system).casefold() for system in systems}) == len(systems)


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_line_of_a_markdown_table_stays_one(name: str, reason: str) -> None:
    """As many cells as the head has, whatever is written into them."""
    system = JudgedSystem(name, reason, None)

    lines = markdown.render(summary(column(EVERY, system, reason)), [], MADE).split("\n")

    bars = [len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("| ")]
    assert set(bars) == {12, 3}


def test_versions_are_in_order_and_each_has_its_bar() -> None:
    """4.10 comes after 4.9, and what is no version comes last; the parts of a bar are as long as its counts."""
    shown = [column(EVERY, JudgedSystem("kafka", version, None)) for version in ("4.10", "unknown", "4.9", None)]

    columns = view.matrix(shown).columns
    drawn = trend.over_versions("kafka", columns)

    assert [one.standing.system.version for one in columns] == ["4.9", "4.10", None, "unknown"]
    assert len({box.y for box in drawn.boxes}) == len(columns)
    assert {box.verdict for box in drawn.boxes} == set(VERDICTS) - {"excluded"}
    assert all(box.x >= trend.LEFT and box.x + box.width <= trend.LEFT + trend.AREA + 30 for box in drawn.boxes)
    times = trend.over_time("kafka", columns)
    assert times is not None
    assert all(box.y >= 0 and box.y + box.height <= times.height and box.x + box.width <= trend.WIDTH for box in times.boxes)


def test_a_broken_variant_has_a_column_pictures_and_a_badge_of_its_own() -> None:
    """Next to the conforming one, which has none of its reds; each is named, also where a badge is short of space."""
    honest, broken = JudgedSystem("reference", "0.1.0", "seed"), JudgedSystem("reference", "0.1.0", "seed", "no-epoch-bump")
    columns = [column({"KIP890-060": "met"}, honest), column({"KIP890-060": "violated"}, broken)]

    text = compliance_page.render(summary(*columns), [], MADE)

    assert [name for name, _ in view.by_system(columns).items()] == ["reference", "reference with the defect no-epoch-bump"]
    assert "<h3>reference with the defect no-epoch-bump</h3>" in text
    assert text.count("<b>reference 0.1.0 as seed, with the defect no-epoch-bump</b>") == 1
    assert badge.file_name(honest) == "reference-0.1.0-seed.svg"
    assert re.fullmatch(r"reference-0\.1\.0-seed-no-epoch-bump-[0-9a-f]{8}\.svg", badge.file_name(broken))
    long = column({"KIP890-060": "met"}, JudgedSystem("reference" * 9, "0.1.0", "seed", "no-epoch-bump")).standing
    assert "... with the defect no-epoch-bump: conforms" in badge.badge(long)


def test_the_badge_of_a_system_has_the_name_that_it_always_had() -> None:
    """Links to it stay good, also where the name needs a digest."""
    assert badge.file_name(JudgedSystem("kafka", "4.3.1", "kafka-4.3")) == "kafka-4.3.1.svg"
    assert badge.file_name(JudgedSystem("Kafka", None, None)) == "Kafka-_version-not-known_-55e480f0.svg"


def test_the_notifications_of_a_run_are_next_to_it() -> None:
    """Its image, labels and the release that it is known as: at the system, and where the mouse is. Several images are one system."""
    run = Run("nightly/1", RUN.started, True, "corp/broker:2.7 sha256:1a", ("commit=1a2b",), "kafka:4.3.1")
    images = ("corp/broker:2.7 sha256:1a", "corp/broker:2.7 sha256:0f")
    shown = summary(column(EVERY, JudgedSystem("corp", "2.7", "kafka-4.3"), "late", run, latest=run, images=images))

    text, plain = compliance_page.render(shown, [], MADE), markdown.render(shown, [], MADE)

    beside = "\ncorp/broker:2.7 sha256:1a\nknown as kafka:4.3.1\ncommit=1a2b"
    assert f'title="nightly/1, 2026-11-20 03:00{beside}"' in text
    assert "<summary>2 images</summary>" in text
    assert [text.count(f">{image}</small>") for image in images] == [2, 1]
    assert "corp 2.7 as kafka-4.3 (corp/broker:2.7 sha256:1a; known as kafka:4.3.1; commit=1a2b; 2 images)" in plain


@pytest.mark.parametrize(
    ("lasts", "shown"),
    [
        (timedelta(), ["11-03 04:01"]),
        (timedelta(minutes=9), ["11-03 04:05", "11-03 04:10"]),
        (timedelta(hours=5), ["11-03 05:00", "11-03 06:00", "11-03 07:00", "11-03 08:00", "11-03 09:00"]),
        (timedelta(days=12), [f"2026-11-{day:02}" for day in (5, 7, 9, 11, 13, 15)]),
        (timedelta(days=45), ["2026-11-09", "2026-11-16", "2026-11-23", "2026-11-30", "2026-12-07", "2026-12-14"]),
        (timedelta(days=700), ["2027-01", "2027-04", "2027-07", "2027-10", "2028-01", "2028-04", "2028-07", "2028-10"]),
        (timedelta(days=9000), ["2030", "2035", "2040", "2045", "2050"]),
    ],
)
def test_an_axis_has_round_times(lasts: timedelta, shown: list[str]) -> None:
    """Minutes, hours, days, Mondays, months or years: the finest that are not too many."""
    first = datetime(2026, 11, 3, 4, 1, tzinfo=UTC)

    scale = ticks.between(first, first + lasts)

    assert [time.strftime(scale.form) for time in scale.times] == shown


@settings(deadline=None)
@given(st.lists(st.datetimes(datetime(1970, 1, 1), timezones=st.just(UTC)), min_size=2, max_size=2))  # noqa: DTZ001 it gets one
def test_times_of_an_axis_are_within_it(ends: list[datetime]) -> None:
    """In order, never too many; and where they are is drawn within the picture."""
    first, last = sorted(ends)

    times = ticks.between(first, last).times

    assert len(times) <= ticks.MOST
    assert list(times) == sorted(set(times))
    assert all(first <= time <= last for time in times)
    moments = tuple(Moment(47 * number, Run("r", time, True), dict.fromkeys(VERDICTS, 1)) for number, time in enumerate((first, last)))
    one = column(EVERY, JudgedSystem("kafka", "4", None))
    drawn = trend.over_time("kafka", [SystemColumn(one.standing, one.cells, moments, (first, last))])
    assert drawn is not None
    assert all(trend.LEFT <= line.x <= line.to_x <= trend.WIDTH and 0 <= line.y <= line.to_y <= drawn.height for line in drawn.lines)
    assert len(drawn.lines) == 2 + (len(times) if first < last else 0)


def test_a_requirement_that_the_register_does_not_know_is_shown() -> None:
    """Results of another release of the kit are not dropped."""
    text = compliance_page.render(summary(column({"NEW9-001": "met"}, JudgedSystem("kafka", "4", None))), [], MADE)

    assert "NEW9-001" in text
    assert "not in the register of this release" in text


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_what_is_cleaned_can_be_written(text: str) -> None:
    """As UTF-8, and in XML."""
    ET.fromstring(f"<a>{clean(text).replace('&', '&amp;').replace('<', '&lt;')}</a>".encode())  # noqa: S314 our own
