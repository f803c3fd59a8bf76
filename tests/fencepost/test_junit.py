"""junit.xml as GitLab, Jenkins and people read it: names, properties, counts, and an end that is reported."""

import socket
from pathlib import Path
from xml.etree import ElementTree as Xml

from commands import compliance, fencepost

from fencepost.results.junit import named

WRITTEN = (
    '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="fencepost" errors="0" failures="0" skipped="0" '
    'tests="1" time="0.1" timestamp="2026-11-22T12:00:00+00:00" hostname="build-7"><testcase classname="a.b" name="test_c" time="0.1"/>'
    "</testsuite></testsuites>"
)


def parsed(folder: Path) -> Xml.Element:
    return Xml.fromstring((folder / "junit.xml").read_text(encoding="utf-8"))  # noqa: S314 - we wrote it


def cases(folder: Path) -> list[Xml.Element]:
    """The test cases, in order."""
    return list(parsed(folder).iter("testcase"))


def properties(case: Xml.Element) -> dict[str | None, str | None]:
    return {one.get("name"): one.get("value") for one in case.iter("property")}


def test_every_scenario_has_its_own_name(reference_run: tuple[Path, str]) -> None:
    """Requirement, number and title; the class is proposal and feature; also for outlines and for what two protocols are asked."""
    found = cases(reference_run[0])
    names = [(case.get("classname"), case.get("name")) for case in found]

    assert len(set(names)) == len(names) == sum(len(row["scenarios"]) for row in compliance(reference_run[0])["requirements"])
    assert ("kip890.ending", "KIP890-060 [1] A commit of one record") in names
    assert ("core.visibility", "CORE-01 [1] A transaction with one write commits (kafka)") in names
    assert any(name.endswith(", example 2") for _, name in names if name)
    one = next(case for case in found if case.get("name") == "KIP890-060 [1] A commit of one record")
    assert properties(one) == {
        "requirement": "KIP890-060",
        "feature": "kip890/ending.feature",
        "scenario": "[1] A commit of one record",
        "verdict": "met",
    }


def test_nothing_of_the_machine_is_reported(reference_run: tuple[Path, str]) -> None:
    """Neither the name of the host, nor a path, nor an attribute that strict readers do not know."""
    document = (reference_run[0] / "junit.xml").read_text(encoding="utf-8")

    assert "hostname" not in document
    assert f'"{socket.gethostname()}"' not in document
    assert {name for case in cases(reference_run[0]) for name in case.attrib} == {"classname", "name", "time"}


def test_a_red_is_a_failure_with_its_text(tmp_path: Path) -> None:
    """The file also has what is met, and the counts of the whole."""
    asked = ("--only", "KIP890-060", "--only", "KIP890-141", "--defect", "no-epoch-bump", "--no-html")
    fencepost("run", *asked, "--results", tmp_path, expect=1)

    found = {case.get("name"): case for case in cases(tmp_path)}
    red = found["KIP890-060 [1] A commit of one record"].find("failure")

    assert len(found) == 5
    assert red is not None
    assert "KIP890-060 VIOLATED" in (red.text or "")
    assert found["KIP890-141 [1] A new client has written a record in its open transaction"].find("failure") is None
    (suite,) = parsed(tmp_path)
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("fencepost", "5", "3", "0")


def test_tests_that_are_no_scenarios_keep_their_names() -> None:
    """A user's own tests share the file with ours; only a run that did not finish adds a test case."""
    whole, cut = (Xml.fromstring(named(WRITTEN, why)) for why in (None, "it was stopped"))  # noqa: S314 - we wrote it

    assert [case.get("name") for case in whole.iter("testcase")] == ["test_c"]
    assert "hostname" not in whole[0].attrib
    assert [case.get("name") for case in cut.iter("testcase")] == ["test_c", "run"]
    assert (cut[0].get("tests"), cut[0].get("errors")) == ("2", "1")
