"""A run by an edition: what is provisional is judged and shown, and fails no system."""

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from commands import compliance, fencepost

from fencepost.contract import editions
from fencepost.contract.editions import Edition, Editions
from fencepost.contract.errors import Exit
from fencepost.run import pytest_session

DEFECT = ("--defect=no-epoch-bump", "--only=KIP890-060,KIP890-090", "--no-html", "--capture=no")


def judged(folder: Path, *more: str) -> tuple[Exit, dict[str, str]]:
    """The exit code, and the outcomes of the test cases in junit.xml."""
    ended = pytest_session.judge([f"--results={folder}", *DEFECT, *more], workers=1)
    cases = Xml.parse(folder / "junit.xml").iter("testcase")  # noqa: S314 - the run wrote it a moment ago
    return ended.exit, {
        case.get("name", "").partition(" ")[0]: next((one.tag for one in case if one.tag != "properties"), "") for case in cases
    }


def test_a_red_that_is_provisional_is_shown_and_fails_neither_the_run_nor_its_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --edition next, both fail."""
    only = {"kip890": (Edition("2026.12", ("KIP890-090",)),)}
    monkeypatch.setattr(editions, "bundled", lambda: Editions(only))

    code, cases = judged(tmp_path / "now")
    found = compliance(tmp_path / "now")
    code_next, cases_next = judged(tmp_path / "then", "--edition=next")

    assert (code, cases) == (Exit.CONFORMS, {"KIP890-060": "skipped", "KIP890-090": ""})
    assert (found["provisional"]["violated"], found["totals"]["violated"], found["totals"]["met"]) == (1, 0, 1)
    assert (code_next, cases_next["KIP890-060"]) == (Exit.DOES_NOT, "failure")
    shown = [json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "now" / "allure-results").glob("*-result.json")]
    provisional = [one for one in shown if "(provisional)" in one["name"]]
    assert {one["status"] for one in provisional} == {"failed"}
    assert all(one["statusDetails"]["message"].startswith("Provisional: Violated: ") for one in provisional)


def test_a_run_says_by_which_edition_it_judges(tmp_path: Path) -> None:
    """At its end, in compliance.json and junit.xml, and in the report's overview."""
    out = fencepost("run", "--only", "KIP890-060", "--results", tmp_path, "--no-html", expect=0).out

    assert "conforms as far as it was tested against KIP-890 (Fencepost edition 2026.12)" in out
    assert compliance(tmp_path)["editions"]["kip890"] == "2026.12"
    suite_properties = Xml.parse(tmp_path / "junit.xml").iterfind("./testsuite/properties/property")  # noqa: S314 - the run wrote it
    assert [(one.get("name"), one.get("value")) for one in suite_properties] == [("edition", "2026.12")]
    assert "edition = 2026.12\n" in (tmp_path / "allure-results" / "environment.properties").read_text(encoding="utf-8")
