"""The Allure report: the content of each result, and what the page keeps of what Allure wrote."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import CHECKOUT, fencepost, pytest_with_plugin

from fencepost.contract.evidence import Mismatch
from fencepost.contract.ports import Exchange
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.report.allure_causes import Grouped
from fencepost.report.allure_evidence import StepEvidence, clock, page
from fencepost.report.allure_html import HOW_TO_GET_IT
from fencepost.report.allure_page import packed, tidied

DATA = {"widgets/statistic.json": "eyJ0b3RhbCI6MX0=", "data/test-results/1.json": "e30="}
WRITTEN = """<html><head><title>x</title></head><body>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
<script>function gtag(){dataLayer.push(arguments);} gtag('js', new Date());</script>
<script defer>
      Promise.allSettled([%s])
        .then(function(){
          window.allureReportDataReady = true;
        })
    </script></body></html>"""
EVIL = "<script>alert(1)</script>"


def written(data: dict[str, str]) -> str:
    return WRITTEN % ",".join(f'd("{name}","{value}")' for name, value in data.items())


def results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in (folder / "allure-results").glob("*-result.json")]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One requirement that is violated, and one that is met."""
    folder = tmp_path_factory.mktemp("broken")
    only = ("--only", "KIP890-061", "--only", "KIP890-141")
    fencepost("run", "--no-html", "--defect", "no-epoch-bump", *only, "--results", folder, expect=1)
    return folder


def test_a_violation_says_first_what_was_expected_seen_and_said_last(broken: Path) -> None:
    """The message has the verdict, the mismatch, and the last request with its answer, at a time of the clock."""
    (red,) = [result for result in results(broken) if result["status"] == "failed"]
    message = red["statusDetails"]["message"]

    assert re.match(r"Violated: answer to EndTxn\nexpected: success .*epoch 1\)\nseen: success .*epoch 0\)\nlast request", message)
    assert re.search(r"last request, at \d\d:\d\d:\d\d\.\d{3}: A to \S+, EndTxn v5: \{", message)
    assert "its answer: {" in message


def test_only_what_is_not_met_has_a_page(broken: Path) -> None:
    """After its picture, with the last exchange before all others; a green scenario's conversation is in its history."""
    pages = {result["status"]: result.get("attachments", []) for result in results(broken)}

    assert pages["passed"] == []
    _, attached = pages["failed"]
    text = (broken / "allure-results" / attached["source"]).read_text(encoding="utf-8")
    assert text.index("The last request and its answer") < text.index("All requests and answers") < text.index("Given a topic")
    assert "<script" not in text


def test_the_first_thing_of_a_red_is_its_sequence_picture(broken: Path) -> None:
    """With the steps, the exchange that decided, and what was expected next to what was seen."""
    (red,) = [result for result in results(broken) if result["status"] == "failed"]

    first = red["attachments"][0]
    svg = (broken / "allure-results" / first["source"]).read_text(encoding="utf-8")
    assert first["type"] == "image/svg+xml"
    reported = (
        r">When A aborts<.*>decisive<.*>EndTxn v5 abort: .*>expected: success .*epoch 1\).*>seen: success .*epoch 0\)<.* \(not reached\)<"
    )
    assert re.search(reported, svg, re.S)
    assert svg == (CHECKOUT / "docs" / "sequence.svg").read_text(encoding="utf-8"), "make docs draws it again"


def test_steps_after_the_failed_one_are_shown_as_not_run(broken: Path) -> None:
    """A reader sees the whole scenario."""
    (red,) = [result for result in results(broken) if result["status"] == "failed"]

    assert [step["status"] for step in red["steps"]][-2:] == ["failed", "skipped"]


def a_red(verdict: Verdict = Verdict.VIOLATED, **more: Any) -> ScenarioResult:
    given: dict[str, Any] = {"reason": "why", "evidence": 0, "seconds": 0.0, "run": "KIP890-060-[1] One"} | more
    return ScenarioResult("KIP890-060", "f", "[1] One", verdict, **given)


def reported(grouped: Grouped, name: str, message: str = "Violated: x") -> dict[str, Any]:
    result = {"fullName": name, "labels": [], "statusDetails": {"message": message}}
    made: dict[str, Any] = json.loads(grouped.completed(json.dumps(result)))
    return made


def test_a_red_has_the_cause_that_explains_it_as_a_label() -> None:
    """The label by which the page groups it; a green scenario of the same name, and any other result, is unchanged."""
    grouped = Grouped.of([a_red(), a_red(Verdict.MET, run="another")], {EVIL: {"KIP890-060": ("[1] One",)}})

    assert grouped.titles == (EVIL,)
    assert reported(grouped, "f: KIP890-060-[1] One")["labels"] == [{"name": "cause", "value": EVIL}]
    assert reported(grouped, "f: another")["labels"] == []


