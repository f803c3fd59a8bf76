"""The plugin, on scenarios that are wrong on purpose: nothing that was not judged is green."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import compliance, pytest_with_plugin, verdicts

from fencepost.contract import history_files, register

FEATURE = """Feature: Made for a test

  @KIP890-060 @MUST
  Rule: Whatever

    Scenario: [1] Some
      Given a step
      When something is asked
      Then {then}
"""
STEPS = """
import pytest
from pytest_bdd import given, scenarios, then, when
from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.evidence import NoAnswer, SetUpFailed, Violation

scenarios(".")

@given("a step")
def _(fencepost_session): ...

@when("something is asked")
def _(fencepost_session):
    fencepost_session.client("A").init_producer_id(fencepost_session.unique("t"))

@then("something was judged")
def _(fencepost_evidence):
    fencepost_evidence.saw("it")

@then("nothing is judged")
def _(): ...

@then("an async step is given")
async def _(fencepost_evidence):
    fencepost_evidence.saw("never")

@then("it is violated")
def _(fencepost_evidence):
    fencepost_evidence.expect(False, "the moon", "the sun <b>", what="the sky", error="PRODUCER_FENCED", code=90)

@then("the question cannot be put")
def _():
    raise SetUpFailed("the Given was refused")

@then("no answer comes")
def _():
    raise NoAnswer("20 s of silence")

@then("bytes are malformed")
def _():
    raise Malformed("ca fe")

@then("it is not offered")
def _():
    raise NotOffered("EndTxn v5: the broker offers v0 to v4")

@then("the kit fails")
def _():
    raise ZeroDivisionError("ours")
"""


def run_with(folder: Path, then: str, expect: int, *arguments: str) -> str:
    room = folder / "made"
    room.mkdir(exist_ok=True)
    (room / "some.feature").write_text(FEATURE.format(then=then), encoding="utf-8")
    (room / "test_made.py").write_text(STEPS, encoding="utf-8")
    return pytest_with_plugin(room, f"--results={folder / 'results'}", *arguments, expect=expect, cwd=folder).out


def cases(results: Path) -> list[ElementTree.Element]:
    """The test cases that junit.xml has."""
    return list(ElementTree.parse(results / "junit.xml").iter("testcase"))  # noqa: S314 - we wrote it


ENDS = {
    "something was judged": ("met", "1 met"),
    "nothing is judged": ("inconclusive", "no Then step checked anything"),
    "an async step is given": ("harness_error", "is an async function"),
    "it is violated": ("violated", "seen:         the sun <b>"),
    "the question cannot be put": ("inconclusive", "could not be put: the Given was refused"),
    "no answer comes": ("inconclusive", "no answer in time: 20 s of silence"),
    "bytes are malformed": ("violated", "seen:         ca fe"),
    "it is not offered": ("not_offered", "EndTxn v5: the broker offers v0 to v4"),
    "the kit fails": ("harness_error", "ZeroDivisionError: ours"),
    "an unknown sentence": ("harness_error", "StepDefinitionNotFoundError"),
}
"""How a scenario may end: its verdict, and the text about it."""
ASKED = dict(zip(ENDS, (row.id for row in register.bundled().rows(("kip890",)) if row.is_tested), strict=False))
"""The requirement of each."""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The results of a run with a scenario for each of ENDS, and what it printed."""
    folder = tmp_path_factory.mktemp("ended")
    room = folder / "made"
    room.mkdir()
    head, rule = FEATURE.split("\n\n", 1)
    rules = (
        rule.format(then=then).replace("KIP890-060", ASKED[then]).replace("[1] Some", f"[{number}] Some")
        for number, then in enumerate(ENDS, 1)
    )
    (room / "some.feature").write_text("\n\n".join((head, *rules)), encoding="utf-8")
    (room / "test_made.py").write_text(STEPS, encoding="utf-8")
    return folder / "results", pytest_with_plugin(room, f"--results={folder / 'results'}", expect=1, cwd=folder).out


