"""The user's own expectations: which files are read, what is wrong with them, and which entries were not looked for."""

from pathlib import Path

import pytest
from commands import fencepost

from fencepost.contract import register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.deviations import known_deviations, user_deviations
from fencepost.deviations.known_deviations import Asking, Expectations

ROWS = register.bundled()
ENTRY = "- requirement: KIP890-156\n  symptom: {seen: epoch 2}\n  reason: followed up in 42\n"
BUNDLED = known_deviations.load_for("kafka", "4.0.0", True, ROWS)


def written(folder: Path, text: str, name: str = "known.yaml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_an_entry_needs_neither_versions_nor_a_link(tmp_path: Path) -> None:
    """It holds for the system that is judged, whatever version that reports."""
    own = user_deviations.read([written(tmp_path, ENTRY)], ROWS)

    (known,) = own.added_to(Expectations(), "some fork", exact=False).of(Asking("KIP890-156", "[1] Any"))
    assert (known.where, known.is_own, known.need_not_show) == (f"{tmp_path}/known.yaml:1", True, False)


def test_a_range_of_versions_narrows_an_entry(tmp_path: Path) -> None:
    """As it does in the bundled files."""
    own = user_deviations.read([written(tmp_path, ENTRY + "  versions: '>=4'\n")], ROWS)

    assert [one.need_not_show for one in own.added_to(Expectations(), "4.0", exact=False).known] == [True]
    assert own.added_to(Expectations(), "3.9", exact=True).known == ()


@pytest.mark.parametrize(
    ("words", "with_bundled", "with_own"),
    [
        ([], True, False),
        (["bundled"], True, False),
        (["none"], False, False),
        (["FILE"], True, True),
        (["bundled", "FILE"], True, True),
        (["FILE", "none"], False, True),
    ],
)
def test_files_add_to_the_bundled_entries_unless_none_is_said(tmp_path: Path, words: list[str], with_bundled: bool, with_own: bool) -> None:
    """In whatever order."""
    file = written(tmp_path, ENTRY)
    known = user_deviations.read([file if word == "FILE" else word for word in words], ROWS).added_to(BUNDLED, "4.0.0", exact=True).known

    assert {one.is_own for one in known} == {own for own, said in ((False, with_bundled), (True, with_own)) if said}


def test_a_users_entry_comes_before_a_bundled_one(tmp_path: Path) -> None:
    """Where both have an entry about a scenario."""
    known = user_deviations.read([written(tmp_path, ENTRY)], ROWS).added_to(BUNDLED, "4.0.0", exact=True)

    asked = Asking("KIP890-156", "[2] An abandoned transaction gets a marker", "kafka")
    assert [one.is_own for one in known.of(asked)] == [True, False]


def test_an_entry_outlives_a_reworded_title(tmp_path: Path) -> None:
    """A file that an earlier release wrote names the scenario by its number, and by no other number."""
    known = user_deviations.read([written(tmp_path, ENTRY + "  scenario: '[2] The title of before'\n")], ROWS)
    expected = known.added_to(Expectations(), "4.0.0", exact=True)

    assert expected.of(Asking("KIP890-156", "[2] An abandoned transaction gets a marker"))
    assert not expected.of(Asking("KIP890-156", "[3] An abandoned transaction gets a marker"))


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (ENTRY.replace("156", "1560"), r"known.yaml:1: KIP890-1560 is not a tested requirement; did you mean KIP890-1"),
        (ENTRY.replace("  reason: followed up in 42\n", ""), "known.yaml:1: 1.reason: this key is missing"),
        (ENTRY.replace("followed up in 42", "''"), "known.yaml:3: 1.reason: String should have at least 1 character, given: ''"),
        (ENTRY.replace("epoch 2", "'('"), "known.yaml:2: 1.symptom.seen: must be a regular expression"),
        (
            ENTRY + "  scenario: '[20] An abandoned transaction gets a marker'\n",
            r"known.yaml:4: KIP890-156 has no scenario .*; did you mean \[2\] An abandoned transaction gets a marker",
        ),
        (ENTRY + "  versions: newest\n", "known.yaml:4: 1.versions: must be a version range such as >=4.0,<4.1, given: 'newest'"),
        (ENTRY + "  resaon: x\n", "known.yaml:4: 1.resaon: this key is not known here"),
        (
            ENTRY + "  scenario: '[2] One title'\n" + ENTRY + "  scenario: '[2] Another title'\n",
            r"known.yaml:5: KIP890-156 \[2\] Another title: this entry appears twice, first in line 1; remove one",
        ),
        (ENTRY + ENTRY, "known.yaml:4: KIP890-156: this entry appears twice, first in line 1; remove one"),
        ("requirement: KIP890-156\n", "known.yaml:1: the file: expected a valid list"),
        ("- [\n", "known.yaml:2: not YAML"),
        ("", "known.yaml:1: the file: expected a valid list"),
    ],
)
def test_a_faulty_file_is_the_users_to_mend(tmp_path: Path, text: str, reported: str) -> None:
    """With the file, the line, the value and what is expected."""
    with pytest.raises(WrongUsage, match=reported):
        user_deviations.read([written(tmp_path, text)], ROWS)


