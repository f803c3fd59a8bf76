"""The museum: every real bug has one fate, what is played is judged by its symptom, and the page is that of the file."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost

from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import Exit
from fencepost.contract.evidence import Mismatch
from fencepost.contract.symptom import Symptom
from fencepost.museum import proof as museum_proof
from fencepost.museum.bugs import Bug, BugKind, Museum, bundled, read
from fencepost.museum.museum_page import page
from fencepost.museum.proof import BugResult
from fencepost.proof.defect_proof import Seen
from fencepost.reference.defects import DEFECTS

NO_BUGS = {"KAFKA-14561", "KAFKA-14562"}
"""Tickets of the implementation of KIP-890; origins name them for what brokers lacked before."""

BUMP = DEFECTS["no-epoch-bump"]
DUE = Mismatch("x", "success with (producer id 7, epoch 0)", "answer")
PLAYED = Bug(id="X-1", link="https://example.org/1", symptom="It stays.", trigger="An end.", defects=("no-epoch-bump",))
AWAY = Bug(id="X-2", link="https://example.org/2", symptom="It goes.", trigger="Many.", out_of_reach=BugKind.NODES, because="It takes two.")
LATER = Bug(id="X-3", link="https://example.org/3", symptom="It fails.", trigger="A fault.", waits_for="A fault of the log.")
SMALL = Museum({"one": (PLAYED, AWAY), "another": (LATER,)})

ROW = """\
- system: one
  bugs:
    - id: X-1
      link: https://example.org/1
      symptom: It stays.
      trigger: An end.
"""


def seen(verdict: str, violation: Mismatch = DUE, trouble: str | None = None) -> Seen:
    return Seen(BUMP, {"KIP890-060": verdict}, {}, {"KIP890-060": violation}, trouble)


def test_every_real_bug_that_an_origin_names_is_in_the_museum() -> None:
    """By its own ticket or as a further one; and those that the field gave are there in number."""
    named = {ticket for defect in DEFECTS.values() for ticket in re.findall(r"KAFKA-\d+|[\w.-]+/[\w-]+#\d+", defect.origin)}
    known = {ticket for bug in bundled().bugs for ticket in bug.tickets}

    assert named - known == NO_BUGS
    assert len(bundled().bugs) >= 100


def test_the_page_is_made_from_the_file() -> None:
    """`make docs` writes it again; every bug has a paragraph, with its link where it has one."""
    text = (CHECKOUT / "docs" / "museum.md").read_text(encoding="utf-8")

    assert text == page(bundled()), "run make docs"
    assert all((f"[{bug.id}]({bug.link})" if bug.link else f"**{bug.id}**") in text for bug in bundled().bugs)


def test_the_page_says_what_became_of_each_bug() -> None:
    """Its defects and what they break, why it is not played, or what it waits for."""
    text = page(SMALL)

    assert "*Made again by* `no-epoch-bump`, which breaks KIP890-060." in text
    assert "*Not played:* It takes two." in text
    assert "*Waits for:* A fault of the log." in text


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("", "expected one of defects, out_of_reach and waits_for, and not none of them"),
        ("      defects: [no-epoch-bump]\n      waits_for: rain\n", "and not defects and waits_for"),
        ("      out_of_reach: nodes\n", "out_of_reach and because belong together"),
        ("      defects: [no-epoch-bump]\n      because: so\n", "out_of_reach and because belong together"),
        ("      out_of_reach: bears\n      because: so\n", "out_of_reach"),
        ("      defects: [no-epoch-bumps]\n", "X-1 names the defect 'no-epoch-bumps', and there is none of that name"),
        ("      defects: [no-epoch-bump]\n      date: May\n", "date"),
        ("      defects: [no-epoch-bump]\n      colour: red\n", "colour"),
        (f"      defects: [no-epoch-bump]\n{ROW}      waits_for: rain\n", "'one' appears twice"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_place(more: str, why: str, tmp_path: Path) -> None:
    """One line, which says what was expected."""
    file = tmp_path / "museum.yaml"
    file.write_text(ROW + more, encoding="utf-8")

    with pytest.raises(DataFileError, match=re.escape(why)) as refused:
        read(file)

    assert re.match(rf"{re.escape(str(file))}:\d+: ", str(refused.value))


def test_a_file_that_is_right_is_read(tmp_path: Path) -> None:
    """A year that YAML takes for a number is a date as text."""
    file = tmp_path / "museum.yaml"
    file.write_text(f"{ROW}      date: 2024\n      defects: [no-epoch-bump]\n", encoding="utf-8")

    (bug,) = read(file).bugs

    assert (bug.date, bug.requirements, read(file).system_of(bug)) == ("2024", ("KIP890-060",), "one")


@pytest.mark.parametrize(
    ("found", "caught", "missed"),
    [
        ({"no-epoch-bump": seen("violated")}, (PLAYED,), ()),
        ({"no-epoch-bump": seen("met")}, (), (PLAYED,)),
        ({"no-epoch-bump": seen("violated", Mismatch("x", "another thing", "answer"))}, (), (PLAYED,)),
        ({"no-epoch-bump": seen("inconclusive")}, (), (PLAYED,)),
        ({"no-epoch-bump": seen("violated", trouble="nothing calls it")}, (), (PLAYED,)),
        ({}, (), ()),
    ],
)
def test_a_bug_is_caught_by_the_symptom_of_its_defect_alone(
    found: dict[str, Seen], caught: tuple[Bug, ...], missed: tuple[Bug, ...]
) -> None:
    """What is met, red for another reason, inconclusive or in trouble is missed; what was not tried is neither."""
    judged = BugResult(SMALL, found)

    assert (judged.caught, judged.missed, judged.is_complete) == (caught, missed, bool(found))
    assert judged.headline == f"caught {len(caught)} of 1 real bugs of 1 systems"


@pytest.mark.parametrize(("symptom", "code"), [("epoch 0", Exit.CONFORMS), ("epoch 7", Exit.DOES_NOT)])
def test_what_is_played_decides_the_exit_code(
    symptom: str, code: Exit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is in the file; the other bugs are listed with what they need."""
    defect = dataclasses.replace(BUMP, breaks={"KIP890-060": Symptom(seen=symptom)})
    monkeypatch.setattr(museum_proof, "bundled", lambda: SMALL)
    monkeypatch.setattr(museum_proof, "DEFECTS", {BUMP.name: defect})

    assert museum_proof.show(1, tmp_path / "prove") == code

    said, count = " ".join(capsys.readouterr().out.split()), int(code is Exit.CONFORMS)
    assert f"caught {count} of 1 real bugs of 1 systems" in said
    assert "not played, for they take more nodes, or nodes of another kind, than the reference has: X-2 (one)" in said
    assert "waits: X-3 (another): A fault of the log." in said
    assert ("is not caught by KIP890-060, due: seen 'epoch 7'; found:" in said) == (count == 0)
    written = json.loads((tmp_path / "prove" / "museum.json").read_text(encoding="utf-8"))
    assert [bug["caught"] for bug in written["bugs"]] == [bool(count), None, None]


def test_the_museum_is_asked_for_by_itself() -> None:
    """An option that plays something else is refused."""
    assert "--mutants and --museum exclude each other" in fencepost("prove", "--museum", "--mutants", "3", expect=2).err