@pytest.mark.parametrize("then", ENDS)
def test_how_a_scenario_ends_is_its_verdict(ended: tuple[Path, str], then: str) -> None:
    """Each verdict can result from a scenario, with the reason; the test of a red scenario fails."""
    results, out = ended
    verdict, reported = ENDS[then]

    assert reported in out
    assert verdicts(results)[ASKED[then]] == verdict
    (case,) = [one for one in cases(results) if str(one.get("name")).startswith(ASKED[then])]
    assert (case.find("failure") is not None) is (verdict not in ("met", "not_offered"))


def test_a_users_own_pytest_keeps_its_output(tmp_path: Path) -> None:
    """Where a user's pytest loads our plugin, pytest shows the run, and the matrix and the headline come before its last line."""
    out = run_with(tmp_path, "something was judged", 0)

    assert re.search(r"^made/test_made.py \. +\[100%\]$", out, re.MULTILINE)
    assert re.search(r"reference conforms .*\n=+ 1 passed\b", out)
    assert "judging" not in out


def test_a_failure_says_all_that_is_needed(ended: tuple[Path, str]) -> None:
    """Requirement, statement, step, what was looked at, expected, seen, the last request and its answer, and where to look."""
    (case,) = [one for one in cases(ended[0]) if str(one.get("name")).startswith(ASKED["it is violated"])]
    row = register.bundled().by_id[ASKED["it is violated"]]

    for part in (
        f"{row.id} VIOLATED: the system under test does not do what the requirement says",
        "requirement:",
        " ".join(row.statement.split()[:6]),
        "scenario:     made/some.feature: [4] Some",
        "step:         Then it is violated",
        "what:         the sky",
        "expected:     the moon",
        "seen:         the sun <b>",
        "error:        PRODUCER_FENCED (90)",
        "last request: A to",
        "InitProducerId v5",
        "its answer:",
        f"look at:      {' '.join(row.check.split()[:4])}",
    ):
        assert part in str(case.findtext("failure"))
        assert part in ended[1]


VIOLATION = {"what": "the sky", "expected": "the moon", "seen": "the sun <b>", "error": "PRODUCER_FENCED", "code": 90}
MALFORMED = {"what": "message of the system", "expected": "what its protocol allows", "seen": "ca fe", "error": None, "code": None}
VIOLATIONS = {"something was judged": None, "no answer comes": None, "it is violated": VIOLATION, "bytes are malformed": MALFORMED}
BESIDE = "import pytest\n\n\ndef test_it(): ...\n\n\n@pytest.mark.skip\ndef test_later(): ...\n"


@pytest.fixture(scope="module")
def in_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run with two workers that judged a scenario for each of VIOLATIONS, together with a user's own tests."""
    folder = tmp_path_factory.mktemp("workers")
    room = folder / "made"
    room.mkdir()
    (room / "test_beside.py").write_text(BESIDE, encoding="utf-8")
    (room / "test_made.py").write_text(STEPS, encoding="utf-8")
    head, scenario = FEATURE.split("    Scenario: [1] Some\n")
    scenarios = [f"    Scenario: [{number}] Some\n{scenario.format(then=then)}" for number, then in enumerate(VIOLATIONS, 1)]
    (room / "some.feature").write_text(head + "\n".join(scenarios), encoding="utf-8")

    pytest_with_plugin(room, f"--results={folder / 'results'}", "-n2", expect=1, cwd=folder)

    return folder / "results"


def test_a_violation_is_written_as_data(in_workers: Path) -> None:
    """In compliance.json for each scenario; null where the system did nothing wrong."""
    asked = next(row for row in compliance(in_workers)["requirements"] if row["id"] == "KIP890-060")

    found = {scenario["name"]: scenario["violation"] for scenario in asked["scenarios"]}
    assert found == {f"[{number}] Some": violation for number, violation in enumerate(VIOLATIONS.values(), 1)}


def test_a_run_with_workers_gives_the_same_verdicts(in_workers: Path) -> None:
    """What a worker process judged reaches the results folder."""
    reported = compliance(in_workers)

    assert verdicts(in_workers) == {"KIP890-060": "violated"}
    asked = next(row for row in reported["requirements"] if row["id"] == "KIP890-060")
    found = {scenario["name"]: scenario["verdict"] for scenario in asked["scenarios"]}
    assert found == {"[1] Some": "met", "[2] Some": "inconclusive", "[3] Some": "violated", "[4] Some": "violated"}
    assert reported["system"]["version"]


