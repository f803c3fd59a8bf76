"""From the results of runs to what a report shows: on Spark, and the same as by hand."""

import json
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from compliance_files import VERDICTS, reported, system, write
from pyspark.sql import SparkSession

from fencepost.pipeline.compliance import facts, folders, table
from fencepost.pipeline.compliance.facts import ConformanceState, JudgedSystem, ReportSummary, SystemStanding
from fencepost.pipeline.compliance.summary import summarise

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

KAFKA = JudgedSystem("kafka", "4.3.1", "kafka-4.3")
Told = Callable[..., ReportSummary]


@pytest.fixture
def report(spark: SparkSession, tmp_path: Path) -> Told:
    """The report of the runs in tmp_path/in."""

    def summary(columns: int = 24) -> ReportSummary:
        found = folders.find([str(tmp_path / "in")])
        assert table.store(spark, found.sources, tmp_path / "table") == []
        return summarise(spark, table.read(spark, tmp_path / "table"), tmp_path / "latest", columns)

    return summary


def of(summary: ReportSummary, wanted: JudgedSystem = KAFKA) -> SystemStanding:
    """The standing of one system."""
    return next(standing for standing in summary.standings if standing.system == wanted)


def verdicts(summary: ReportSummary, wanted: JudgedSystem = KAFKA) -> Mapping[str, str]:
    """The cells of one column."""
    column = next(column for column in summary.columns if column.standing.system == wanted)
    return {name: cell.verdict for name, cell in column.cells.items()}


def at(day: int) -> str:
    return f"2026-11-{day:02}T03:00:00+00:00"


