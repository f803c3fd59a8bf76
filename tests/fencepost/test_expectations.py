"""Known deviations: which entries hold for which version, and which files are refused."""

from functools import partial
from pathlib import Path

import pytest

from fencepost.contract import register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.ports import Exchange
from fencepost.deviations import known_deviations
from fencepost.deviations.known_deviations import Asking

ENTRY = """- requirement: KIP890-156
  versions: "{versions}"
  symptom: {{seen: "{symptom}"}}
  reason: It bumps twice.
  link: KAFKA-19367
"""


def loaded(folder: Path, text: str, version: str, exact: bool = True) -> known_deviations.Expectations:
    (folder / "kafka.yaml").write_text(text, encoding="utf-8")
    return known_deviations.load_for("kafka", version, exact, register.bundled(), folder)


@pytest.mark.parametrize(
    ("versions", "version", "holds"),
    [
        ("==4.0.0", "4.0.0", True),
        ("==4.0.0", "4.0", True),
        ("==4.0.0", "4.0.1", False),
        (">=4.3,<4.3.2", "4.3.1", True),
        (">=4.3", "4.4.0rc1", True),
        (">=4.3", "some fork", False),
    ],
)
def test_an_entry_holds_in_its_range_of_versions(tmp_path: Path, versions: str, version: str, holds: bool) -> None:
    """No release's known deviations excuse a build whose version is no release."""
    found = loaded(tmp_path, ENTRY.format(versions=versions, symptom="x"), version)

    assert bool(found.of(Asking("KIP890-156", "[1] a"))) is holds
    assert not found.of(Asking("KIP890-157", "[1] a"))


def test_an_entry_of_one_scenario_holds_for_no_other(tmp_path: Path) -> None:
    """An excuse is as narrow as it is written."""
    found = loaded(
        tmp_path, ENTRY.format(versions=">=4", symptom="x") + '  scenario: "[2] An abandoned transaction gets a marker"\n', "4.0.0"
    )

    assert found.of(Asking("KIP890-156", "[2] An abandoned transaction gets a marker"))
    assert not found.of(Asking("KIP890-156", "[1] The data"))


def test_an_entry_about_any_requirement_holds_where_the_cause_was_reported(tmp_path: Path) -> None:
    """It is the last such answer that counts; without one nothing is excused."""
    found = loaded(
        tmp_path,
        ENTRY.format(versions=">=4", symptom="x").replace("KIP890-156", "any")
        + "  answered: {to: /stats, said: Lost}\n  intermittent: {seen: 1, tried: 2}\n",
        "4.0.0",
    )
    lost, well = (Exchange("A", "node", "GET /stats/orders", {}, {"body": {"state": state}}, None, 0, 0) for state in ("Lost", "Ready"))
    other = Exchange("A", "node", "SEND", {}, {"state": "Lost"}, None, 0, 0)

    for requirement in ("KIP890-156", "KIP890-157"):
        for said, holds in (([], False), ([well, lost, other], True), ([lost, well], False), ([other], False)):
            assert bool(found.of(Asking(requirement, "[1] a"), partial(list, said))) is holds


@pytest.mark.parametrize("missing", ["  answered: {to: /stats, said: Lost}\n", "  intermittent: {seen: 1, tried: 2}\n"])
def test_an_entry_about_any_requirement_says_its_cause_and_how_often_it_was_seen(tmp_path: Path, missing: str) -> None:
    """Without a cause it would excuse everything."""
    with pytest.raises(DataFileError, match="an entry about any requirement must say"):
        loaded(tmp_path, ENTRY.format(versions=">=4", symptom="x").replace("KIP890-156", "any") + missing, "4.0.0")


def test_entries_may_pass_where_only_the_release_line_is_known(tmp_path: Path) -> None:
    """A broker does not report its patch level on the wire."""
    text = ENTRY.format(versions=">=4", symptom="x")

    assert [one.need_not_show for one in loaded(tmp_path, text, "4.0", exact=False).known] == [True]
    assert [one.need_not_show for one in loaded(tmp_path, text, "4.0.0", exact=True).known] == [False]