def test_junit_reports_what_workers_judged(in_workers: Path) -> None:
    """Each scenario is listed by its name, a red with its text; so are the other tests."""
    named = {case.get("name"): case for case in cases(in_workers)}

    scenarios = [f"KIP890-060 [{number}] Some" for number in range(1, 5)]
    assert sorted(map(str, named)) == [*scenarios, "test_it", "test_later"]
    failures = {name: case.findtext("failure") for name, case in named.items()}
    assert sorted(str(name) for name, text in failures.items() if text is not None) == scenarios[1:]
    assert "KIP890-060 VIOLATED" in str(failures["KIP890-060 [3] Some"])


def test_tests_next_to_the_scenarios_are_not_missed_with_workers(in_workers: Path) -> None:
    """A user's own tests in the same session do not count as lost scenarios, whichever process runs them."""
    reported = compliance(in_workers)
    assert reported["complete"] is True
    assert reported["scenarios"] == {"selected": 4, "judged": 4}


def test_every_example_is_judged_and_has_its_own_history(tmp_path: Path) -> None:
    """The worst one decides, and none writes over what another one said."""
    room = tmp_path / "made"
    room.mkdir()
    outline = FEATURE.replace("Scenario:", "Scenario Outline:").format(then="<what>")
    examples = "\n      Examples:\n        | what                |\n        | it is violated      |\n        | something was judged |\n"
    (room / "some.feature").write_text(outline + examples, encoding="utf-8")
    (room / "test_made.py").write_text(STEPS, encoding="utf-8")

    pytest_with_plugin(room, f"--results={tmp_path / 'results'}", expect=1, cwd=tmp_path)

    assert verdicts(tmp_path / "results") == {"KIP890-060": "violated"}
    histories = {history_files.stem_of(path): history_files.text_of(path) for path in history_files.found_in(tmp_path / "results")}
    assert sorted(histories) == ["KIP890-060-1-Some-example-1", "KIP890-060-1-Some-example-2"]
    assert all("init_producer_id" in reported for reported in histories.values())


def test_what_is_not_selected_is_not_run_and_counted(tmp_path: Path) -> None:
    """A run that leaves a scenario out says so, and nothing selected is an error of pytest's."""
    run_with(tmp_path, "something was judged", 5, "--only=KIP890-061")

    found = compliance(tmp_path / "results")
    assert found["complete"] is False
    counting = [row for row in found["requirements"] if not row["provisional"]]
    assert found["totals"]["not_run"] + found["totals"]["excluded"] == len(counting)


def test_a_run_that_is_cut_short_is_not_complete(tmp_path: Path) -> None:
    """What Ctrl-C ends is valid, and says that it is not whole."""
    room = tmp_path / "made"
    room.mkdir()
    two = (
        FEATURE.format(then="something was judged")
        + "\n    Scenario: [2] Other\n      Given a step\n      When it is cut short\n      Then never\n"
    )
    (room / "some.feature").write_text(two, encoding="utf-8")
    cut = STEPS + '\n@when("it is cut short")\ndef _(): raise KeyboardInterrupt\n'
    (room / "test_made.py").write_text(cut, encoding="utf-8")

    pytest_with_plugin(room, f"--results={tmp_path / 'results'}", expect=2, cwd=tmp_path)

    found = compliance(tmp_path / "results")
    assert found["complete"] is False
    assert verdicts(tmp_path / "results") == {"KIP890-060": "met"}