def test_documents_that_cannot_be_used_are_named_with_the_reason_and_the_rest_is_read(spark: SparkSession, tmp_path: Path) -> None:
    """Cut off, not UTF-8, of another version or shape, or at odds with itself."""
    good = reported({"KIP890-060": "met"})
    text = json.dumps(good)
    twice = good | {"requirements": good["requirements"] * 2}
    odd = good | {"requirements": [good["requirements"][0] | {"verdict": "splendid"}]}
    nameless = good | {"requirements": [good["requirements"][0] | {"id": "<b>"}]}
    bad: dict[str, tuple[bytes, str]] = {
        "cut": (text[: len(text) // 2].encode(), "not one JSON object"),
        "array": (b"[1, 2]", "not one JSON object"),
        "text": (b"not JSON at all", "not one JSON object"),
        "bytes": (text.encode().replace(b"kafka", b"\xff\xfe", 1), "not UTF-8"),
        "wrong-type": (json.dumps(good | {"complete": "yes"}).encode(), "not one JSON object"),
        "newer": (json.dumps(good | {"schema_version": 2}).encode(), "schema version 2 is not known, expected 1"),
        "newest": (b'{"schema_version": 3, "complete": {"or": "not"}}', "schema version 3 is not known, expected 1"),
        "empty-object": (b"{}", "has no schema_version"),
        "no name": (json.dumps(good | {"system": {}}).encode(), "has no system.name"),
        "undecided": (json.dumps(good | {"complete": None}).encode(), "does not say whether it is complete"),
        "undated": (json.dumps(good | {"started": None}).encode(), "does not say when it started"),
        "strange-date": (json.dumps(good | {"started": "yesterday"}).encode(), "started is not a time: yesterday"),
        "far-date": (json.dumps(good | {"started": "+99999-01-01T00:00:00Z"}).encode(), "started is not a time"),
        "nothing": (json.dumps(good | {"requirements": []}).encode(), "has no requirements"),
        "twice": (json.dumps(twice).encode(), "has a requirement twice"),
        "odd": (json.dumps(odd).encode(), "the verdict on KIP890-060 is splendid, expected one of met,"),
        "nameless": (json.dumps(nameless).encode(), "has a requirement without a proper id"),
    }
    for name, (content, _) in bad.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "compliance.json").write_bytes(content)
    write(tmp_path / "in/sound, with a + and a [1]", {"KIP890-060": "met", "KIP890-061": "violated"})

    unreadable = table.store(spark, folders.find([str(tmp_path / "in")]).sources, tmp_path / "table")

    said = {one.path: one.reason for one in unreadable}
    assert set(said) == set(bad)
    assert [name for name, (_, reason) in bad.items() if reason not in said[name]] == []
    rows = table.read(spark, tmp_path / "table").collect()
    assert {(row.run, row.requirement, row.verdict) for row in rows} == {
        ("sound, with a + and a [1]", "KIP890-060", "met"),
        ("sound, with a + and a [1]", "KIP890-061", "violated"),
    }
    assert spark.read.parquet(str(tmp_path / "table")).schema == table.ROW


def test_the_latest_run_that_judged_a_requirement_counts(report: Told, tmp_path: Path) -> None:
    """A later run that asked for one requirement only takes the others off no table, and a red stays until it was judged again."""
    folder = tmp_path / "in"
    write(folder / "a", {"KIP890-060": "violated", "KIP890-061": "met", "KIP890-062": "violated"}, started=at(1))
    write(folder / "b", {"KIP890-060": "met", "KIP890-061": "not_run", "KIP890-062": "not_run"}, started=at(2), selection=ONLY)

    summary = report()

    assert verdicts(summary) == {"KIP890-060": "met", "KIP890-061": "met", "KIP890-062": "violated"}
    kafka = of(summary)
    assert (kafka.state, kafka.borrowed, kafka.latest.name, kafka.runs) == (ConformanceState.DOES_NOT, 2, "b", 2)
    assert summary.columns[0].cells["KIP890-062"].run.name == "a"


def test_provisional_rows_are_counted_apart_with_the_edition_that_leaves_them_out(report: Told, tmp_path: Path) -> None:
    """Of older results, which know no editions, everything counts."""
    run = reported({"KIP890-060": "met", "KIP890-061": "violated"}, editions={"kip890": "2026.12", "kip939": None})
    run["requirements"][1]["provisional"] = True
    (tmp_path / "in/a").mkdir(parents=True)
    (tmp_path / "in/a/compliance.json").write_text(json.dumps(run), encoding="utf-8")
    write(tmp_path / "in/b", {"KIP890-060": "met", "KIP890-061": "violated"}, system=system("4.0.0"))

    summary = report()

    newer, older = of(summary), of(summary, JudgedSystem("kafka", "4.0.0", None))
    assert (newer.state, newer.edition, newer.provisional, newer.totals["violated"]) == (
        ConformanceState.CONFORMS,
        "2026.12",
        {"violated": 1},
        0,
    )
    assert (older.state, older.edition, older.provisional) == (ConformanceState.DOES_NOT, "", {})


def test_a_run_that_was_cut_short_keeps_a_system_from_conforming(report: Told, tmp_path: Path) -> None:
    """A met of a run that is not complete may have scenarios that did not run."""
    folder = tmp_path / "in"
    write(folder / "a", {"KIP890-060": "met", "KIP890-061": "met"}, started=at(1))
    write(folder / "b", {"KIP890-060": "met", "KIP890-061": "not_run"}, started=at(2), complete=False)
    write(folder / "c", {"KIP890-060": "met"}, system=system("4.0.0"), started=at(1))
    write(folder / "d", {"KIP890-060": "met"}, system=system("4.1.0"), selection=ONLY)
    write(folder / "e", {"KIP890-060": "not_run"}, system=system(None), complete=False)

    summary = report()

    states = {standing.system.version: standing.state for standing in summary.standings}
    assert states == {
        "4.3.1": ConformanceState.INCOMPLETE,
        "4.0.0": ConformanceState.CONFORMS,
        "4.1.0": ConformanceState.PARTIAL,
        None: ConformanceState.INCOMPLETE,
    }
    assert (summary.runs, summary.incomplete, of(summary).incomplete) == (5, 2, 1)
    assert summary.columns[0].cells["KIP890-060"].run.complete is False


def test_a_proposal_that_was_asked_in_part_is_not_made_whole_by_another(report: Told, tmp_path: Path) -> None:
    """All of the core and one requirement of KIP-890 are no conformance; all of both are, though in two runs."""
    folder = tmp_path / "in"
    for version, selection in (("4.0.0", ONLY), ("4.3.1", {**ONLY, "only": []})):
        write(folder / version / "a", {"CORE-01": "met"}, system=system(version), selection={"specs": ["core"], "only": [], "levels": []})
        write(folder / version / "b", {"KIP890-060": "met"}, system=system(version), selection=selection, started=at(1))

    states = {standing.system.version: standing.state for standing in report().standings}

    assert states == {"4.0.0": ConformanceState.PARTIAL, "4.3.1": ConformanceState.CONFORMS}


def test_an_anomaly_in_a_history_is_red_whatever_the_verdict_is(report: Told, tmp_path: Path) -> None:
    """Unless the run itself explains it."""
    found = {"requirement": "KIP890-060", "anomaly": "G1a", "red": True, "witness": "r: b was read at offset 3"}
    histories = {"judged": 1, "quarantined": 0, "anomalies": [found, found | {"requirement": "KIP890-061", "red": False}]}
    write(tmp_path / "in/a", {"KIP890-060": "met", "KIP890-061": "met"}, histories=histories)

    summary = report()

    assert (of(summary).state, of(summary).anomalies) == (ConformanceState.DOES_NOT, 1)
    cells = summary.columns[0].cells
    assert (cells["KIP890-060"].anomalies, cells["KIP890-061"].anomalies) == (("G1a: r: b was read at offset 3",), ())


def test_a_broken_variant_is_another_system(report: Told, tmp_path: Path) -> None:
    """Its runs take nothing off the honest one and add nothing; so with another name or version. Labels make no difference."""
    folder = tmp_path / "in"
    honest = system("0.1.0", "reference", "seed")
    write(folder / "a", {"KIP890-060": "met"}, system=honest, started=at(1))
    write(folder / "b", {"KIP890-060": "violated"}, system=honest | {"defect": "no-epoch-bump"}, started=at(2))
    write(folder / "c", {"KIP890-060": "violated"}, system=honest | {"name": "mine"}, started=at(3))
    write(folder / "d", {"KIP890-060": "violated"}, system=honest | {"version": "0.2"}, started=at(4))
    write(folder / "e", {"KIP890-060": "met"}, system=honest | {"labels": {"branch": "x", "a": "b"}, "defect": None}, started=at(5))

    summary = report()

    found = {str(standing.system): (standing.runs, standing.state, standing.latest.name) for standing in summary.standings}
    assert found == {
        "reference 0.1.0 as seed": (2, ConformanceState.CONFORMS, "e"),
        "reference 0.1.0 as seed, with the defect no-epoch-bump": (1, ConformanceState.DOES_NOT, "b"),
        "mine 0.1.0 as seed": (1, ConformanceState.DOES_NOT, "c"),
        "reference 0.2 as seed": (1, ConformanceState.DOES_NOT, "d"),
    }
    spans = {column.standing.latest.name: [time.day for time in column.span or ()] for column in summary.columns}
    assert spans == {"e": [1, 5], "b": [2, 2], "c": [3, 3], "d": [1, 5]}
    assert of(summary, JudgedSystem("reference", "0.1.0", "seed")).latest.labels == ("a=b", "branch=x")


def test_an_image_that_was_built_again_is_the_same_system(report: Told, tmp_path: Path) -> None:
    """The images are listed, the latest first, each once; each cell has the one that it was judged on. Older results have none."""
    folder = tmp_path / "in"
    for day, (digest, verdict) in enumerate([("sha256:1", "met"), ("sha256:2", "violated"), ("sha256:1", "not_run"), (None, "not_run")], 1):
        image = {"name": "corp/broker:2.7", "digest": digest} if digest else None
        made = system("2.7", profile="kafka-4.3") | {"image": image, "known_as": "kafka:4.3.1", "labels": {}}
        write(folder / str(day), {"KIP890-060": verdict}, system=made, started=at(day))

    (standing,) = (summary := report()).standings

    assert standing.images == ("corp/broker:2.7 sha256:1", "corp/broker:2.7 sha256:2")
    assert (standing.latest.image, standing.latest.known_as) == (None, "kafka:4.3.1")
    (column,) = summary.columns
    assert column.cells["KIP890-060"].run.reported == ("corp/broker:2.7 sha256:2", "known as kafka:4.3.1")
    assert [moment.run.image for moment in column.moments] == [*standing.images, "corp/broker:2.7 sha256:1", None]


def test_a_page_gets_no_more_columns_and_moments_than_it_can_show(report: Told, tmp_path: Path) -> None:
    """Systems that ran last are reported in full; the others only with their verdicts. For each stretch of time the last
    run is reported.
    """
    for number in range(90):
        day = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
        made = system(f"4.{number % 6}", profile="kafka-4")
        write(tmp_path / f"in/{number:02}", {"KIP890-060": "met"}, system=made, started=day.isoformat())

    summary = report(columns=2)

    assert [column.standing.system.version for column in summary.columns] == ["4.5", "4.4"]
    assert (len(summary.standings), summary.runs) == (6, 90)
    for column in summary.columns:
        stretches = [moment.stretch for moment in column.moments]
        assert stretches == sorted(set(stretches))
        assert max(stretches) < facts.STRETCHES
        assert column.moments[-1].run == column.standing.latest
        assert all(moment.totals["met"] == 1 for moment in column.moments)


def test_many_runs_are_summed_up_as_by_hand(report: Told, tmp_path: Path) -> None:
    """Random runs, and a plain loop over them: the same cells, counts and latest runs."""
    chance = random.Random(11)
    runs: list[dict[str, Any]] = []
    for number in range(60):
        made = system(chance.choice(["4.0", "4.1", None]), chance.choice(["kafka", "pulsar"]), chance.choice(["seed", None]))
        given = {f"KIP890-{row:03}": chance.choice(VERDICTS) for row in range(1, 9) if chance.random() < 0.9}
        started = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=chance.randrange(40))).isoformat()
        runs.append({"run": f"{number:02}", "verdicts": given, "system": made, "started": started, "complete": chance.random() < 0.8})
        write(tmp_path / f"in/{number:02}", given, system=made, started=started, complete=runs[-1]["complete"])

    summary = report(columns=100)

    expected: dict[JudgedSystem, dict[str, tuple[str, str]]] = {}
    for run in sorted(runs, key=lambda one: (one["started"], one["run"])):
        cells = expected.setdefault(JudgedSystem(*run["system"].values()), {})
        for name, verdict in run["verdicts"].items():
            if verdict not in facts.UNJUDGED or cells.get(name, (verdict, ""))[0] in facts.UNJUDGED:
                cells[name] = (verdict, run["run"])
    seen = {
        column.standing.system: {name: (cell.verdict, cell.run.name) for name, cell in column.cells.items()} for column in summary.columns
    }
    assert seen == expected
    for standing in summary.standings:
        own = [run for run in runs if JudgedSystem(*run["system"].values()) == standing.system]
        notified_of = [verdict for verdict, _ in expected[standing.system].values()]
        assert standing.totals == {verdict: notified_of.count(verdict) for verdict in VERDICTS}
        assert standing.latest.name == max(own, key=lambda one: (one["started"], one["run"]))["run"]
        assert (standing.runs, standing.incomplete) == (len(own), sum(not run["complete"] for run in own))


ONLY = {"specs": ["kip890"], "only": ["KIP890-060"], "levels": []}