@pytest.mark.parametrize("said", ["{seen: 3, tried: 20}", "3 of 20 runs"])
def test_an_intermittent_entry_has_its_counts(tmp_path: Path, said: str) -> None:
    """As fields, or in the words that files of before have."""
    [one] = loaded(tmp_path, ENTRY.format(versions=">=4", symptom="x") + f"  intermittent: {said}\n", "4.0.0").known

    assert one.entry.intermittent == known_deviations.Intermittent(seen=3, tried=20)
    assert one.need_not_show


def test_a_system_without_a_file_has_no_known_deviations(tmp_path: Path) -> None:
    """No system is excused by default."""
    assert known_deviations.load_for("other", "1.0", True, register.bundled(), tmp_path).known == ()


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (ENTRY.format(versions="newer", symptom="x"), r"kafka.yaml:2: 1.versions: must be a version range"),
        (ENTRY.format(versions=">=4", symptom="("), r"kafka.yaml:3: 1.symptom.seen: must be a regular expression"),
        (ENTRY.format(versions=">=4", symptom=""), r"kafka.yaml:3: 1.symptom.seen: must not be empty"),
        (
            ENTRY.format(versions=">=4", symptom="x").replace('seen: "x"', ""),
            r"kafka.yaml:3: 1.symptom: must say one of what, expected, seen",
        ),
        (ENTRY.format(versions=">=4", symptom="x").replace("seen:", "heard:"), r"kafka.yaml:3: 1.symptom.heard: this key is not known"),
        (
            ENTRY.format(versions=">=4", symptom="x").replace("156", "999"),
            r"kafka.yaml:1: KIP890-999 is not a tested requirement; did you mean",
        ),
        (ENTRY.format(versions=">=4", symptom="x") + "  flaky: true\n", r"kafka.yaml:6: 1.flaky: this key is not known here"),
        (ENTRY.format(versions=">=4", symptom="x").replace("  link: KAFKA-19367\n", ""), r"kafka.yaml:1: 1.link: this key is missing"),
        (ENTRY.format(versions=">=4", symptom="x") * 2, r"kafka.yaml:6: KIP890-156: this entry appears twice, first in line 1; remove one"),
        (
            ENTRY.format(versions=">=4", symptom="x") + "  protocol: pulsar\n",
            r"kafka.yaml:6: KIP890-156 is not tested under 'pulsar'; expected",
        ),
        (ENTRY.format(versions=">=4", symptom="x") + "  example: 1\n", r"kafka.yaml:6: KIP890-156 has no example 1; say of which scenario"),
        (ENTRY.format(versions=">=4", symptom="x") + "  intermittent: now and then\n", r"kafka.yaml:6: 1.intermittent: must say how often"),
        (ENTRY.format(versions=">=4", symptom="x") + "  intermittent: {seen: 0, tried: 9}\n", r"kafka.yaml:6: 1.intermittent.seen: "),
        (
            ENTRY.format(versions=">=4", symptom="x") + "  intermittent: {seen: 9, tried: 3}\n",
            r"kafka.yaml:6: 1.intermittent: .* 9 times in 3",
        ),
        (
            ENTRY.format(versions=">=4", symptom="x") + "  scenario: '[0] Gone'\n",
            r"kafka.yaml:6: KIP890-156 has no scenario '\[0\] Gone'",
        ),
        (
            ENTRY.format(versions=">=4", symptom="x") + "  scenario: '[2] Its title of before'\n",
            r"kafka.yaml:6: scenario '\[2\] Its title of before' of KIP890-156 is called '\[2\] An abandoned transaction gets a marker'",
        ),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, text: str, reported: str) -> None:
    """An error leads to the entry and the key."""
    with pytest.raises(DataFileError, match=reported):
        loaded(tmp_path, text, "4.0.0")


def test_the_bundled_entries_are_fit_to_be_used() -> None:
    """Every entry of every system names requirements and scenarios that are there; and there are entries."""
    systems = {Path(name).stem for name, _, _ in known_deviations.everything()}
    known = {system: known_deviations.load_for(system, "4.0.0", True, register.bundled()).known for system in systems}

    assert known["kafka"]