def test_what_is_blocked_says_by_what() -> None:
    """That is known when the run is over; what was said last stays."""
    one = a_red(Verdict.BLOCKED, reason="blocked by KIP890-013: it was refused", blocked_by="KIP890-013")

    message = reported(Grouped.of([one], {}), "f: KIP890-060-[1] One", "Inconclusive: it was refused\nlast request, at noon: x")

    assert message["statusDetails"]["message"] == "Blocked: by KIP890-013: it was refused\nlast request, at noon: x"


def test_the_page_has_each_cause_before_what_is_red(tmp_path: Path) -> None:
    """In Allure's own tab of categories, with the requirements that it explains."""
    run = fencepost("run", "--html", "--defect", "no-epoch-bump", "--only", "KIP890-06*", "--results", tmp_path, expect=1, cwd=CHECKOUT)
    if HOW_TO_GET_IT in run.out:
        pytest.skip(HOW_TO_GET_IT)

    packed_data = re.search(r"data:application/gzip;base64,([A-Za-z0-9+/=]+)", (tmp_path / "allure-report/index.html").read_text("utf-8"))
    assert packed_data
    data = json.loads(gzip.decompress(base64.b64decode(packed_data[1])))
    categories = json.loads(base64.b64decode(data["widgets/categories.json"]))
    names = [categories["nodes"][root]["name"] for root in categories["roots"]]
    assert names[0].startswith("Likely cause: ")
    assert names == sorted(names, key=lambda name: not name.startswith("Likely cause: "))


def test_the_overview_has_the_system_and_what_it_offers(broken: Path) -> None:
    """As Java properties, which every version of Allure shows."""
    reported = (broken / "allure-results/environment.properties").read_text(encoding="utf-8")

    assert "name = reference\n" in reported
    assert re.search(r"^offers = .*crash", reported, re.M)


def test_a_page_of_evidence_escapes_what_the_system_said() -> None:
    """No text of a broker becomes markup."""
    said = Exchange(EVIL, "n", EVIL, {"a": EVIL}, None, EVIL, 1_700_000_000_123.0, 1.0)
    result = ScenarioResult("KIP890-060", "f", EVIL, Verdict.VIOLATED, EVIL, 0, 0.0, violation=Mismatch(EVIL, EVIL, EVIL))

    text = page(result, [StepEvidence(EVIL, "failed", [said], [EVIL])])

    assert "<script" not in text
    assert "22:13:20.123" in text


def test_a_moment_is_a_time_of_day() -> None:
    """To the millisecond, also a whole second."""
    assert [clock(0.0), clock(86_399_999.0)] == ["00:00:00.000", "23:59:59.999"]


def test_the_data_of_a_page_are_packed_and_whole() -> None:
    """They come out as Allure wrote them."""
    text = packed(written(DATA))

    found = re.search(r"data:application/gzip;base64,([A-Za-z0-9+/=]+)", text)
    assert found
    assert json.loads(gzip.decompress(base64.b64decode(found[1]))) == DATA
    assert "Promise.allSettled" not in text


@pytest.mark.parametrize("page", [WRITTEN % "loadAll()", "<html><head></head></html>"])
def test_a_page_that_is_written_in_another_way_stays_as_it_is(page: str) -> None:
    """A later Allure may do so."""
    assert packed(page) == page


def test_a_page_does_not_report_that_it_was_read() -> None:
    """No script of it comes from the network."""
    text = tidied(written(DATA), whole=True)

    assert "googletagmanager" not in text
    assert "gtag" not in text


@pytest.mark.parametrize("whole", [True, False])
def test_the_percentage_is_hidden_where_some_were_not_asked(whole: bool) -> None:
    """Allure counts what passed and failed, so it would say 100 %."""
    assert ("Success rate" in tidied(written(DATA), whole)) is not whole


def test_allure_pytest_next_to_the_kit_writes_no_scenario_twice(tmp_path: Path) -> None:
    """A user's own tests are written as ever."""
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n", encoding="utf-8")
    (tmp_path / "made.feature").write_text(FEATURE, encoding="utf-8")
    (tmp_path / "test_made.py").write_text(MADE, encoding="utf-8")

    pytest_with_plugin(tmp_path, f"--alluredir={tmp_path / 'allure'}", expect=0, cwd=tmp_path)

    names = [json.loads(path.read_text(encoding="utf-8"))["name"] for path in (tmp_path / "allure").glob("*-result.json")]
    assert sorted(names) == ["[1] Some", "test_own"]


FEATURE = """Feature: Made up
  @KIP890-060 @MUST
  Rule: It answers the next epoch.
    Scenario: [1] Some
      Then something was judged
"""
MADE = """
from pytest_bdd import scenarios, then

@then("something was judged")
def judged(fencepost_evidence):
    fencepost_evidence.saw("something")

scenarios(".")
"""