def test_features_that_are_not_fit_are_reported_and_no_system_is_opened(tmp_path: Path) -> None:
    """Also where a scenario is asked of no system of the run, which is only found out when the unfit are let through."""
    room = tmp_path / "made"
    room.mkdir()
    (room / "conftest.py").write_text(
        'from fencepost.run import feature_lint\nfeature_lint.faults_of_bundled = lambda _: ["some.feature:1: too long"]\n'
    )
    (room / "some.feature").write_text(FEATURE.format(then="something was judged"), encoding="utf-8")
    (room / "test_made.py").write_text(STEPS, encoding="utf-8")

    finished = pytest_with_plugin(room, "--profile=pulsar-4.0", expect=4, cwd=tmp_path)

    assert "the features are not fit to be run:\n  some.feature:1: too long" in finished.err
    assert "INTERNALERROR" not in finished.out


@pytest.mark.parametrize(
    ("arguments", "by", "in_part"),
    [
        (["-m", "MUST and not needs_crash"], "-m 'MUST and not needs_crash'", "KIP890-161"),
        (["-m", "not needs_crash", "-n1"], "-m 'not needs_crash'", "KIP890-161"),
        (["-k", "not abort"], "-k 'not abort'", "CORE-28"),
    ],
)
def test_a_requirement_that_pytest_asks_in_part_is_not_met(tmp_path: Path, arguments: list[str], by: str, in_part: str) -> None:
    """Tags are pytest's markers; what they leave out is reported, and what was asked whole is judged."""
    only = f"CORE-01,{in_part}"
    pytest_with_plugin(
        "--pyargs", "fencepost.features", f"--only={only}", f"--results={tmp_path / 'r'}", *arguments, expect=0, cwd=tmp_path
    )

    found = compliance(tmp_path / "r")
    rows = {row["id"]: row for row in found["requirements"]}
    assert (found["complete"], found["selection"]["pytest"]) == (True, by)
    assert rows["CORE-01"]["verdict"] == "met"
    assert rows[in_part]["verdict"] == "not_run"
    assert rows[in_part]["reason"].endswith(f"scenarios were left out by pytest {by}")


def test_what_a_plugin_leaves_out_is_missed_too(tmp_path: Path) -> None:
    """Whatever drops scenarios, such as --lf, a requirement that was asked in part is not met, and the run says that it was narrowed."""
    (tmp_path / "half.py").write_text("def pytest_collection_modifyitems(items):\n    items[:] = items[:-1]\n", encoding="utf-8")
    selected = ("--pyargs", "fencepost.features", "--only=CORE-01,CORE-27", f"--results={tmp_path / 'r'}")

    pytest_with_plugin(*selected, "-phalf", expect=0, cwd=tmp_path)

    found = compliance(tmp_path / "r")
    verdicts = {row["id"]: row["verdict"] for row in found["requirements"]}
    assert (verdicts["CORE-01"], verdicts["CORE-27"]) == ("met", "not_run")
    assert "--lf" in found["selection"]["pytest"]


def test_examples_are_numbered_alike_under_each_protocol(tmp_path: Path) -> None:
    """All that the bundled features ask is what was judged, row by row: nothing is thought to be left out."""
    pytest_with_plugin("--pyargs", "fencepost.features", "--only=CORE-28", f"--results={tmp_path / 'r'}", expect=0, cwd=tmp_path)

    found = compliance(tmp_path / "r")
    (row,) = [row for row in found["requirements"] if row["selected"]]
    assert (row["verdict"], found["selection"]["pytest"], len(row["scenarios"])) == ("met", None, 27)


def test_an_unknown_pytest_marker_is_refused_where_pytest_is_strict(tmp_path: Path) -> None:
    """All of ours are registered: levels, needs, proposals and ids."""
    known = "MUST or SHOULD or MAY or needs_crash or kip890 or KIP890-060"
    rows = register.bundled()
    # Tags of a whole proposal become markers where one requirement of it is asked.
    one_of_each = ",".join(next(row.id for row in rows.rows((spec,)) if row.is_tested) for spec in rows.by_spec)
    arguments = ["--pyargs", "fencepost.features", "--strict-markers", "--collect-only", "-q", f"--only={one_of_each}"]

    pytest_with_plugin(*arguments, "-m", known, expect=0, cwd=tmp_path)
    reported = pytest_with_plugin(*arguments, "-m", "MUSST", expect=4, cwd=tmp_path)

    assert "MUSST" in reported.err