def test_an_entry_stands_in_one_file(tmp_path: Path) -> None:
    """Which of two was removed would else not be known."""
    files = [written(tmp_path, ENTRY, name) for name in ("a.yaml", "b.yaml")]

    with pytest.raises(WrongUsage, match=r"b.yaml:1: KIP890-156: this entry appears twice, first in .*a.yaml:1; remove one"):
        user_deviations.read(files, ROWS)


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["none", "bundled"], "exclude each other"),
        (
            ["nowhere.yaml"],
            "--expectations nowhere.yaml: there is no such file; expected a YAML file of known deviations, or bundled or none",
        ),
        (["."], "--expectations .: is a folder; expected a YAML file"),
        (["a.yaml", "a.yaml"], "--expectations a.yaml is given twice"),
    ],
)
def test_what_cannot_be_read_is_wrong_usage(words: list[str], reported: str) -> None:
    """The error names what is expected."""
    with pytest.raises(WrongUsage, match=reported):
        user_deviations.read(words, ROWS)


def test_a_faulty_file_ends_a_run_before_it_begins(tmp_path: Path) -> None:
    """As wrong usage: the kit is not to blame."""
    file = written(tmp_path, ENTRY.replace("156", "999"))

    finished = fencepost("run", "--only=CORE-01", f"--expectations={file}", f"--results={tmp_path / 'r'}", expect=2)

    assert f"{file}:1: KIP890-999 is not a tested requirement" in finished.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("entry", "selected", "verdict", "why"),
    [
        (ENTRY, ["KIP890-156"], Verdict.VIOLATED, None),
        (ENTRY, ["KIP890-156"], Verdict.INCONCLUSIVE, None),
        (ENTRY, ["KIP890-156"], Verdict.NOT_OFFERED, "not offered"),
        (ENTRY, ["KIP890-157"], None, "not selected"),
        (ENTRY, ["KIP890-156"], None, "not tested"),
        (ENTRY + "  versions: '<4'\n", ["KIP890-156"], Verdict.VIOLATED, "its versions <4 do not hold 4.0.0"),
    ],
)
def test_entries_that_were_not_looked_for_are_reported(
    tmp_path: Path, entry: str, selected: list[str], verdict: Verdict | None, why: str | None
) -> None:
    """They do no harm, and their writer may have meant another run."""
    own = user_deviations.read([written(tmp_path, entry)], ROWS)
    ran = [ScenarioResult("KIP890-156", "kip890/x.feature", "[1] x", verdict, None, 1, 0.1, protocol="kafka")] if verdict else []

    reported = list(user_deviations.unmatched(own, ran, selected, "4.0.0"))

    assert reported == ([f"{tmp_path}/known.yaml:1: KIP890-156: {why}"] if why else [])
