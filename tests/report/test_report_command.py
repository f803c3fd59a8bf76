"""`fencepost report` as its users call it, on the session of the tests: it starts one as `fencepost check` does (test_check_command)."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
import tutorial
from commands import CHECKOUT, fencepost
from compliance_files import system, write
from on_one_spark import fencepost_on

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

SCHEMA = json.loads((CHECKOUT / "report/compliance/report.schema.json").read_text(encoding="utf-8"))
RED = {"KIP890-060": "met", "KIP890-061": "violated", "KIP890-062": "known_deviation"}


def test_runs_become_a_matrix_with_badges_and_tables(spark: "SparkSession", tmp_path: Path) -> None:
    """A real run of the reference next to results of brokers, as in the tutorial; what cannot be read is named, and the report is made
    all the same."""
    (line,) = (one for one in tutorial.commands() if one.words[:2] == ["fencepost", "report"])
    *_, given, _, named = line.words
    results, out = tmp_path / given, tmp_path / named
    fencepost("run", "--only", "KIP890-060", "--no-html", "--results", results / "ours", expect=0)
    write(results / "k431", RED)
    write(results / "k400", {"KIP890-060": "met"}, system=system("4.0.0", profile="kafka-4.0"))
    write(results / "broken", {}).joinpath("compliance.json").write_text('{"schema_version": 1, "requ', encoding="utf-8")
    out.mkdir()
    (out / "notes.txt").write_text("the user's own", encoding="utf-8")

    done = fencepost_on(spark, line.words[1], results, "--out", out, expect=line.code)

    reported = json.loads((out / "report.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(reported)
    assert reported["complete"] is True
    states = {(one["system"]["name"], one["system"]["version"]): one["state"] for one in reported["systems"]}
    assert (states["kafka", "4.0.0"], states["kafka", "4.3.1"]) == ("conforms", "does_not_conform")
    assert [state for (name, _), state in states.items() if name == "reference"] == ["partial"]
    assert [one["path"] for one in reported["unreadable"]] == ["broken"]
    assert "1 could not be read: broken" in done.out
    assert "does not conform" in done.out
    for one in reported["systems"]:
        assert ET.parse(out / one["badge"]).getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 our own
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "kafka 4.3.1" in page
    assert 'href="https://example.org/KIP890-062"' in page
    assert "🟥 violated" in (out / "compliance.md").read_text(encoding="utf-8")
    assert list((out / "table").glob("*.parquet"))
    assert list((out / "latest").glob("*.parquet"))
    assert (out / "notes.txt").exists()


def test_a_report_can_be_made_again_where_one_stands(spark: "SparkSession", tmp_path: Path) -> None:
    """Below the results themselves; the last report is no run, and its badges go."""
    folder = write(tmp_path / "results/k431", RED)

    fencepost_on(spark, "report", tmp_path / "results", "--out", tmp_path / "results/report", expect=0)
    write(folder, {"KIP890-060": "met"}, system=system("4.4.0", profile="kafka-4.4"))
    again = fencepost_on(spark, "report", tmp_path / "results", "--out", tmp_path / "results/report", "--format", "json", expect=0)

    reported = json.loads(again.out)
    assert (reported["runs"], reported["unreadable"]) == (1, [])
    assert [path.name for path in (tmp_path / "results/report/badges").iterdir()] == ["kafka-4.4.0.svg"]


def test_usage_errors_come_before_spark(tmp_path: Path) -> None:
    """A misspelt path, another format, nothing that can be read, and a folder with files of the user."""
    write(tmp_path / "in", RED)
    (tmp_path / "nothing").mkdir()

    assert "does not exist" in fencepost("report", tmp_path / "nowhere", expect=2).err
    assert "unknown format 'xml'; known: table, json" in fencepost("report", tmp_path / "in", "--format", "xml", expect=2).err
    assert "nothing has no compliance.json" in fencepost("report", tmp_path / "nothing", expect=2).err
    (tmp_path / "own/table").mkdir(parents=True)
    (tmp_path / "own/table/theirs.csv").touch()
    assert "name another folder" in fencepost("report", tmp_path / "in", "--out", tmp_path / "own", expect=2).err
    assert (tmp_path / "own/table/theirs.csv").exists()
    assert "Examples" in fencepost("report", "--help", expect=0).out
